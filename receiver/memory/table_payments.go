package memory

import (
	"cmp"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// pixState is everything the tables know about one Pix.
type pixState struct {
	payment  *receiver.Payment // nil until booked
	net      pix.Amount        // of its credit, on the settlement account
	inFlight int               // RECEIVED events about its credit
	refunds  *pixRefunds       // nil while nothing is known of any
	lines    outboxLines
	// payoutsInFlight are RECEIVED events about the payout of that endToEndId.
	payoutsInFlight int
}

// paymentTable holds the Pix that were booked, and what else is kept per Pix.
type paymentTable struct {
	byID         map[pix.EndToEndID]*pixState
	unseen       unseenList[pix.EndToEndID]
	unidentified map[pix.TxID][]*receiver.Payment // with a txid, in no order
	unspendable  pix.Amount                       // what those not confirmed hold
	log          journal[receiver.Payment]
}

func newPaymentTable() paymentTable {
	return paymentTable{
		byID:         map[pix.EndToEndID]*pixState{},
		unseen:       unseenList[pix.EndToEndID]{compare: cmp.Compare[pix.EndToEndID]},
		unidentified: map[pix.TxID][]*receiver.Payment{},
	}
}

func (t *paymentTable) find(id pix.EndToEndID) *receiver.Payment {
	if p := t.byID[id]; p != nil {
		return p.payment
	}
	return nil
}

// of is the state of a Pix, made when it is first asked for.
func (t *paymentTable) of(id pix.EndToEndID) *pixState {
	p := t.byID[id]
	if p == nil {
		p = &pixState{}
		t.byID[id] = p
	}
	return p
}

// putPayment stores after, which the store owns from now on.
func (tx *Tx) putPayment(before, after *receiver.Payment) {
	tx.s.swapPayment(before, after)
	tx.s.payments.log.add(before, after)
}

// swapPayment puts after in the place of before; see swapEvent.
func (s *Store) swapPayment(before, after *receiver.Payment) {
	t := &s.payments
	if before != nil {
		t.of(before.EndToEndID).payment = after
	} else {
		t.of(after.EndToEndID).payment = after
	}
	t.unspendable += unspendable(after) - unspendable(before)
	follow(&t.unseen, unseenPayment, before, after)
	if was := unplaced(before); was != "" {
		list := t.unidentified[was]
		if i := slices.Index(list, before); i >= 0 {
			t.unidentified[was] = slices.Delete(list, i, i+1)
		}
	}
	if is := unplaced(after); is != "" {
		t.unidentified[is] = append(t.unidentified[is], after)
	}
}

func unspendable(p *receiver.Payment) pix.Amount {
	if p == nil {
		return 0
	}
	return p.Unspendable()
}

// unplaced is the txid whose charge a booked payment still waits for.
func unplaced(p *receiver.Payment) pix.TxID {
	if p == nil || p.Disposition != receiver.DispositionUnidentified {
		return ""
	}
	return p.TxID
}
