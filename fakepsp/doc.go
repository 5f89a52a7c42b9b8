// Package fakepsp is a Pix PSP that keeps one merchant's account and
// misbehaves on purpose, as a plan tells it.
//
// It is a state machine without I/O: it never sleeps, dials, draws or reads a
// clock of its own. Whoever drives it does four things.
//
//	reply := psp.Handle(request)      a call of its API: /v2, /extrato, /oauth/token
//	receipt, err := psp.Pay(order)    a payer sends a Pix
//	attempt := psp.Take()             a callback that is due now …
//	psp.Done(attempt, answer)         … and what came of it
//
// Two more things happen past the API: [PSP.AskRefund] is a refund made in the
// bank's own app, [PSP.Report] opens a MED case. [PSP.Due] is when Take is next
// wanted; any call may have moved it.
//
// The same code runs in a virtual world, one actor at a time, and behind a
// socket ([PSP.ServeHTTP]); its lock is held inside a method only.
//
// # Truth
//
// What settled is kept once and never merged: an endToEndId, an rtrId, a
// refund's id within its Pix, or the identity of a statement line, that exists
// is refused with [ErrExists]. One balance, never below zero. A journal of
// accepted effects is kept apart from it, and [PSP.Check] compares the two.
//
// What takes time inside the PSP (a refund settles, a case is decided) happens
// at its own instant, however late somebody looks: whoever enters next first
// carries out what was due, in order.
//
// # Charges
//
//	PUT, POST                        Pix of the right amount, in time
//	 /v2/cob ───────▶ ATIVA ────────────────────────────────▶ CONCLUIDA
//	                 │  │ ▲                                   (takes no
//	   PATCH status  │  │ │ PUT, PATCH                         second Pix)
//	                 ▼  └─┘ revisao + 1
//	              REMOVIDA_PELO_USUARIO_RECEBEDOR
//
// An expired charge stays ATIVA and is not payable. A lax order may be paid
// all the same: another amount and an expired charge make it CONCLUIDA, a
// second Pix joins the first, a removed charge stays removed and has the Pix.
// A Pix to a static code (txid of 1 to 25) has no charge here; one to the bare
// key has no txid and no callback.
//
// # Refunds
//
//	                  ┌──▶ DEVOLVIDO       the money leaves the balance, and the
//	PUT ──▶ EM_PROCESSAMENTO               statement has its line
//	                  └──▶ NAO_REALIZADO   motivo says why
//
// A refund is begun if, with those returned, in process and owed by accepted
// cases, it fits into its Pix; if the Pix settled at most 90 times 24 hours
// ago; and if that much of the balance is free. Its money is reserved from then
// on. It fails if its terms say so, if a case has blocked the money meanwhile,
// or if a case that is accepted takes its place.
//
// # MED cases
//
//	Report ──▶ reported ──▶ accepted ──▶ settled, or lapsed after 90 days
//	               ├──────▶ rejected
//	               └──────▶ cancelled
//
// The report blocks what is there: at most its amount, the Pix less what went
// back and what other cases claim of it, and the balance less other blocks. A
// block goes before reservations. Rejected or cancelled, the block ends, and
// the API shows nothing. Accepted, pending refunds of the Pix that no longer fit
// end NAO_REALIZADO, those asked for last first; then the case returns what its
// block and the free balance allow, and the rest in further parts, whenever
// money comes in or comes free. Each part is a refund under an id of the PSP's
// own; it settles at once.
//
// # A callback's life
//
// A settled Pix with a txid owes the notice "credit", and one more for each
// final state of a refund of it: the same Pix, with all its refunds as they
// stood at that instant, named by [chaos.RefundNotice] or
// [chaos.DisputeNotice]. A fault may add copies of each, and notices of what
// never happened: money ("forged", "phantom") or a refund ("false_refund").
//
//	owed ──due──▶ Take ──▶ on its way ──Done──▶ 2xx: acknowledged
//	  ▲             │                     │
//	  │             ├─ no URL for the key: lost
//	  │             └─ dropped by a fault: taken for delivered
//	  └──── next pause of the retry table ┤ no 2xx (a redirect is none)
//	                                      └─ table exhausted: given up
//
// The body is POSTed to {webhookUrl}/pix; each attempt is signed anew at its
// own instant, unless it repeats the bytes of an earlier one. What nobody with
// the PSP's key made (repeated bytes, a copy or an extra notice without a good
// signature) is sent once and not retried. A retry of an extra notice says
// what the notice said; a retry of a credit is clean unless it is addressed.
// A group belongs to its lowest payment: the others' items ride in its body,
// if they have settled when it leaves; who settles later goes alone, and all
// go alone if it is void.
//
// # Faults
//
// A fault is addressed, never rolled for, and the code that applies it reads
// fields of [chaos.Change] and does not know which fault set them.
//
//   - A callback by {subject, notice, copy, attempt}: delayed, dropped, its
//     answer lost, signature missing or bad, amount, endToEndId or txid untrue,
//     body bent ([chaos.ShapeTruncated] and its kin), a refund told of that never
//     was; a credit also grouped.
//   - A call of the API by {route, subject, nth}, nth counted in order of
//     arrival, or by a window of time: an error before the effect, an error or a
//     cut after it, slow, down, 429 with Retry-After; a charge, Pix or refund
//     hidden from GETs by id for a while; a lag on GET /v2/pix and GET /extrato; rows
//     that move between two pages. A status before the effect wins over
//     everything after it; a cut wins over a status.
//   - The registration of the callback URL, forgotten at a window's start, and
//     the access tokens, revoked at one's. The receiver has to ask again.
//
// A deviation counts as fired only if what went out differed from what a
// conforming PSP would have sent then: its bytes, its timing or its being sent
// at all. Held back to be overtaken, it fires only if it was overtaken.
// Deviations that meet at one address fire together.
//
// # Tokens
//
// Where [Config].Clients names any, each route but the token's own wants a
// bearer token of its scope: 401 without one that is good, 403 without the
// scope. Tokens come from POST /oauth/token (client credentials, RFC 6749).
//
// [PSP.Heal] ends all faults. Not simulated yet: Pix out;
// valor.modalidadeAlteracao, valor.retirada and loc are refused.
package fakepsp
