// Package proptest holds the property tests that need more than one package:
// pgregory.net/rapid draws, the whole receiver answers, and what fails is
// shrunk to something a person can read. There is nothing in it to import.
//
//	deliveries    a plan is drawn, member by member, and run in a world
//	state machine a receiver is driven by hand, step by step, without a world
//	locality      of two plans that differ in one wish, the rest is the same bytes
//	amounts       cents and bytes, from the callback's text to the ledger
//	races         two processes on one PostgreSQL, held up where they meet
//	determinism   the same plan, run again, alone or beside others, is the same run
//
// # Draws
//
// Each property is checked 1,000 times, a fifth of it under -short. The
// environment variable PIXLAB_CHECKS asks for another number, the flag
// -rapid.checks for another one still:
//
//	PIXLAB_CHECKS=50000 go test -timeout 0 ./proptest/
//
// # On PostgreSQL
//
// With the flag -pg the receivers keep everything on a PostgreSQL of the test
// binary's own, one command at a time. Nothing else changes, the clock included;
// ten checks are usual then, and PIXLAB_PG_CHECKS asks for another number:
//
//	PIXLAB_PG_CHECKS=300 go test -timeout 0 ./proptest/ -pg
//
// Without the flag whole plans are run on both stores and compared, event by
// event.
//
// # What a failure leaves behind
//
// A drawn plan that fails is shrunk as a plan, so what remains is a plan too:
// it is written to a file, and the test's last line is the command that runs
// it. The file lies in the test's artifact directory under go test -artifacts,
// else in a temporary directory that is not removed. Everything else is
// repeated by the seed that rapid prints; -rapid.nofailfile=false has rapid
// keep its own files too.
//
// # Each of them can fail
//
// A property that holds proves little until something breaks it. The tests
// named …CanFail run the same properties on receivers that are wrong in one
// known way, and want to see them caught.
package proptest
