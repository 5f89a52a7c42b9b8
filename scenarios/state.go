package scenarios

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// State is what inbox, ledger and truth hold at one moment of a run.
type State struct {
	// Event is the number of the trace's last event, AtMS its instant in
	// milliseconds from the plan's start.
	Event    int64
	AtMS     int64
	Inbox    []receiver.Event
	Pix      []PixState
	Refunds  []receiver.Refund
	Accounts []AccountState
	Cases    []receiver.Case
	// Unsent is how many events the outbox still has for the merchant.
	Unsent int
}

// PixState is one Pix, as the receiver and the PSP have it.
type PixState struct {
	EndToEndID pix.EndToEndID
	// Payment is the plan's subject, empty for a Pix that no payment of the plan
	// stands behind.
	Payment string
	// Settled says that it is true, with True as its amount.
	Settled bool
	True    pix.Amount
	// Credits are what the ledger was credited with, Net what it has on balance,
	// Statement what the statement has.
	Credits        []pix.Amount
	Net, Statement pix.Amount
	// Booked is how it met its charge, nil while it is not booked.
	Booked *receiver.Payment
}

// AccountState is one account's balance, debits positive.
type AccountState struct {
	Account receiver.Account
	Cents   pix.Amount
}

// state copies what the view holds, in the order of its keys.
func (w *World) state() *State {
	v := w.view
	s := &State{Event: w.trace.Count(), AtMS: w.sched.Now().Duration().Milliseconds()}
	for e := range v.Events.all() {
		s.Inbox = append(s.Inbox, *e)
	}
	s.Pix = w.pixStates()
	for _, id := range sorted(v.Pix) {
		for _, r := range v.Pix[id].Refunds {
			s.Refunds = append(s.Refunds, *r)
		}
	}
	for _, a := range sorted(v.Balance) {
		s.Accounts = append(s.Accounts, AccountState{a, v.Balance[a]})
	}
	for _, id := range sorted(v.Cases) {
		s.Cases = append(s.Cases, *v.Cases[id])
	}
	for _, o := range v.Outbox.all() {
		if !o.sent && !o.dead {
			s.Unsent++
		}
	}
	return s
}

func (w *World) pixStates() []PixState {
	v := w.view
	all := map[pix.EndToEndID]*PixState{}
	at := func(id pix.EndToEndID) *PixState {
		p := all[id]
		if p == nil {
			p = &PixState{EndToEndID: id, Payment: w.subjects[string(id)]}
			all[id] = p
		}
		return p
	}
	for _, id := range sorted(v.Pix) {
		known, p := v.Pix[id], at(id)
		p.Settled, p.True = known.Truth.Settled, known.Truth.Amount
		p.Credits, p.Net = known.Money.Credits, known.Money.Net
		if known.Payment != nil {
			copied := *known.Payment
			p.Booked = &copied
		}
	}
	for _, l := range w.statement() {
		at(l.EndToEndID).Statement += pix.Amount(l.Signed())
	}
	var out []PixState
	for _, id := range sorted(all) {
		out = append(out, *all[id])
	}
	return out
}
