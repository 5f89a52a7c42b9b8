package pix

import (
	"fmt"
	"time"
)

// PayoutStatus is the state of a Pix that the account's owner sends. API Pix
// says nothing of money out: the words are the lab's, made like the standard's.
// A PSP may send newer words; they are kept and taken for unfinished.
type PayoutStatus string

// The states of a payout. The last two are final.
const (
	PayoutProcessing PayoutStatus = "EM_PROCESSAMENTO" // taken, not settled
	PayoutConfirmed  PayoutStatus = "CONFIRMADO"       // settled: the money is out
	PayoutRejected   PayoutStatus = "REJEITADO"        // failed: no money moved
)

// Final reports whether a payout in state s can no longer change. What comes
// back of a confirmed one is told as its returns.
func (s PayoutStatus) Final() bool { return s == PayoutConfirmed || s == PayoutRejected }

// Payout is a Pix that the account's owner sends.
type Payout struct {
	Key         string         // chaveIdempotencia, the Idempotency-Key of its request
	EndToEndID  EndToEndID     // endToEndId, made by the sender's PSP
	Amount      Amount         // valor, more than 0.00
	PixKey      PixKey         // chave of the payee
	Status      PayoutStatus   // status as sent
	RequestedAt time.Time      // horario.solicitacao
	SettledAt   time.Time      // horario.liquidacao, zero until CONFIRMADO
	Reason      string         // motivo, "" if none: why it was rejected
	Returns     []PayoutReturn // devolucoes, in the order in which they came
}

// PayoutReturn is money of a confirmed payout that came back.
type PayoutReturn struct {
	ReturnID  ReturnID  // rtrId
	Amount    Amount    // valor, more than 0.00
	SettledAt time.Time // horario, zero if not told
}

// MarshalJSON writes p. It is an error if an amount is outside what the wire
// can carry.
func (p Payout) MarshalJSON() ([]byte, error) {
	if err := carried("payout "+p.Key, p.Amount); err != nil {
		return nil, err
	}
	w := jsonWriter{b: make([]byte, 0, p.size())}
	w.payout(p)
	return w.b, nil
}

// UnmarshalJSON reads p from JSON; all but motivo, horario and devolucoes are
// required.
func (p *Payout) UnmarshalJSON(raw []byte) error {
	if err := valid(raw); err != nil {
		return fmt.Errorf("read payout: %w", err)
	}
	var f finding
	got := readPayout(&f, member{name: "pagamento", raw: raw})
	if err := f.err(); err != nil {
		return fmt.Errorf("read payout: %w", err)
	}
	*p = got
	return nil
}

func (p Payout) size() int { return 384 + 96*len(p.Returns) }

func (w *jsonWriter) payout(p Payout) {
	w.open("", '{')
	w.text("chaveIdempotencia", p.Key)
	w.text("endToEndId", string(p.EndToEndID))
	w.amount("valor", p.Amount)
	w.text("chave", string(p.PixKey))
	w.text("status", string(p.Status))
	w.open("horario", '{')
	w.optTime("solicitacao", p.RequestedAt)
	w.optTime("liquidacao", p.SettledAt)
	w.closing('}')
	w.optText("motivo", p.Reason)
	if len(p.Returns) > 0 {
		w.open("devolucoes", '[')
		for _, r := range p.Returns {
			w.open("", '{')
			w.text("rtrId", string(r.ReturnID))
			w.amount("valor", r.Amount)
			w.optTime("horario", r.SettledAt)
			w.closing('}')
		}
		w.closing(']')
	}
	w.closing('}')
}

func readPayout(f *finding, at member) (p Payout) {
	m := [...]member{
		{name: "chaveIdempotencia"}, {name: "endToEndId"}, {name: "valor"}, {name: "chave"},
		{name: "status"}, {name: "horario"}, {name: "motivo"}, {name: "devolucoes"},
	}
	if at.absent() {
		f.add(at, errNotObject)
		return p
	}
	f.within(at, m[:], func() {
		p.Key = required(f, m[0], asCode)
		p.EndToEndID = required(f, m[1], asEndToEndID)
		p.Amount = required(f, m[2], asMoney)
		p.PixKey = required(f, m[3], asPixKey)
		p.Status = required(f, m[4], asPayoutStatus)
		h := [...]member{{name: "solicitacao"}, {name: "liquidacao"}}
		f.within(m[5], h[:], func() {
			p.RequestedAt = optional(f, h[0], asTime)
			p.SettledAt = optional(f, h[1], asTime)
		})
		p.Reason = optional(f, m[6], asNote)
		p.Returns = readPayoutReturns(f, m[7])
	})
	return p
}

func asPayoutStatus(m member) (PayoutStatus, error) { return parsed(m, parseCode[PayoutStatus]) }

// readPayoutReturns reads devolucoes: one that cannot be read is a find, never
// a gap.
func readPayoutReturns(f *finding, m member) []PayoutReturn {
	if m.absent() {
		return nil
	}
	if err := listed(m); err != nil {
		f.add(m, err)
		return nil
	}
	var list []PayoutReturn
	elements(m.raw, func(raw []byte, _ int) {
		in := [...]member{{name: "rtrId"}, {name: "valor"}, {name: "horario"}}
		at := member{name: m.name, raw: raw}
		if at.absent() {
			f.add(at, errNotObject)
			return
		}
		f.within(at, in[:], func() {
			list = append(list, PayoutReturn{
				ReturnID: required(f, in[0], asReturnID), Amount: required(f, in[1], asMoney), SettledAt: optional(f, in[2], asTime),
			})
		})
	})
	return list
}

// PayoutRequest is the body of POST /pagamentos/pix.
type PayoutRequest struct {
	Amount      Amount     // valor
	PixKey      PixKey     // chave of the payee
	EndToEndID  EndToEndID // endToEndId, where the PSP hands it out at a look-up
	Description string     // descricao, at most 140 characters
}

// MarshalJSON writes r.
func (r PayoutRequest) MarshalJSON() ([]byte, error) {
	if err := carried("payout", r.Amount); err != nil {
		return nil, err
	}
	var w jsonWriter
	w.open("", '{')
	w.amount("valor", r.Amount)
	w.text("chave", string(r.PixKey))
	w.optText("endToEndId", string(r.EndToEndID))
	w.optText("descricao", r.Description)
	w.closing('}')
	return w.b, nil
}

// ParsePayoutRequest reads the body of a payout's request and validates it. The
// request is good if there are no violations.
func ParsePayoutRequest(body []byte) (PayoutRequest, []Violation) {
	var r PayoutRequest
	var f finding
	m := [...]member{{name: "valor"}, {name: "chave"}, {name: "endToEndId"}, {name: "descricao"}}
	if valid(body) != nil || !readMembers(body, m[:]) {
		f.add(member{name: "pagamento", raw: body}, errNotObject)
		return r, f.list
	}
	f.at = "pagamento."
	r.Amount = required(&f, m[0], asMoney)
	r.PixKey = required(&f, m[1], asPixKey)
	r.EndToEndID = optional(&f, m[2], asEndToEndID)
	r.Description = optional(&f, m[3], asText)
	if len(f.list) > 0 {
		return PayoutRequest{}, f.list
	}
	c := check{at: "pagamento."}
	c.money("valor", r.Amount)
	c.length("descricao", r.Description, 140)
	return r, c.list
}

// PayeeLookup is the answer to the look-up of a payee's key, by a PSP that hands
// out the endToEndId of the payout then.
type PayeeLookup struct {
	PixKey     PixKey     // chave
	EndToEndID EndToEndID // endToEndId, good for one payout to that key
}

// MarshalJSON writes l.
func (l PayeeLookup) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.open("", '{')
	w.text("chave", string(l.PixKey))
	w.text("endToEndId", string(l.EndToEndID))
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads l; both members are required.
func (l *PayeeLookup) UnmarshalJSON(raw []byte) error {
	m := [...]member{{name: "chave"}, {name: "endToEndId"}}
	if valid(raw) != nil || !readMembers(raw, m[:]) {
		return fmt.Errorf("read look-up: %w", errNotObject)
	}
	var f finding
	got := PayeeLookup{PixKey: required(&f, m[0], asPixKey), EndToEndID: required(&f, m[1], asEndToEndID)}
	if err := f.err(); err != nil {
		return fmt.Errorf("read look-up: %w", err)
	}
	*l = got
	return nil
}
