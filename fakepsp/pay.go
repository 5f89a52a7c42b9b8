package fakepsp

import (
	"errors"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// ErrExists is the answer to an insert under an id that the truth holds
// already. Nothing changed.
var ErrExists = errors.New("exists already")

// NotPayable is the answer to a payment that a conforming PSP refuses. The
// payment is void: no money moved.
type NotPayable struct{ Reason string }

// Error says why.
func (e *NotPayable) Error() string { return "not payable: " + e.Reason }

// PayOrder is one Pix that a payer sends to the account.
type PayOrder struct {
	// Payment is the plan's ID of it, such as "p17"; it names the subject of
	// faults on its callbacks.
	Payment    string
	EndToEndID pix.EndToEndID
	// TxID is that of a dynamic charge or static code; empty pays to the key.
	TxID pix.TxID
	// Static tells that the txid (1 to 25 characters) is a static code's: there
	// is no charge at the PSP, and any amount is taken.
	Static bool
	// PixKey received it; empty is the charge's key, or the first of the account.
	PixKey    pix.PixKey
	Amount    pix.Amount
	PayerNote string
	// Payer is the payer's CPF or CNPJ, for the filters of GET /v2/pix; optional.
	Payer string
	// Lax lets the charge be paid with another amount, a second time, after its
	// expiry or after its removal.
	Lax bool
	// NotifyAfter is how long after settlement the callback is due.
	NotifyAfter time.Duration
}

// Receipt tells the payer that the money arrived.
type Receipt struct {
	Pix SettledPix
}

// Pay settles a Pix at once, or refuses it.
//
// A Pix to a dynamic charge wants one that exists, is ATIVA, has not expired
// and is of this amount; it becomes CONCLUIDA. Lax forgives all but its
// existence: an ATIVA charge becomes CONCLUIDA whatever was paid, and a removed
// one stays removed. The errors are a *[NotPayable], [ErrExists], or a plain
// error for an order that no payer's institution could send.
func (p *PSP) Pay(order PayOrder) (Receipt, error) {
	p.mu.Lock()
	defer p.unlock()
	instant := p.present()
	now := stamp(instant)
	order, err := p.addressed(order)
	if err != nil {
		return Receipt{}, err
	}
	if c := p.charges.find(order.TxID); c != nil {
		order.TxID = c.now.TxID // the same, in the memory that is kept anyway
	}
	row := settledOf(order, now)
	if err := p.settle(order, row); err != nil {
		if errors.Is(err, ErrExists) {
			return Receipt{}, err
		}
		p.tell(func(o Observer) { o.Void(order, err) })
		p.oweExtras(order, row.Payment, now)
		p.releaseGroup(order.Payment, now)
		return Receipt{}, err
	}
	p.tell(func(o Observer) { o.Settled(row) })
	p.oweCredit(order, row.Payment, now)
	p.oweExtras(order, row.Payment, now)
	p.collect(instant)
	return Receipt{Pix: row}, nil
}

// addressed fills in the order's key and refuses what no payer could send.
func (p *PSP) addressed(order PayOrder) (PayOrder, error) {
	if _, err := pix.ParseEndToEndID(string(order.EndToEndID)); err != nil {
		return order, fmt.Errorf("pay: %w", err)
	}
	if order.TxID != "" {
		if _, err := pix.ParseTxID(string(order.TxID)); err != nil {
			return order, fmt.Errorf("pay: %w", err)
		}
	}
	if order.Static && (order.TxID == "" || len(order.TxID) > staticTxIDMax) {
		return order, fmt.Errorf("pay: static txid %q: want 1 to %d characters", order.TxID, staticTxIDMax)
	}
	if order.Amount <= 0 || !order.Amount.Valid() {
		return order, fmt.Errorf("pay: amount %s: want 0.01 to %s", order.Amount, pix.MaxAmount)
	}
	if order.PixKey == "" {
		order.PixKey = p.keyOf(order)
	}
	if !p.ours(order.PixKey) {
		return order, fmt.Errorf("pay: chave %q is not of this account", order.PixKey)
	}
	return order, nil
}

// staticTxIDMax is the room that a static code has for its txid.
const staticTxIDMax = 25

func (p *PSP) keyOf(order PayOrder) pix.PixKey {
	if c := p.charges.find(order.TxID); c != nil && !order.Static {
		return c.now.PixKey
	}
	return p.cfg.PixKeys[0]
}

func settledOf(order PayOrder, now time.Time) SettledPix {
	return SettledPix{
		Payment: pix.Payment{
			EndToEndID: order.EndToEndID,
			TxID:       order.TxID,
			Amount:     order.Amount,
			PixKey:     order.PixKey,
			PaidAt:     now,
			PayerNote:  order.PayerNote,
		},
		Subject: order.Payment,
		Payer:   order.Payer,
	}
}

// settle makes the row truth. An id that is known goes to Insert whatever the
// charge's state, so that a repeat is ErrExists and not a void payment.
func (p *PSP) settle(order PayOrder, row SettledPix) error {
	_, known := p.truth.Pix(row.EndToEndID)
	if !known {
		if err := p.payable(order, row.PaidAt); err != nil {
			return err
		}
	}
	if err := p.cfg.Insert(p.truth, row, lineOf(row)); err != nil {
		return err
	}
	p.accept(row)
	return nil
}

// accept journals an effect and moves what follows from it.
func (p *PSP) accept(row SettledPix) {
	p.journal = append(p.journal, effect{
		endToEndID: row.EndToEndID, txid: row.TxID, cents: row.Amount, at: row.PaidAt,
	})
	p.balance += row.Amount
	p.version++
	if c := p.charges.find(row.TxID); c != nil {
		c.paid = append(c.paid, row.EndToEndID)
		if c.now.Status == pix.ChargeActive {
			c.now.Status = pix.ChargeCompleted
		}
	}
}

// payable is nil, or why a conforming PSP refuses the order.
func (p *PSP) payable(order PayOrder, now time.Time) error {
	if order.TxID == "" || order.Static {
		return nil
	}
	c := p.charges.find(order.TxID)
	switch {
	case c == nil:
		return &NotPayable{Reason: "no such charge"}
	case order.PixKey != c.now.PixKey:
		return &NotPayable{Reason: "charge is of another key"}
	case order.Lax:
		return nil
	case c.now.Status != pix.ChargeActive:
		return &NotPayable{Reason: "charge is " + string(c.now.Status)}
	case now.After(c.now.expiresAt()):
		return &NotPayable{Reason: "charge expired at " + pix.FormatTime(c.now.expiresAt())}
	case order.Amount != c.now.Amount:
		return &NotPayable{Reason: fmt.Sprintf("charge wants %s, not %s", c.now.Amount, order.Amount)}
	}
	return nil
}
