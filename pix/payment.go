package pix

import (
	"fmt"
	"time"
)

// Payment is the Pix object of API Pix 2.9: one settled Pix received by the
// merchant, with the refunds made of it so far. The same Payment is told of
// several times, once when it settles and once for each refund that ends.
type Payment struct {
	EndToEndID EndToEndID // endToEndId
	TxID       TxID       // txid, "" if the payer's code carried none
	Amount     Amount     // valor, more than 0.00
	PixKey     PixKey     // chave that received it, "" if not told
	PaidAt     time.Time  // horario: settlement, UTC, whole milliseconds
	PayerNote  string     // infoPagador, "" if none
	Refunds    []Refund   // devolucoes, in the order sent
}

// MarshalJSON writes p under the names of the standard, members in a fixed
// order and absent ones left out. It is an error if an amount is outside what
// the wire can carry; nothing else is checked.
func (p Payment) MarshalJSON() ([]byte, error) {
	if err := p.carried(); err != nil {
		return nil, err
	}
	w := jsonWriter{b: make([]byte, 0, p.size())}
	w.payment(p)
	return w.b, nil
}

// UnmarshalJSON reads p from JSON by the rules of ParseCallback's items.
func (p *Payment) UnmarshalJSON(raw []byte) error {
	if err := valid(raw); err != nil {
		return fmt.Errorf("read pix: %w", err)
	}
	got, _, err := readPayment(raw)
	if err != nil {
		return fmt.Errorf("read pix: %w", err)
	}
	*p = got
	return nil
}

// Refunded sums the refunds that ended DEVOLVIDO.
func (p Payment) Refunded() Amount {
	var sum Amount
	for _, r := range p.Refunds {
		if r.Status == RefundReturned {
			sum += r.Amount
		}
	}
	return sum
}

func (p Payment) carried() error {
	if err := carried("pix "+string(p.EndToEndID), p.Amount); err != nil {
		return err
	}
	for _, r := range p.Refunds {
		if err := carried("devolução "+string(r.ID), r.Amount); err != nil {
			return err
		}
	}
	return nil
}

// size guesses the length of p in JSON, to allocate once.
func (p Payment) size() int { return 320 + len(p.PayerNote) + 320*len(p.Refunds) }

func (w *jsonWriter) payment(p Payment) {
	w.open("", '{')
	w.text("endToEndId", string(p.EndToEndID))
	w.optText("txid", string(p.TxID))
	w.amount("valor", p.Amount)
	w.optText("chave", string(p.PixKey))
	w.time("horario", p.PaidAt)
	w.optText("infoPagador", p.PayerNote)
	if len(p.Refunds) > 0 {
		w.open("devolucoes", '[')
		for _, r := range p.Refunds {
			w.refund(r)
		}
		w.closing(']')
	}
	w.closing('}')
}

// readPayment reads one Pix object from valid JSON. The id comes back as it
// was sent even where the object is malformed; it is "" where it cannot be
// read as text or stands there twice with different content.
func readPayment(raw []byte) (p Payment, id string, err error) {
	m := [...]member{
		{name: "endToEndId"}, {name: "valor"}, {name: "horario"},
		{name: "txid"}, {name: "chave"}, {name: "infoPagador"}, {name: "devolucoes"},
	}
	if !readMembers(raw, m[:]) {
		return Payment{}, "", errNotObject
	}
	var f finding
	p.EndToEndID = required(&f, m[0], asEndToEndID)
	p.Amount = required(&f, m[1], asMoney)
	p.PaidAt = required(&f, m[2], asTime)
	p.TxID = optional(&f, m[3], asTxID)
	p.PixKey = optional(&f, m[4], asPixKey)
	p.PayerNote = optional(&f, m[5], asNote)
	p.Refunds = readRefunds(&f, m[6])
	if err := f.err(); err != nil {
		id, _ = m[0].text()
		return Payment{}, id, err
	}
	return p, string(p.EndToEndID), nil
}
