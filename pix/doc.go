// Package pix is the wire of API Pix 2.9, the Central Bank of Brazil's
// standard between a merchant and its payment service provider (PSP): its
// objects, their JSON, the callback, the errors and the BR Code, and the two
// things the lab adds, a signed callback and an account statement.
//
// Names are English in Go and the standard's Portuguese in JSON, which appears
// nowhere else in the program.
//
//	Charge (cob)                            txid
//	   ATIVA ──── paid ───────────────────▶ CONCLUIDA
//	     │ └───── removed by the merchant ▶ REMOVIDA_PELO_USUARIO_RECEBEDOR
//	     └─────── removed by the PSP ─────▶ REMOVIDA_PELO_PSP
//	   Expired is no state: criacao + expiracao < now while still ATIVA.
//	      │ 0..n
//	      ▼
//	Payment (pix)                           endToEndId, txid?
//	   Settled from the start; it never changes, it only gains refunds.
//	      │ 0..n
//	      ▼
//	Refund (devolução)                      endToEndId + id, rtrId
//	   EM_PROCESSAMENTO ──▶ DEVOLVIDO       money is back with the payer
//	                    └─▶ NAO_REALIZADO   no money moved
//
// A callback is {"pix":[Payment…]}, sent when a Payment with a txid settles
// and sent again, with devolucoes, when one of its Refunds becomes final.
// ParseCallback reads it, one bad item never costing another.
//
// Three habits run through the package.
//
// Money is Amount, whole cents. On the wire it is a string of one exact form,
// and nothing near it is an amount.
//
// Ids are bytes. They are never trimmed, cut or case-folded, and what is not
// exactly an id is an error rather than a near miss.
//
// Standards grow. Members and words that a later 2.x may add are skipped or
// kept as they are; only what is needed to know whose money it is, and how
// much, is demanded.
//
// JSON is read by a small reader of our own, after encoding/json has said that
// the text is valid: it matches member names exactly, tells when a name occurs
// twice with different content and refuses broken UTF-8 where bytes matter.
// Methods named UnmarshalJSON may be called directly; they check validity
// themselves.
//
// The package keeps no state, reads no clock and draws nothing at random.
package pix
