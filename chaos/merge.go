package chaos

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// Merged is what goes wrong at one address, all deviations that meet there
// taken together. From are their indexes in Plan.Faults, for [Tally.Fire];
// it is empty where nothing goes wrong.
type Merged struct {
	Change Change
	From   []int
}

// Any says whether anything goes wrong.
func (m Merged) Any() bool { return len(m.From) > 0 }

// First says whether one of the deviations has not struck before, and notes in
// struck that all of them have: for what strikes once a window, whichever of the
// windows that overlap is named first.
func (m Merged) First(struck map[int]bool) bool {
	first := false
	for _, i := range m.From {
		first = first || !struck[i]
		struck[i] = true
	}
	return first
}

// and adds one deviation.
func (m Merged) and(c Change, index int) Merged {
	if len(m.From) == 0 {
		c = Change{}.Join(c) // sorts the lists
	} else {
		c = m.Change.Join(c)
	}
	return Merged{Change: c, From: append(slices.Clone(m.From), index)}
}

// Faults are a plan's deviations, ready to be looked up by address. Lookups and
// Heal are safe for concurrent use. A caller must not change a Merged's lists.
type Faults struct {
	healed    atomic.Bool
	callbacks map[string][]callbackFault
	api       map[string][]apiFault
	commands  map[string]map[string][]commandFault
	payments  map[string]Merged
	requests  map[string]Merged
	windows   map[string][]MergedWindow
	edges     []Instant
	leaders   map[string]string
	behind    map[string]bool // payments whose callback another one must not overtake
}

type callbackFault struct {
	at CallbackAddress
	Merged
}

type apiFault struct {
	at APIAddress
	Merged
}

type commandFault struct {
	at CommandAddress
	Merged
}

// Merge brings the plan's deviations together by address.
func (p *Plan) Merge() *Faults {
	f := &Faults{
		callbacks: map[string][]callbackFault{}, api: map[string][]apiFault{},
		commands: map[string]map[string][]commandFault{}, payments: map[string]Merged{},
		requests: map[string]Merged{},
		leaders:  map[string]string{},
	}
	for i, d := range p.Faults {
		if d.Set.Behind != "" {
			if f.behind == nil {
				f.behind = map[string]bool{}
			}
			f.behind[d.Set.Behind] = true
		}
		switch t := d.Target; {
		case t.Callback != nil:
			f.addCallback(*t.Callback, d.Set, i)
		case t.API != nil:
			f.addAPI(*t.API, d.Set, i)
		case t.Command != nil:
			f.addCommand(*t.Command, d.Set, i)
		case t.Payment != "":
			f.payments[t.Payment] = f.payments[t.Payment].and(d.Set, i)
		case t.Request != "":
			f.requests[t.Request] = f.requests[t.Request].and(d.Set, i)
		}
	}
	f.group()
	f.windows, f.edges = mergeWindows(p.Faults)
	return f
}

func (f *Faults) addCallback(at CallbackAddress, c Change, i int) {
	list := f.callbacks[at.Subject]
	for k := range list {
		if list[k].at == at {
			list[k].Merged = list[k].and(c, i)
			return
		}
	}
	f.callbacks[at.Subject] = append(list, callbackFault{at, Merged{}.and(c, i)})
}

func (f *Faults) addAPI(at APIAddress, c Change, i int) {
	list := f.api[at.Subject]
	for k := range list {
		if list[k].at == at {
			list[k].Merged = list[k].and(c, i)
			return
		}
	}
	f.api[at.Subject] = append(list, apiFault{at, Merged{}.and(c, i)})
}

func (f *Faults) addCommand(at CommandAddress, c Change, i int) {
	subjects := f.commands[at.Command]
	if subjects == nil {
		subjects = map[string][]commandFault{}
		f.commands[at.Command] = subjects
	}
	list := subjects[at.Subject]
	for k := range list {
		if list[k].at == at {
			list[k].Merged = list[k].and(c, i)
			return
		}
	}
	subjects[at.Subject] = append(list, commandFault{at, Merged{}.and(c, i)})
}

// Heal makes every lookup from now on come back empty. What a fault has done
// already is done: a dropped callback stays dropped.
func (f *Faults) Heal() { f.healed.Store(true) }

// Healed says whether Heal was called.
func (f *Faults) Healed() bool { return f.healed.Load() }

// Callback is what goes wrong with one attempt of one callback.
func (f *Faults) Callback(a CallbackAddress) Merged {
	if f.Healed() {
		return Merged{}
	}
	for _, c := range f.callbacks[a.Subject] {
		if c.at == a {
			return c.Merged
		}
	}
	return Merged{}
}

// Copies are the further copies of a notice, ascending and without copy 0;
// [Faults.Callback] of a copy's attempt 1 says when it is sent.
func (f *Faults) Copies(subject, notice string) []int {
	if f.Healed() {
		return nil
	}
	var out []int
	for _, c := range f.callbacks[subject] {
		if c.at.Notice == notice && c.at.Copy > 0 && c.Change.CopyAfterMS > 0 {
			out = append(out, c.at.Copy)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Notices are a payment's extra notices, the ones that no payment stands
// behind, in alphabetical order; [Faults.Callback] of copy 0, attempt 1 says
// when (AtMS) each is sent.
func (f *Faults) Notices(subject string) []string {
	if f.Healed() {
		return nil
	}
	var out []string
	for _, c := range f.callbacks[subject] {
		if extraNotice(c.at.Notice) {
			out = append(out, c.at.Notice)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// API is what goes wrong with one call of the PSP's API.
func (f *Faults) API(a APIAddress) Merged {
	if f.Healed() {
		return Merged{}
	}
	for _, c := range f.api[a.Subject] {
		if c.at == a {
			return c.Merged
		}
	}
	return Merged{}
}

// APISubject says whether any call about a subject is struck: only then does it
// matter how many there were.
func (f *Faults) APISubject(subject string) bool { return len(f.api[subject]) > 0 }

// Awaited says whether a payment's callback is one that another waits behind.
func (f *Faults) Awaited(payment string) bool { return f.behind[payment] }

// HasCommandFaults says whether any store command is struck at all.
func (f *Faults) HasCommandFaults() bool { return len(f.commands) > 0 && !f.Healed() }

// CommandSubject says whether a store command has any subject that is struck:
// the cheap question to ask before walking a batch.
func (f *Faults) CommandSubject(command string) bool {
	return f.HasCommandFaults() && f.commands[command] != nil
}

// Command is what goes wrong at one edge of a store command whose batch holds
// the subject: the deviations addressed to this instance's execution number
// here, and those addressed to execution number everywhere of all instances.
func (f *Faults) Command(instance, command, subject, edge string, here, everywhere int) Merged {
	if !f.HasCommandFaults() {
		return Merged{}
	}
	var out Merged
	for _, c := range f.commands[command][subject] {
		a := c.at
		own := a.Instance == instance && a.Nth == here
		shared := a.Instance == AnyInstance && a.Nth == everywhere
		switch {
		case a.Edge != edge || !own && !shared:
		case out.Any():
			out = Merged{Change: out.Change.Join(c.Change), From: union(out.From, c.From, cmp.Compare[int])}
		default:
			out = c.Merged
		}
	}
	return out
}

// Payment is what the payer does otherwise than planned.
func (f *Faults) Payment(id string) Merged {
	if f.Healed() {
		return Merged{}
	}
	return f.payments[id]
}

// Request is what the merchant does otherwise than planned when it asks for a
// charge or a refund.
func (f *Faults) Request(subject string) Merged {
	if f.Healed() {
		return Merged{}
	}
	return f.requests[subject]
}
