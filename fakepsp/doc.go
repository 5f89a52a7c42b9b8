// Package fakepsp is a Pix PSP that keeps one merchant's account and
// misbehaves on purpose, as a plan tells it.
//
// It is a state machine without I/O: it never sleeps, dials, draws or reads a
// clock of its own. Whoever drives it does four things.
//
//	reply := psp.Handle(request)      a call of its API: /v2 and GET /extrato
//	receipt, err := psp.Pay(order)    a payer sends a Pix
//	attempt := psp.Take()             a callback that is due now …
//	psp.Done(attempt, answer)         … and what came of it
//
// The same code runs in a virtual world, one actor at a time, and behind a
// socket ([PSP.ServeHTTP]); its lock is held inside a method only.
//
// # Truth
//
// What settled is kept once and never merged: an endToEndId, or the identity
// of a statement line, that exists is refused with [ErrExists]. One balance,
// never below zero. A journal of accepted effects is kept apart from it, and
// [PSP.Check] compares the two.
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
// # A callback's life
//
// A settled Pix with a txid owes the notice "credit"; a fault may add copies
// of it, and notices that no Pix stands behind.
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
//     body bent ([chaos.ShapeTruncated] and its kin), grouped.
//   - A call of the API by {route, subject, nth}, nth counted in order of
//     arrival, or by a window of time: an error before the effect, an error or a
//     cut after it, slow, down, 429 with Retry-After; a charge or Pix hidden
//     from GETs by id for a while; a lag on GET /v2/pix and GET /extrato; rows
//     that move between two pages. A status before the effect wins over
//     everything after it; a cut wins over a status.
//   - The registration of the callback URL, forgotten at a window's start. The
//     receiver has to register it again.
//
// A deviation counts as fired only if what went out differed from what a
// conforming PSP would have sent then: its bytes, its timing or its being sent
// at all. Held back to be overtaken, it fires only if it was overtaken.
// Deviations that meet at one address fire together.
//
// [PSP.Heal] ends all faults. Not simulated yet: devolução, MED, OAuth2, Pix
// out; valor.modalidadeAlteracao, valor.retirada and loc are refused.
package fakepsp
