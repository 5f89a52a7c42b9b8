// Package memory is the receiver's Store in memory: for the lab's model runs,
// for tests, and for anyone who wants to see the commands without the SQL.
// Nothing outlives the process.
//
// # One mechanism
//
// Every command, the store's own and those given to [Store.Exec], is one
// transaction on a [Tx]:
//
//	begin ── read and put rows ──┬── commit ── Observe(change set)
//	  │            │             │
//	  │            └─ journal    └── anything else: the journal is undone
//	  └─ one mutex, held to the end
//
// Rows are immutable. A put stores another row and journals the pair (before,
// after); undoing walks the journal back, to the start or to a savepoint, so
// that one item of a batch can be refused and its neighbours stand. The same
// journal, with the changes of one row folded together, is the change set.
//
// # Indexes
//
// Work that is due lies in heaps ordered as the command takes it: events by
// (due, id), charges by (due, consumer, reference), the merchant's open refunds
// by (due, requested, consumer, reference), and of each payment's outbox line
// the one event that may go next, by (due, id). So NextDue is a look at a heap's
// top. Further indexes: event by key, quarantined events by id and by the txid
// they wait for, charge by txid, unidentified payments by txid, payments without
// a line of the statement by (booked, id) and returned refunds without one by
// (finished, rtrId), keys with an answer by (since when, key), refund by reference, and per Pix its refunds, the events
// about them that wait, and the net on the settlement account of the credit and
// of each refund. What Pix hold that are not confirmed is a running sum. No
// command scans a table that grows, apart from lists that ask for it.
//
// # Order
//
// The same commands on the same clock give the same rows, ids and change sets:
// there is no goroutine, no clock but Config.Now, and no answer that depends on
// the order of a map.
package memory
