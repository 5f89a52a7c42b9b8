// Package postgres is the receiver's Store on PostgreSQL.
//
// # A command
//
// Each command is one transaction and a fixed number of round trips, whatever
// the size of its batch:
//
//	BEGIN, lock and read rows ─▶ decide, item by item ─▶ write all, COMMIT
//	     one pipeline                 in Go, no SQL          one pipeline
//
// What is decided is the business of receiver.Rules and of the rows themselves,
// in package receiver. The rows read and those put wait in [tx], which can take
// back what one item put. They are written set by set, one statement for each
// table. Commands that decide nothing (leases, duties, lists) are one statement.
//
// AppendInbox, on which the PSP waits, is one INSERT. Only items whose key is
// known go on: those that tell nothing new are answered from a plain read, the
// rest under locks. So are repeats of a request for a charge that is under way.
//
// # Refusals
//
// A batch is written on the supposition that nothing is refused. Where the
// database refuses it (a CHECK, a trigger of the ledger, a reference used
// twice), the command begins again carefully: each item behind a savepoint,
// written at once, so that only those refused fail. A row that another
// transaction made in between (a unique key) is no refusal: the command begins
// again and finds it. So does a deadlock or a serialization failure.
//
// # Lock order
//
// Transactions are READ COMMITTED. Every command takes its locks in this order,
// and leaves out what it does not need:
//
//  0. idempotency_key, by (consumer, route, key)
//  1. inbox_event: new rows, by (source, key)
//  2. inbox_event: rows that are there, by id
//  3. advisory locks of txids that have no charge, by number
//  4. charge, by (consumer, reference)
//  5. payment, by id: the lock of everything about a Pix
//  6. refund, suspense_case, memo, by their numbers and ids; then payout, by key,
//     and the cases about payouts
//  7. outbox_event, by id
//  8. account_balance: row 0 by who spends, else one row, last before COMMIT
//
// Leases (ClaimEvents, LeaseCharges, LeaseRefunds, LeasePayouts, LeaseOutbox) skip what is
// locked and never wait. The advisory locks stand for rows that are not there:
// money for a txid without a charge, and the charge that is being made, must
// see each other, whichever comes first. They are the only locks that live in
// the server's shared memory, one for each txid of a batch that has no charge:
// PostgreSQL's default settings hold some seven thousand of them.
//
// # What the database enforces
//
// Unique are the inbox's (source, key), a consumer's key on a route, the ledger's
// reference, a charge's reference and txid, a payment, a refund's intention and
// rtrId, a payout's intention and key. A transaction balances, is written whole and
// never changed or deleted; see 0003_ledger.sql. A key that led to an intention
// stays, and keeps its body.
// Nobody sets aside more of a Pix for refunds than is left of it
// (payment_refund_cap). States are checked.
//
// # What the account has
//
// ReserveRefunds and ReservePayouts must know what is free without summing the ledger. The sums
// are kept in account_balance: whoever books adds to one of its rows, chosen by
// the Pix, so that credits do not queue for a single row. Spenders hold row 0
// while they add up all rows. Money that others book meanwhile is not seen yet;
// what they take away without asking (a refund made by the PSP, a block) is
// taken as having come after.
//
// What is booked and not confirmed covers no refund. It is not kept: spenders sum
// it up with the same statement, and so from the same snapshot, as the rows of
// account_balance, over the index of those few. The payments are read without
// locks: one that is confirmed meanwhile counts from the next spender on, and none
// is ever unconfirmed again.
//
// # Time
//
// No statement asks the machine for the time or for chance. [Store.Now] alone
// reads the database's clock; everything else is told. AppendInbox and
// MatchStatement are not, so they ask Now first.
//
// # Errors
//
// receiver.ErrUnavailable: nothing was done. receiver.ErrCommitUnknown: the
// connection was lost while the command may have committed. Both may be
// repeated, since every command is keyed. Any other error is the caller's
// context, or a fault that a repetition does not mend.
package postgres
