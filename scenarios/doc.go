// Package scenarios puts the fake PSP and the receiver into one world, lets a
// plan go wrong in it, heals it, and judges.
//
// A [World] belongs to one goroutine. Everything that could run at the same
// time is an actor of its own: each request to a receiver, each background step
// of each of its processes. Exactly one runs at a time, on a coroutine, from one
// parking point to the next: before a store command, after its commit, before a
// call leaves, until its answer or its deadline. Who goes next, and how long a
// step takes, follows from the seed alone, so the same plan gives the same
// trace, event by event, everywhere.
//
//	plan ──> world ──> faults on ──> heal: faults off ──> must come to rest ──> verdict
//	                   checks at each commit              checks at the end
//
// Each check_*.go judges one invariant. Package broken holds the receivers that
// prove that the checks can fail.
package scenarios
