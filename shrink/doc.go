// Package shrink makes a failing plan small: it takes away what the failure does
// not need, and keeps each step only if the same invariant still breaks.
//
//	tail        what the plan does after the violation goes
//	payments    fewer, with all that hangs on them
//	refunds, MED cases, faults      fewer, by halves and then one by one
//	settings    one process, one worker, no lag, large pages
//	numbers     delays to 0 or 1, or half
//	amounts     R$ 10,00, R$ 1,00, 1 cent
//	schedule    fewer switches from one actor to another
//
// It works on the plan alone, so what remains is a plan like any other: it can
// be run, edited and committed. Nothing in it depends on time or chance; how
// long to go on is the caller's to say.
package shrink
