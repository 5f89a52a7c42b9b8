package storetest

import (
	"slices"

	"github.com/pixlab/pixlab/receiver"
)

func listOutcomes() []outcome {
	return []outcome{
		{"events are listed by id, filtered, page by page", eventPages},
		{"cases are listed by id, filtered, page by page", casePages},
		{"an empty store lists nothing", emptyLists},
	}
}

// eventIDs are the ids that a query lists.
func (f *fixture) eventIDs(q receiver.EventQuery) []int64 {
	f.Helper()
	out, err := f.store.ListEvents(f.ctx(), q)
	var ids []int64
	for _, e := range must(f, out, err) {
		ids = append(ids, e.ID)
	}
	return ids
}

func eventPages(f *fixture) {
	f.charged(1, 1000)
	waiting := f.aside(f.credit(4, 4, 1000), receiver.QuarantineWaiting)
	done := f.credited(f.credit(1, 1, 1000))
	bad := f.aside(f.credit(3, 3, 1000), receiver.QuarantineBad)
	open := f.appended(f.item(f.credit(2, 2, 1000)), receiver.AppendNew).EventID
	for _, c := range []struct {
		q    receiver.EventQuery
		want []int64
	}{
		{receiver.EventQuery{}, []int64{waiting, done, bad, open}},
		{receiver.EventQuery{Limit: 2}, []int64{waiting, done}},
		{receiver.EventQuery{AfterID: done, Limit: 9}, []int64{bad, open}},
		{receiver.EventQuery{State: receiver.EventQuarantined}, []int64{waiting, bad}},
		{receiver.EventQuery{State: receiver.EventQuarantined, Limit: 1}, []int64{waiting}},
		{receiver.EventQuery{State: receiver.EventQuarantined, AfterID: waiting}, []int64{bad}},
		{receiver.EventQuery{State: receiver.EventQuarantined, Quarantine: receiver.QuarantineBad}, []int64{bad}},
		{receiver.EventQuery{Quarantine: receiver.QuarantineWaiting}, []int64{waiting}},
		{receiver.EventQuery{State: receiver.EventReceived}, []int64{open}},
		{receiver.EventQuery{State: receiver.EventReceived, AfterID: open}, nil},
		{receiver.EventQuery{State: receiver.EventProcessed}, []int64{done}},
		{receiver.EventQuery{ID: done}, []int64{done}},
		{receiver.EventQuery{ID: done, State: receiver.EventReceived}, nil},
		{receiver.EventQuery{ID: done, AfterID: done}, nil},
		{receiver.EventQuery{ID: open + 1000}, nil},
	} {
		if got := f.eventIDs(c.q); !slices.Equal(got, c.want) {
			f.Errorf("%+v: got %d, want %d", c.q, got, c.want)
		}
	}
}

func casePages(f *fixture) {
	for _, n := range []int{3, 1, 2} {
		f.booked(f.credit(n, 0, 100))
	}
	second := receiver.UnidentifiedCase(e2e(2))
	f.closed(second, receiver.AccountToReturn, true)
	for _, c := range []struct {
		q    receiver.CaseQuery
		want []int
	}{
		{receiver.CaseQuery{}, []int{1, 2, 3}},
		{receiver.CaseQuery{Limit: 2}, []int{1, 2}},
		{receiver.CaseQuery{AfterID: second}, []int{3}},
		{receiver.CaseQuery{State: receiver.CaseOpen}, []int{1, 3}},
		{receiver.CaseQuery{State: receiver.CaseClosed}, []int{2}},
	} {
		out, err := f.store.ListCases(f.ctx(), c.q)
		count(f, "cases", must(f, out, err), len(c.want))
		for i, n := range c.want {
			equal(f, "case", out[i].ID, receiver.UnidentifiedCase(e2e(n)))
		}
	}
}

func emptyLists(f *fixture) {
	count(f, "events", f.eventIDs(receiver.EventQuery{}), 0)
	f.noCase()
	count(f, "unseen", f.unseen(), 0)
	count(f, "claimed", f.claim(9), 0)
	count(f, "outbox", f.leaseOutbox(9), 0)
}
