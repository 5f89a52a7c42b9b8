// Package live runs the fake PSP as a process: sockets, the wall clock, and
// callbacks that leave when they are due.
//
//	receiver ──▶ API port ──▶┐                  ┌──▶ courier ──▶ {webhookUrl}/pix
//	                         ├─ one PSP, one ───┤    Take, POST, Done
//	driver ────▶ lab port ──▶┘  lock, one clock └──▶ timetable
//	 (Client)    bearer token                        Pay, AskRefund, Report
//
// All that happens to the PSP goes through one lock, and each entry happens at
// one instant, which never goes back. Nothing waits while it holds the lock: a
// body is read before, an answer is held back and written after.
//
// # The API port
//
// What [fakepsp.PSP.Handle] answers, with bounds on time and size: plain, over
// TLS, or over TLS with client certificates, HTTP/1.1 in each case, so that an
// answer that is cut closes its connection.
//
// # The courier
//
// It carries at most [Options.Senders] callbacks at a time, each for as long as
// its attempt says. Redirects are not followed and no proxy is used. An attempt
// whose answer is to get lost is delivered, and its answer thrown away.
//
// # The lab port
//
// Whoever holds the token makes payments, refunds and MED cases, applies a
// plan, ends all faults, and reads the truth. [Client] speaks it.
//
//	POST /lab/charges                  ChargeOrders: charges made past the receiver
//	POST /lab/payments                 one PayOrder, or a list of them
//	POST /lab/refunds                  a RefundOrder: the bank's own app
//	POST /lab/disputes                 a DisputeOrder: a MED report
//	POST /lab/plan[?charges=make]      a plan, as pixlab plan writes it
//	GET  /lab/plan                     what became of it: a PlanState
//	POST /lab/heal                     all faults end: Faults
//	GET  /lab/truth                    what settled: a Truth
//	GET  /lab/statement                its lines, whatever the lag
//	GET  /lab/check                    whether the PSP agrees with itself: a Verdict
//	GET  /lab/deliveries               counts of callbacks: Deliveries
//	GET  /lab/deliveries/acknowledged  what was answered 2xx: an Ack a line
//	GET  /lab/faults                   planned and fired, by kind: Faults
//	GET  /healthz                      without a token
//
// A refusal is problem+json: 400 for what nobody could have meant, 401, 404,
// 409 for what is there already, 413, 422 for what a conforming PSP refuses.
// Nothing has changed then.
//
// # A plan in real time
//
// A plan is applied once in the life of a process, and its zero is that moment.
// [CheckPlan] refuses one that is longer than [MaxPlan]; nothing is scaled. The
// PSP carries out what payers and the bank do: payments, refunds made in its
// app, MED reports, charges made elsewhere. The charges and refunds of the
// merchant are the receiver's driver's to ask for, unless the lab is told to
// make the charges itself. A plan's settings are not taken over: retry table,
// time-out and lag are the process's own ([Options]), since a plan's are made
// for a day of virtual time. Faults at places outside the PSP do not strike
// here and never count as fired; memos of blocks are not sent.
//
// Faults are a matter of the PSP's birth. So a plan that has some is taken only
// while no money has moved: the PSP is then born once more, with the faults,
// and takes the same calls of its API again, each at its old instant. It is a
// state machine without chance, so it comes to the same charges, webhooks and
// tokens, and nobody outside can tell.
package live
