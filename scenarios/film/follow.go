package film

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pixlab/pixlab/chaos"
)

// follow takes one event of the trace for what it says of callbacks.
func (c *camera) follow(e traceEvent) {
	if do, ok := strings.CutPrefix(e.Kind, "operator."); ok {
		c.film.Acts = append(c.film.Acts, Act{T: e.T, Do: do, Key: e.IDs["key"], Done: e.Detail == "done"})
		return
	}
	switch e.Kind {
	case "pix.settled":
		c.speakOf(e.IDs["e2e"], e.IDs["txid"], 0)
	case "payout.asked":
		c.asked(e)
	case "callback.sent":
		c.leave(e, OnTime)
	case "callback.dropped", "callback.no_webhook":
		c.leave(e, Lost)
	case "refused":
		c.unanswered(e)
	case "http.arrive":
		if cb := c.flying(e.Actor); cb != nil {
			cb.Arrive, cb.Instance = e.T, instanceOf(e.Actor)
		}
	case "AppendInbox":
		c.appended(e)
	case "http.answer":
		if cb := c.flying(e.Actor); cb != nil {
			c.answer(cb, e)
		}
	}
}

// answer notes how a handler ended.
func (c *camera) answer(cb *Callback, e traceEvent) {
	cb.Answered = e.T
	c.gathered(cb, e)
	status, err := strconv.Atoi(e.Detail)
	if err != nil { // cut: the instance died
		if cb.Stored == 0 {
			cb.Fate = NoAnswer
		}
		return
	}
	cb.Status = status
}

// appended notes a commit of the inbox: one handler's own, or that of a batch
// which an instance gathered from several handlers.
func (c *camera) appended(e traceEvent) {
	switch cb := c.flying(e.Actor); {
	case !stores(e.Detail):
	case cb != nil:
		cb.Stored, cb.Result = e.T, e.Detail
	default:
		c.batch[instanceOf(e.Actor)] = e
	}
}

// gathered finds, when a handler ends, the batch that its callback was in: a
// handler that answers 2xx waited for the last one, and one that was cut is
// taken to have been in it if the batch left a trace of its Pix.
func (c *camera) gathered(cb *Callback, end traceEvent) {
	e, ok := c.batch[cb.Instance]
	if cb.Stored != 0 || !ok || e.T < cb.Arrive {
		return
	}
	left := slices.ContainsFunc(c.film.Inbox, func(s InboxStep) bool {
		return s.EndToEndID == cb.EndToEndID && s.T >= cb.Arrive && s.T <= e.T
	})
	if !left && !strings.HasPrefix(end.Detail, "2") {
		return
	}
	switch {
	case !strings.Contains(e.Detail, ","):
		cb.Result = e.Detail
	case left:
		cb.Result = "new"
	default:
		cb.Result = "known"
	}
	cb.Stored = e.T
}

// stores says whether an outcome of AppendInbox is one, and not an error.
func stores(detail string) bool {
	first, _, _ := strings.Cut(detail, ",")
	return slices.Contains([]string{"new", "known", "enriched", "variant", "revived"}, first)
}

// flying is the callback whose handler an actor is, nil for any other actor.
func (c *camera) flying(actor string) *Callback {
	_, id, ok := strings.Cut(actor, "/http/cb/")
	if !ok {
		return nil
	}
	i, ok := c.open[id]
	if !ok {
		return nil
	}
	return &c.film.Callbacks[i]
}

// leave begins a callback.
func (c *camera) leave(e traceEvent, fate Fate) {
	id := strings.TrimPrefix(e.Detail, "cb/")
	at := addressOf(id)
	change := c.faults.Callback(at).Change
	cb := Callback{ID: id, Fate: fate, Leave: e.T, Arrive: e.T}
	cb.EndToEndID, cb.Cents = c.speech(at, change)
	if at.Notice == chaos.NoticePayout {
		cb.EndToEndID, cb.Cents = c.payoutTold(at, id)
	}
	if fate == OnTime {
		cb.Fate = fateOf(at, change)
		cb.Arrive = 0
	}
	if held := chaos.MS(change.DelayMS); held > 0 && held < e.T {
		cb.Leave -= held
	}
	c.open[id] = len(c.film.Callbacks)
	c.film.Callbacks = append(c.film.Callbacks, cb)
}

// addressOf reads "p3/refund/r1/0/1".
func addressOf(id string) chaos.CallbackAddress {
	parts := strings.Split(id, "/")
	n := len(parts)
	if n < 4 {
		return chaos.CallbackAddress{}
	}
	number := func(s string) int {
		v, err := strconv.Atoi(s)
		if err != nil {
			return 0
		}
		return v
	}
	return chaos.CallbackAddress{
		Subject: parts[0], Notice: strings.Join(parts[1:n-2], "/"),
		Copy: number(parts[n-2]), Attempt: number(parts[n-1]),
	}
}

// speech is the Pix that a callback speaks of, and how much it says moved.
func (c *camera) speech(at chaos.CallbackAddress, change chaos.Change) (e2e string, cents int64) {
	if p := c.bySub[at.Subject]; p != nil {
		e2e, cents = p.EndToEndID, p.AmountCents
		if pays := c.faults.Payment(p.ID).Change.PayCents; pays > 0 {
			cents = pays
		}
	}
	name, rest, _ := strings.Cut(at.Notice, "/")
	id, _, _ := strings.Cut(rest, "/")
	switch name {
	case "refund":
		for _, r := range c.plan.Refunds {
			if r.ID == id {
				cents = -r.AmountCents
			}
		}
	case "med":
		for _, d := range c.plan.Disputes {
			if d.ID == id {
				cents = -d.AmountCents
			}
		}
	case chaos.NoticeFalseRefund:
		cents = -change.SayRefundCents
	}
	if change.SayEndToEndID != "" {
		e2e = change.SayEndToEndID
	}
	if change.SayCents > 0 {
		cents = change.SayCents
	}
	return e2e, cents
}

// fateOf is how a callback fares by plan.
func fateOf(at chaos.CallbackAddress, change chaos.Change) Fate {
	switch {
	case at.Notice == chaos.NoticeForged || change.Signature != "":
		return Forged
	case at.Notice == chaos.NoticePhantom:
		return Phantom
	case at.Notice == chaos.NoticeFalseRefund:
		return FalseRefund
	case change.Frozen:
		return Replay
	case change.SayCents > 0 || change.SayTxID != "":
		return Altered
	case at.Attempt > 1:
		return Retry
	case change.AckLost:
		return AckLost
	case at.Copy > 0:
		return Copy
	case change.Behind != "":
		return Overtaken
	case change.DelayMS > 0:
		return Late
	}
	return OnTime
}

// unanswered is a request that found no instance up.
func (c *camera) unanswered(e traceEvent) {
	for i := len(c.film.Callbacks) - 1; i >= 0; i-- {
		cb := &c.film.Callbacks[i]
		if cb.Arrive == 0 && strings.HasPrefix(cb.ID, e.IDs["subject"]+"/") {
			cb.Arrive, cb.Fate = e.T, NoAnswer
			return
		}
	}
}

// book finds, for each posting, the callback that brought it, and orders both.
func (c *camera) book() {
	f := c.film
	c.cut()
	// Of two refunds of one Pix each posting is the one's whose amount it has.
	taken := map[int]bool{}
	for _, exactly := range []bool{true, false} {
		for n, p := range f.Postings {
			i := slices.IndexFunc(f.Callbacks, func(cb Callback) bool {
				return cb.EndToEndID == p.E2E && cb.Booked == 0 && cb.Stored != 0 && cb.Stored <= p.T && brings(cb, p) && (cb.Cents == p.Cents || !exactly)
			})
			if i >= 0 && !taken[n] {
				f.Callbacks[i].Booked, taken[n] = p.T, true
			}
		}
	}
	slices.SortStableFunc(f.Callbacks, func(a, b Callback) int { return cmp.Compare(a.Leave, b.Leave) })
	slices.SortStableFunc(f.Lines, func(a, b Line) int { return cmp.Compare(a.T, b.T) })
}

// brings says whether a callback can be what a posting is about.
func brings(cb Callback, p Posting) bool {
	if strings.Contains(cb.Result, "known") && !strings.Contains(cb.Result, "new") {
		return false
	}
	return (cb.Cents < 0) == (p.Cents < 0)
}

// cut leaves out what the world does after the run, to see whether delivering
// everything again moves anything.
func (c *camera) cut() {
	f := c.film
	i := slices.IndexFunc(c.events, func(e traceEvent) bool { return e.Kind == "redeliver" })
	if i < 0 {
		return
	}
	until := c.events[i].T
	late := func(t chaos.Instant) bool { return t >= until }
	f.Postings = slices.DeleteFunc(f.Postings, func(p Posting) bool { return late(p.T) })
	f.Inbox = slices.DeleteFunc(f.Inbox, func(s InboxStep) bool { return late(s.T) })
	f.Cases = slices.DeleteFunc(f.Cases, func(s CaseStep) bool { return late(s.T) })
	f.Callbacks = slices.DeleteFunc(f.Callbacks, func(cb Callback) bool { return late(cb.Leave) })
}
