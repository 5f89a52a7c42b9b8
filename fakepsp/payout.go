package fakepsp

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Who makes the endToEndId of a payout known, and when; see Config.PayoutIDs.
const (
	PayoutIDsAssigned = "assigned" // the PSP makes it with the payout and tells it in the answer
	PayoutIDsLookup   = "lookup"   // the PSP hands it out when the payee's key is looked up
)

// PayoutTerms are what the plan wants of a payout and nobody tells the PSP on
// the wire.
type PayoutTerms struct {
	// Subject is the plan's ID of the payout ("o3"). It names its faults.
	Subject string
	// SettleAfter is how long it stays EM_PROCESSAMENTO; zero ends it in the
	// answer itself.
	SettleAfter time.Duration
	// Rejects ends it REJEITADO.
	Rejects bool
	// NotifyAfter is how long after its end, and after each return, the callback
	// is due.
	NotifyAfter time.Duration
	// Returns are what the payee's bank sends back of a confirmed one.
	Returns []ReturnTerms
}

// ReturnTerms are one return of a payout: so much, that long after it settled.
// What would exceed the payout does not come.
type ReturnTerms struct {
	After  time.Duration
	Amount pix.Amount
}

// PayoutRow is one payout as it stands: the wire's object, and what it belongs to.
type PayoutRow struct {
	pix.Payout
	Subject string // the plan's ID of the payout ("o3"), may be empty
}

// Returned is what came back of it.
func (r PayoutRow) Returned() (sum pix.Amount) {
	for _, x := range r.Returns {
		sum += x.Amount
	}
	return sum
}

// payoutBook is what the PSP knows of payouts and the truth does not hold.
type payoutBook struct {
	// reserved is the money of those in process: still in the balance, no longer
	// free.
	reserved pix.Amount
	// keys are the Idempotency-Keys by which a payout may still be repeated; one
	// that is over is as good as unknown.
	keys map[string]payoutKey
	// handedOut are the endToEndIds given out at look-ups and not used yet, with
	// the payee's key.
	handedOut map[pix.EndToEndID]pix.PixKey
	lookups   int
	state     map[pix.EndToEndID]*payoutState
}

// payoutKey is what stands behind an Idempotency-Key.
type payoutKey struct {
	id      pix.EndToEndID
	request pix.PayoutRequest
	since   time.Time
}

type payoutState struct {
	terms  PayoutTerms
	hiding *hiding // nil where no fault hides it
}

// known is what stands behind a key that is not over.
func (p *PSP) knownKey(key string, now time.Time) (payoutKey, bool) {
	k, ok := p.payouts.keys[key]
	return k, ok && now.Sub(k.since) < p.cfg.PayoutKeyTTL
}

// takePayout begins a well-formed payout under a fresh key, or says why not.
func (p *PSP) takePayout(key string, r pix.PayoutRequest, terms PayoutTerms, now time.Time) (PayoutRow, *NotPayable, error) {
	if r.Amount > p.free() {
		return PayoutRow{}, &NotPayable{Reason: "not enough free balance: " + max(p.free(), 0).String() + " is there"}, nil
	}
	id, refused, err := p.payoutID(key, r, now)
	if refused != nil || err != nil {
		return PayoutRow{}, refused, err
	}
	row := PayoutRow{Subject: terms.Subject, Payout: pix.Payout{
		Key: key, EndToEndID: id, Amount: r.Amount, PixKey: r.PixKey, Status: pix.PayoutProcessing, RequestedAt: stamp(now),
	}}
	if err := p.beginPayout(row, terms, r, now); err != nil {
		return PayoutRow{}, nil, err
	}
	if terms.SettleAfter > 0 {
		p.agenda.add(now.Add(terms.SettleAfter), func(at time.Time) { p.settlePayout(id, at) })
	} else {
		p.settlePayout(id, now)
	}
	row, _ = p.truth.Payout(id)
	return row, nil, nil
}

// payoutID is the endToEndId of a payout: made now, or handed out before.
func (p *PSP) payoutID(key string, r pix.PayoutRequest, now time.Time) (pix.EndToEndID, *NotPayable, error) {
	if p.cfg.PayoutIDs == PayoutIDsLookup {
		if to, given := p.payouts.handedOut[r.EndToEndID]; !given || to != r.PixKey {
			return "", &NotPayable{Reason: "the endToEndId is none that was handed out for this payee, or it is used"}, nil
		}
		delete(p.payouts.handedOut, r.EndToEndID)
		return r.EndToEndID, nil, nil
	}
	if r.EndToEndID != "" {
		return "", &NotPayable{Reason: "the endToEndId is made here, not by whoever asks"}, nil
	}
	id, err := p.newEndToEndID(key+"/"+pix.FormatTime(now), now)
	return id, nil, err
}

func (p *PSP) newEndToEndID(key string, now time.Time) (pix.EndToEndID, error) {
	id, err := pix.NewEndToEndID(p.cfg.ISPB, now, p.cfg.NewID("endToEndId", key, 11))
	if err != nil {
		return "", fmt.Errorf("make an endToEndId: %w", err)
	}
	return id, nil
}
