// Package live runs one plan on real processes: a PSP, the receiver's instances
// on a PostgreSQL, sockets and the machine's clock. The plan decides what is
// paid and what goes wrong; when exactly, the machine.
//
//	                    ┌───────────── the run, this process ─────────────┐
//	PSP ── callbacks ──▶ balancer ──▶ receiver 1 ─┐                        │
//	 ▲                  │             receiver 2 ─┼──▶ PostgreSQL          │
//	 │                  │ merchant ──▶ balancer    │      ▲ kill, restart,  │
//	 │                  │ endpoint ◀── events ─────┤      │ cut             │
//	 └── lab port ───── │ run ◀── may I? ──────────┘ ─────┘                 │
//	                    └───────────────────────────────────────────────────┘
//
// # A run
//
// [Run] starts all of it, applies the plan at the PSP, and from that instant on
// does what the plan has the merchant do. Faults of the PSP are the PSP's own
// matter. Those of the receiver are asked for: before and after each store
// command that the plan strikes a receiver asks the run (a [Question]) and does
// as it is told (an [Order]): it kills itself with SIGKILL, forgets that a commit
// went well, or stands still. Where the store is down the database server is
// killed (immediate mode) and started again when the window ends.
//
// After the plan's last action everything heals, the run waits until nothing is
// due, all duties have found nothing twice, and no row moves. Then every settled
// Pix is delivered once more, and [scenarios.Judge] has the last word.
//
// # Nothing stays behind
//
// A child ends when its standard input does, so none outlives the run, however
// that ends; the database's server and folder go the way of package pgcluster.
package live
