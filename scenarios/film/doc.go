// Package film turns a run into what a page can show: who sent what when, what
// became of it, what the bank's statement and the ledger held at every instant,
// and which money in the ledger is wrong.
//
// A film is made after the run, from its trace, from the change sets of its
// commits and from the account statement. So it knows the future: a Pix that is
// settled and not booked yet is "on its way" for as long as the run books it
// later, and wrong from the moment of its last chance if it never does. At every
// instant
//
//	gap = ledger + on its way − statement
//
// and the gap is the sum of the wrong lines, each of which counts under one
// invariant: I1, I3, I4 or I2, in that order.
//
// Times are microseconds from the plan's start, money is whole cents.
package film
