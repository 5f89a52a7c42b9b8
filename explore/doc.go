// Package explore searches seeds for failures: which seeds a search visits, how
// each is looked at, and what the search came to.
//
//	shard.go     a range of seeds, and one machine's part of it
//	search.go    one seed: a run, for some seeds a second one or a related one
//	relation.go  related plans, and what has to be equal
//	summary.go   all seeds together: failures in groups, marks, ranges
//	junit.go, markdown.go   the summary for CI
//
// # Three looks at a seed
//
// Every seed is drawn and run once. One in fifty runs twice, event by event: a
// difference is a fault of determinism. One in ten also runs in relation to
// another plan, where there is no second opinion to compare with but what must
// stay the same: the deliveries in another order, or one outage more, and the
// same credits and the same statement; or everything healed from some event on,
// and every invariant holds for what is true by then.
//
// Which seeds these are hangs on the seed alone, so shards of one search agree.
// The package starts no goroutine and reads no clock; its caller hands in how
// to drive a run and decides when it is enough.
package explore
