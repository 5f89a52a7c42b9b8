package chaos

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// compareDeviations orders faults by kind, then by address, then by what they
// set. Addresses go callback, API, command, window, payment.
func compareDeviations(a, b *Deviation) int {
	if c := cmp.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}
	if c := compareTargets(a.Target, b.Target); c != 0 {
		return c
	}
	return bytes.Compare(setText(a), setText(b))
}

// sortDeviations puts faults in their order. It moves pointers first and each
// of the large values once.
func sortDeviations(faults []Deviation) []Deviation {
	order := make([]*Deviation, len(faults))
	for i := range faults {
		order[i] = &faults[i]
	}
	slices.SortStableFunc(order, compareDeviations)
	out := make([]Deviation, len(faults))
	for i, d := range order {
		out[i] = *d
	}
	return out
}

// setText is only asked for where one kind strikes one address twice.
func setText(d *Deviation) []byte {
	text, err := json.Marshal(d.Set)
	if err != nil {
		panic("encode change: " + err.Error()) // holds numbers, strings and flags alone
	}
	return text
}

func compareTargets(a, b Target) int {
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 {
		return c
	}
	switch {
	case a.Callback != nil:
		x, y := a.Callback, b.Callback
		return cmp.Or(compareIDs(x.Subject, y.Subject), cmp.Compare(x.Notice, y.Notice),
			cmp.Compare(x.Copy, y.Copy), cmp.Compare(x.Attempt, y.Attempt))
	case a.API != nil:
		x, y := a.API, b.API
		return cmp.Or(compareIDs(x.Subject, y.Subject), cmp.Compare(x.Route, y.Route), cmp.Compare(x.Nth, y.Nth))
	case a.Command != nil:
		x, y := a.Command, b.Command
		return cmp.Or(compareIDs(x.Subject, y.Subject), cmp.Compare(x.Command, y.Command),
			cmp.Compare(x.Nth, y.Nth), cmp.Compare(x.Edge, y.Edge), cmp.Compare(x.Instance, y.Instance))
	case a.Window != nil:
		x, y := a.Window, b.Window
		return cmp.Or(cmp.Compare(x.FromMS, y.FromMS), cmp.Compare(x.ToMS, y.ToMS), cmp.Compare(x.Place, y.Place))
	}
	return cmp.Or(compareIDs(a.Payment, b.Payment), compareIDs(a.Request, b.Request))
}

// rank is the place of the target's class in the order.
func (t Target) rank() int {
	switch {
	case t.Callback != nil:
		return 0
	case t.API != nil:
		return 1
	case t.Command != nil:
		return 2
	case t.Window != nil:
		return 3
	case t.Payment != "":
		return 4
	}
	return 5
}
