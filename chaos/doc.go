// Package chaos turns a seed into a plan, and a plan into faults, an order of
// steps and a trace. It is the reason why a run of pixlab can be repeated: it
// does no I/O, starts no goroutine, reads no wall clock and no global
// generator, and nothing it gives out depends on the order of a map.
//
//	seed ──► streams ──► base plan ──► proposals ──► merge ──► run
//	          by path     charges,      each kind     one       scheduler
//	                      payments,     alone, from   rule a    picks, the
//	                      refunds,      base plan     member    trace proves
//	                      MED cases,
//	                      settings
//	                          └───── Plan ─────┘       │          │
//	                        a file you can edit     Faults     sha256
//
// # The contract
//
// A seed makes a [Plan], and the plan makes the run. [Generate] draws it whole
// before anything runs; written as a file ([Plan.Encode]) and read back
// ([ReadPlan]) it is the same plan and leads to the same run.
//
// Every draw belongs to a path. [Seed.Stream] opens the stream at a path such
// as "payment/17/amount": ChaCha8 keyed with SHA-256 of seed and path, reduced
// to a range by a rule of our own ([Stream.Below]). There are integers only; a
// chance is n in d ([Rate]). Two paths share nothing, so a further payment, a
// further fault kind or a further draw on one path moves no other decision.
//
// A fault has an address, not a number. A [Deviation] strikes one [Target]: an
// attempt of the callback of one payment, the nth call of one route about one
// charge, one edge of one execution of a store command with one subject in its
// batch, a stretch of time at one place, or one payer. What other payments do
// does not move it.
//
// Kinds do not know each other. A [Kind] proposes deviations from its own
// streams ("fault/<kind>/<subject>") and reads the base plan alone. Where two
// meet at one address each member of [Change] has one merge rule
// ([Change.Join]), which does not depend on their order. Whoever carries the
// faults out reads members and never asks which kind set them; the indexes
// kept beside them ([Merged]) serve the count of those that came off ([Tally]).
//
// The order of steps is drawn too. [Scheduler] holds the one clock; each step
// adds its latency to it; of the tasks whose wake has come the one with the
// highest priority goes. A priority is a hash of actor, subject and step, kept
// until the task steps. The plan is perfectly local, the run nearly so: actors
// are shared, so a further payment may make another one wait.
//
// At run time two pure functions of the seed remain, [Seed.Jitter] and
// [Seed.ID], keyed by subject and never by the order of calls.
//
// The proof is the [Trace]: JSON lines under one SHA-256. Two runs that differ
// are compared with [Diff], which finds the first event that does.
//
// # Adding a fault kind
//
// Write fault_<name>.go with one function that returns the [Kind], add a line
// to [Kinds] and a row to docs/faults.md. A member of Change that is new needs
// its merge rule in [Change.Join] and its words in Explain; tests notice when
// one is forgotten. Raise [Generator] and renew the golden hashes.
package chaos
