package pix

import (
	"encoding/json"
	"fmt"
	"time"
)

// RefundStatus is the state of a devolução. A PSP may send words newer than
// this list; they are kept as they are and taken for unfinished.
type RefundStatus string

// The states of a devolução in API Pix 2.9. Only the last two are final, and
// only they are told of by a callback.
const (
	RefundProcessing RefundStatus = "EM_PROCESSAMENTO" // asked for, not settled
	RefundReturned   RefundStatus = "DEVOLVIDO"        // settled: the money is back
	RefundFailed     RefundStatus = "NAO_REALIZADO"    // failed: no money moved
)

// Final reports whether a devolução in state s can no longer change.
func (s RefundStatus) Final() bool { return s == RefundReturned || s == RefundFailed }

// Natures of a devolução in API Pix 2.9. A merchant can ask for the first two;
// the MED ones (special refund mechanism) are made by the PSP.
const (
	NatureOriginal       = "ORIGINAL"           // asked for by the merchant
	NatureWithdrawal     = "RETIRADA"           // of a Pix Saque, or the change of a Pix Troco
	NatureMEDOperational = "MED_OPERACIONAL"    // operational failure at the payer's PSP
	NatureMEDFraud       = "MED_FRAUDE"         // founded suspicion of fraud
	NatureMEDAutomatic   = "MED_PIX_AUTOMATICO" // of a Pix Automático
)

// Refund is the Devolucao object: money of one Pix on its way back, or back.
type Refund struct {
	ID          RefundID     // id, unique within its Pix alone
	ReturnID    ReturnID     // rtrId
	Amount      Amount       // valor, more than 0.00
	Nature      string       // natureza as sent, "" if not told
	Status      RefundStatus // status as sent
	RequestedAt time.Time    // horario.solicitacao, zero if not told
	SettledAt   time.Time    // horario.liquidacao, zero until DEVOLVIDO
	Description string       // descricao, "" if none
	Reason      string       // motivo, "" if none: why it failed
}

// MarshalJSON writes r under the names of the standard. It is an error if the
// amount is outside what the wire can carry.
func (r Refund) MarshalJSON() ([]byte, error) {
	if err := carried("devolução "+string(r.ID), r.Amount); err != nil {
		return nil, err
	}
	w := jsonWriter{b: make([]byte, 0, 320)}
	w.refund(r)
	return w.b, nil
}

// UnmarshalJSON reads r from JSON. id, rtrId, valor (more than 0.00) and
// status are required, as in the standard; horario may be missing.
func (r *Refund) UnmarshalJSON(raw []byte) error {
	if err := valid(raw); err != nil {
		return fmt.Errorf("read devolução: %w", err)
	}
	var f finding
	got := readRefund(&f, member{name: "devolucao", raw: raw})
	if err := f.err(); err != nil {
		return fmt.Errorf("read devolução: %w", err)
	}
	*r = got
	return nil
}

func (w *jsonWriter) refund(r Refund) {
	w.open("", '{')
	w.text("id", string(r.ID))
	w.text("rtrId", string(r.ReturnID))
	w.amount("valor", r.Amount)
	w.optText("natureza", r.Nature)
	w.optText("descricao", r.Description)
	w.open("horario", '{')
	w.optTime("solicitacao", r.RequestedAt)
	w.optTime("liquidacao", r.SettledAt)
	w.closing('}')
	w.text("status", string(r.Status))
	w.optText("motivo", r.Reason)
	w.closing('}')
}

// readRefunds reads devolucoes: absent, null, an array, or the single object
// some PSPs send. One refund that cannot be read is a find, never a gap.
func readRefunds(f *finding, m member) []Refund {
	if m.absent() {
		return nil
	}
	if m.clash {
		f.add(m, errClash)
		return nil
	}
	if c := m.raw[0]; c != '[' && c != '{' {
		f.add(m, errNotList)
		return nil
	}
	var list []Refund
	elements(m.raw, func(raw []byte, _ int) {
		list = append(list, readRefund(f, member{name: m.name, raw: raw}))
	})
	return list
}

func readRefund(f *finding, at member) (r Refund) {
	m := [...]member{
		{name: "id"}, {name: "rtrId"}, {name: "valor"}, {name: "status"},
		{name: "natureza"}, {name: "descricao"}, {name: "motivo"}, {name: "horario"},
	}
	if at.absent() {
		f.add(at, errNotObject)
		return r
	}
	f.within(at, m[:], func() {
		r.ID = required(f, m[0], asRefundID)
		r.ReturnID = required(f, m[1], asReturnID)
		r.Amount = required(f, m[2], asMoney)
		r.Status = required(f, m[3], asRefundStatus)
		r.Nature = optional(f, m[4], asNature)
		r.Description = optional(f, m[5], asNote)
		r.Reason = optional(f, m[6], asNote)
		h := [...]member{{name: "solicitacao"}, {name: "liquidacao"}}
		f.within(m[7], h[:], func() {
			r.RequestedAt = optional(f, h[0], asTime)
			r.SettledAt = optional(f, h[1], asTime)
		})
	})
	return r
}

// asNature reads a natureza; an empty one is one not told.
func asNature(m member) (string, error) {
	if string(m.raw) == `""` && !m.clash {
		return "", nil
	}
	return asCode(m)
}

// RefundRequest is DevolucaoSolicitada, the body of
// PUT /v2/pix/{e2eid}/devolucao/{id}.
type RefundRequest struct {
	Amount      Amount // valor
	Nature      string // natureza, "" means NatureOriginal
	Description string // descricao, at most 140 characters
}

// MarshalJSON writes r under the names of the standard.
func (r RefundRequest) MarshalJSON() ([]byte, error) {
	if err := carried("devolução", r.Amount); err != nil {
		return nil, err
	}
	var w jsonWriter
	w.open("", '{')
	w.amount("valor", r.Amount)
	w.optText("natureza", r.Nature)
	w.optText("descricao", r.Description)
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads r from JSON. It fails only for what r cannot hold;
// Validate says the rest.
func (r *RefundRequest) UnmarshalJSON(raw []byte) error {
	got, found := readRefundRequest(raw)
	if err := (&finding{list: found}).err(); err != nil {
		return fmt.Errorf("read devolução request: %w", err)
	}
	*r = got
	return nil
}

// ParseRefundRequest reads the body of a refund request and validates it. The
// request is good if there are no violations.
func ParseRefundRequest(body []byte) (RefundRequest, []Violation) {
	r, found := readRefundRequest(body)
	if len(found) > 0 {
		return RefundRequest{}, found
	}
	return r, r.Validate()
}

// Validate lists what is wrong with r by itself, under properties
// "devolucao.…". The sum with earlier refunds, a repeated id and the window
// of 90 days need the PSP's state and are not looked at here.
func (r RefundRequest) Validate() []Violation {
	c := check{at: "devolucao."}
	c.money("valor", r.Amount)
	if r.Nature != "" && r.Nature != NatureOriginal && r.Nature != NatureWithdrawal {
		c.add("natureza", r.Nature, "want ORIGINAL or RETIRADA")
	}
	c.length("descricao", r.Description, 140)
	return c.list
}

func readRefundRequest(body []byte) (RefundRequest, []Violation) {
	var r RefundRequest
	f := finding{}
	m := [...]member{{name: "valor"}, {name: "natureza"}, {name: "descricao"}}
	root := member{name: "devolucao", raw: body}
	if !json.Valid(body) || !readMembers(body, m[:]) {
		f.add(root, errNotObject)
		return r, f.list
	}
	f.at = "devolucao."
	r.Amount = required(&f, m[0], asAmount)
	r.Nature = optional(&f, m[1], asText)
	r.Description = optional(&f, m[2], asText)
	return r, f.list
}
