package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// payment reads a booked Pix.
func (f *fixture) payment(n int) receiver.Payment {
	f.Helper()
	found, err := f.store.FindPayments(f.ctx(), []pix.EndToEndID{e2e(n)})
	p := must(f, found, err)[0]
	if p == nil {
		f.Fatalf("payment %s: not booked", e2e(n))
	}
	return *p
}

// unseen are all payments that no line of the statement vouches for.
func (f *fixture) unseen() []receiver.Payment {
	f.Helper()
	out, err := f.store.UnseenPayments(f.ctx(), receiver.UnseenQuery{BookedBefore: f.now().Add(24 * time.Hour), Limit: 1000})
	return must(f, out, err)
}

// line is the statement's word about Pix n.
func (f *fixture) line(n int, cents pix.Amount) pix.StatementLine {
	return pix.StatementLine{Kind: pix.KindPixIn, EndToEndID: e2e(n), Cents: int64(cents), SettledAt: f.now()}
}

func (f *fixture) match(in ...pix.StatementLine) []receiver.MatchOutcome {
	f.Helper()
	out, err := f.store.MatchStatement(f.ctx(), in)
	return must(f, out, err)
}

// matched wants the line of Pix n over cents to be of that class, and the
// ledger to have that net.
func (f *fixture) matched(n int, cents pix.Amount, class receiver.MatchClass, net pix.Amount) {
	f.Helper()
	equal(f, "match of "+string(e2e(n)), f.match(f.line(n, cents))[0], receiver.MatchOutcome{Class: class, Ledger: net})
}

// cases are all cases, by id.
func (f *fixture) cases() []receiver.Case {
	f.Helper()
	out, err := f.store.ListCases(f.ctx(), receiver.CaseQuery{})
	return must(f, out, err)
}

// caseIs wants a case with that state, money and these reasons.
func (f *fixture) caseIs(id string, state receiver.CaseState, a receiver.Account, cents pix.Amount, reasons ...string) {
	f.Helper()
	for _, c := range f.cases() {
		if c.ID != id {
			continue
		}
		equal(f, id+" state", c.State, state)
		equal(f, id+" account", c.Account, a)
		equal(f, id+" amount", c.Amount, cents)
		if !slices.Equal(c.Reasons, reasons) {
			f.Errorf("%s reasons: got %q, want %q", id, c.Reasons, reasons)
		}
		return
	}
	f.Errorf("case %s: not found", id)
}

// noCase wants no case at all.
func (f *fixture) noCase() {
	f.Helper()
	count(f, "cases", f.cases(), 0)
}

func (f *fixture) leaseOutbox(limit int) []receiver.OutboxEvent {
	f.Helper()
	out, err := f.store.LeaseOutbox(f.ctx(), f.lease(limit))
	return must(f, out, err)
}

func (f *fixture) finish(in ...receiver.OutboxResult) []bool {
	f.Helper()
	out, err := f.store.FinishOutbox(f.ctx(), in)
	return must(f, out, err)
}

// sent sends everything that is due in the outbox and returns it in order.
func (f *fixture) sent() []receiver.OutboxEvent {
	f.Helper()
	var all []receiver.OutboxEvent
	for {
		out := f.leaseOutbox(100)
		if len(out) == 0 {
			return all
		}
		for _, o := range out {
			f.finish(receiver.OutboxResult{ID: o.ID, Version: o.Version, Sent: true})
		}
		all = append(all, out...)
	}
}

// told wants exactly these kinds of outbox event about Pix n, in this order and
// numbered from 1. It sends the outbox empty.
func (f *fixture) told(n int, kinds ...string) {
	f.Helper()
	var got []string
	for _, o := range f.sent() {
		if o.EndToEndID != e2e(n) {
			continue
		}
		got = append(got, o.Kind)
		equal(f, "outbox number", o.Number, len(got))
	}
	if !slices.Equal(got, kinds) {
		f.Errorf("outbox of %s: got %s, want %s", e2e(n), strings.Join(got, ", "), strings.Join(kinds, ", "))
	}
}
