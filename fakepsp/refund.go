package fakepsp

import (
	"fmt"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// RefundWindow is how long after its settlement a Pix can be returned: an
// instant, not a count of days. A refund asked for at that very moment is in
// time.
const RefundWindow = 90 * 24 * time.Hour

// What Config.RefundRepeat can say of a refund's id that is used again with
// the same body.
const (
	RefundRepeatSame     = "same" // 201 and the refund as it stands, same rtrId
	RefundRepeatRefused  = "400"  // PixDevolucaoInvalida: the id is in use
	RefundRepeatConflict = "409"  // a conflict, and so is the id with another body
)

// RefundTerms are what the plan wants of a refund and nobody tells the PSP on
// the wire.
type RefundTerms struct {
	// Subject is the plan's ID of the refund ("r3"), Payment that of its Pix
	// ("p3"; empty is the Subject of the settled Pix). They name its faults.
	Subject, Payment string
	// SettleAfter is how long it stays EM_PROCESSAMENTO; zero ends it in the
	// answer itself.
	SettleAfter time.Duration
	// NotifyAfter is how long after its final state the callback is due.
	NotifyAfter time.Duration
	// Fails ends it NAO_REALIZADO.
	Fails bool
}

// RefundRow is one devolução as it stands: the wire's object, and what it
// belongs to.
type RefundRow struct {
	pix.Refund
	EndToEndID pix.EndToEndID
	// Subject is the plan's ID of the refund ("r3") or of the MED case ("m1");
	// Payment that of the Pix ("p3"). Both may be empty.
	Subject, Payment string
	// Part counts the returns of a MED case from 1; zero is no such return.
	Part int
}

// RefundOrder is a refund made in the bank's own app, past the API.
type RefundOrder struct {
	EndToEndID  pix.EndToEndID
	ID          pix.RefundID // chosen by the bank
	Amount      pix.Amount
	Description string
	Terms       RefundTerms
}

// NotRefundable is the answer to a refund that a conforming PSP refuses: no
// money moved and none is held.
type NotRefundable struct{ Violations []pix.Violation }

// Error names every rule that was broken.
func (e *NotRefundable) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.Property + ": " + v.Reason
	}
	return "not refundable: " + strings.Join(parts, "; ")
}

// AskRefund takes a refund that was made in the bank's own app. It obeys the
// rules of PUT /v2/pix/{e2eid}/devolucao/{id}. The errors are a
// *[NotRefundable], [ErrExists] for an id that the Pix has a refund of, or a
// plain error for an order that no bank could make. The row is the refund as it
// stands then: EM_PROCESSAMENTO, or final if it settles at once.
func (p *PSP) AskRefund(order RefundOrder) (RefundRow, error) {
	p.mu.Lock()
	defer p.unlock()
	now := p.present()
	row, ok := p.truth.Pix(order.EndToEndID)
	if !ok {
		return RefundRow{}, fmt.Errorf("ask refund: no Pix %q", order.EndToEndID)
	}
	if _, err := pix.ParseRefundID(string(order.ID)); err != nil {
		return RefundRow{}, fmt.Errorf("ask refund: %w", err)
	}
	r := pix.RefundRequest{Amount: order.Amount, Description: order.Description}
	if found := r.Validate(); len(found) > 0 {
		return RefundRow{}, &NotRefundable{Violations: found}
	}
	if _, known := p.truth.Refund(order.EndToEndID, order.ID); known {
		return RefundRow{}, fmt.Errorf("ask refund %s of pix %s: %w", order.ID, order.EndToEndID, ErrExists)
	}
	return p.takeRefund(row, order.ID, r, order.Terms, now)
}

// takeRefund begins a well-formed refund under a fresh id, or says why not.
func (p *PSP) takeRefund(of SettledPix, id pix.RefundID, r pix.RefundRequest, terms RefundTerms, now time.Time) (RefundRow, error) {
	if found := p.refusals(of, r, now); len(found) > 0 {
		return RefundRow{}, &NotRefundable{Violations: found}
	}
	if terms.Payment == "" {
		terms.Payment = of.Subject
	}
	row := RefundRow{
		Refund: pix.Refund{
			ID: id, Amount: r.Amount, Nature: pix.NatureOriginal, Description: r.Description,
		},
		EndToEndID: of.EndToEndID, Subject: terms.Subject, Payment: terms.Payment,
	}
	if err := p.begin(row, terms.NotifyAfter, now); err != nil {
		return RefundRow{}, err
	}
	key := refundKey{of.EndToEndID, id}
	if terms.SettleAfter > 0 {
		p.agenda.add(now.Add(terms.SettleAfter), func(at time.Time) { p.settleRefund(key, terms.Fails, at) })
	} else {
		p.settleRefund(key, terms.Fails, now)
	}
	row, _ = p.truth.Refund(of.EndToEndID, id)
	return row, nil
}

// refusals lists what a conforming PSP has against the refund. A repeated id is
// not looked at here.
func (p *PSP) refusals(of SettledPix, r pix.RefundRequest, now time.Time) []pix.Violation {
	var found []pix.Violation
	against := func(property, value, reason string) {
		found = append(found, pix.Violation{Reason: reason, Property: property, Value: value})
	}
	if r.Nature == pix.NatureWithdrawal {
		against("devolucao.natureza", r.Nature, "the Pix has no withdrawal and no change")
	}
	if now.After(of.PaidAt.Add(RefundWindow)) {
		against("pix.horario", pix.FormatTime(of.PaidAt), "more than 90 days ago")
	}
	s := p.truth.share(of.EndToEndID)
	left := of.Amount - s.returned - s.pending - p.cases.owed(of.EndToEndID)
	switch {
	case r.Amount > left:
		against("devolucao.valor", r.Amount.String(), "with the refunds there are, over the Pix: "+max(left, 0).String()+" is left")
	case r.Amount > p.free():
		against("devolucao.valor", r.Amount.String(), "not enough free balance: "+max(p.free(), 0).String()+" is there")
	}
	return found
}
