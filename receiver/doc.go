// Package receiver is the reference receiver of Pix payments: what a merchant
// runs behind its PSP so that every Pix is credited exactly once, refunds never
// exceed what was paid, and at the end of the day the ledger is the statement.
// It knows nothing of the lab around it and can be copied into production.
//
// One way in. A callback, a sweep of GET /pix and a repair all put the same
// items into one inbox, whose unique key decides what is new:
//
//	callback ──┐                       ┌─> ledger, charge, outbox: one transaction
//	sweep ─────┼─> inbox ──> worker ───┤
//	repair ────┘   UNIQUE    claims    ├─> GET /pix/{e2e} first, then the same
//	               (source,  by lease  ├─> later, with backoff
//	                key)               └─> quarantine, in full view
//
// An event is RECEIVED until it ends PROCESSED or QUARANTINED. A quarantined
// event that only waits (for its credit, for the PSP to know it) wakes by
// itself when what it waits for comes; a bad one is an operator's.
//
// What matches a payable charge to the cent is booked on the callback's word
// and stays unconfirmed until the PSP's own API or the statement vouches for it;
// everything else is asked about first. Unconfirmed money is never spent.
//
// One way out. The intention is stored, with its own id, before the PSP is
// called; no call runs inside a store command. A time-out says nothing: the PSP
// is asked before anything is repeated, and only the same id is repeated.
//
//	charge:  intended ──> active ──> removed        refund:  reserved ──> processing ──> returned
//	             └──────> failed                                 └───────────┴─────────> failed
//
// [Rules] decide what a Pix means and are pure; a [Store] reads rows under its
// locks, asks them, and writes what they say, all in one command. [Step] is
// background work, one turn at a time, so that a test or a simulated world can
// take the turns itself.
package receiver
