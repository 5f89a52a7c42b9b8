package chaos

import (
	"cmp"
	"slices"
)

// group works out who rides in whose body. A rider that is itself asked to
// carry others hands them on to its own leader, so that every group has one
// body. Leaders are lower than their riders, so the walk ends.
func (f *Faults) group() {
	var subjects []string
	for subject := range f.callbacks {
		subjects = append(subjects, subject)
	}
	slices.SortFunc(subjects, compareIDs)
	for _, subject := range subjects {
		k := f.groupOf(subject)
		if k < 0 {
			continue
		}
		leader, nested := f.leaders[subject]
		if !nested {
			leader = subject
		}
		f.lead(leader, f.callbacks[subject][k].Merged)
	}
}

// groupOf is the position of the subject's grouped credit, or −1.
func (f *Faults) groupOf(subject string) int {
	want := CallbackAddress{Subject: subject, Notice: NoticeCredit, Attempt: 1}
	return slices.IndexFunc(f.callbacks[subject], func(c callbackFault) bool {
		return c.at == want && len(c.Change.With) > 0
	})
}

// lead makes the leader carry the riders that m names.
func (f *Faults) lead(leader string, m Merged) {
	for _, rider := range m.Change.With {
		if _, taken := f.leaders[rider]; !taken && compareIDs(leader, rider) < 0 {
			f.leaders[rider] = leader
		}
	}
	list := f.callbacks[leader]
	own := &list[f.groupOf(leader)]
	own.Change.With = union(own.Change.With, m.Change.With, compareIDs)
	own.From = union(own.From, m.From, cmp.Compare[int])
}

// Grouped is the payment in whose body the subject's credit rides, if it rides
// in another's: then the subject has no callback of its own, unless it has not
// settled when the leader's leaves.
func (f *Faults) Grouped(subject string) (leader string, ok bool) {
	if f.Healed() {
		return "", false
	}
	leader, ok = f.leaders[subject]
	return leader, ok
}
