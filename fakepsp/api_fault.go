package fakepsp

import (
	"net/http"
	"slices"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// callKey counts calls that could be struck: one row for each route and subject.
type callKey struct{ route, subject string }

// apiFaults are the deviations that meet at one call: those of the windows it
// falls into and those of its own address. They are kept apart, so that only
// the ones that showed are counted as fired.
type apiFaults struct {
	list  []chaos.Merged
	fired bool
}

// meetFaults counts the call and gathers what goes wrong with it.
func (p *PSP) meetFaults(c *call) {
	m := c.method
	if m != nil && (m.id != "" || m.subject != nil) {
		c.subject = m.about(p, c)
		if p.faults != nil && p.faults.APISubject(c.subject) {
			key := callKey{m.route, c.subject}
			p.calls[key]++
			c.nth = p.calls[key]
		}
	}
	if p.faults == nil {
		return
	}
	now := p.instant(c.now)
	c.meet(p.faults.At(chaos.PlacePSP, now))
	if m != nil && m.place != "" {
		c.meet(p.faults.At(m.place, now))
	}
	if c.nth > 0 {
		c.meet(p.faults.API(chaos.APIAddress{Route: m.route, Subject: c.subject, Nth: c.nth}))
	}
}

func (c *call) meet(m chaos.Merged) {
	if m.Any() {
		c.faults.list = append(c.faults.list, m)
	}
}

// fireWhere counts the deviations whose change had a hand in what was sent.
func (p *PSP) fireWhere(c *call, hand func(chaos.Change) bool) {
	for _, m := range c.faults.list {
		if hand(m.Change) {
			c.faults.fired = true
			p.fire(m.From)
		}
	}
}

// greatest is the greatest of what the call's faults say.
func (f apiFaults) greatest(of func(chaos.Change) int64) int64 {
	var most int64
	for _, m := range f.list {
		most = max(most, of(m.Change))
	}
	return most
}

// statusBefore is the status that a change answers with instead of acting.
func statusBefore(ch chaos.Change) int64 {
	if ch.Down {
		return max(http.StatusServiceUnavailable, int64(ch.Status))
	}
	return int64(ch.Status)
}

func statusAfter(ch chaos.Change) int64 { return int64(ch.StatusAfter) }

// answerInstead is the answer of a PSP that does not act on the call.
func (p *PSP) answerInstead(c *call) (Reply, bool) {
	status := c.faults.greatest(statusBefore)
	if status == 0 {
		return Reply{}, false
	}
	p.fireWhere(c, func(ch chaos.Change) bool { return statusBefore(ch) == status })
	return failure(int(status), "the call was not acted on"), true
}

// afterwards spoils the answer of a PSP that acted on the call. A cut wins over
// a status.
func (p *PSP) afterwards(c *call, reply Reply) Reply {
	if c.faults.greatest(func(ch chaos.Change) int64 { return oneIf(ch.Cut) }) > 0 {
		p.fireWhere(c, func(ch chaos.Change) bool { return ch.Cut })
		return Reply{Cut: true}
	}
	status := c.faults.greatest(statusAfter)
	if status == 0 {
		return reply
	}
	p.fireWhere(c, func(ch chaos.Change) bool { return statusAfter(ch) == status })
	return failure(int(status), "the outcome is unknown")
}

// holdBack adds the time that faults keep the answer waiting.
func (p *PSP) holdBack(c *call, reply Reply) Reply {
	for _, m := range c.faults.list {
		reply.After += time.Duration(m.Change.SlowMS) * time.Millisecond
	}
	if reply.After > 0 {
		p.fireWhere(c, func(ch chaos.Change) bool { return ch.SlowMS > 0 })
	}
	return reply
}

// retryAfter is what a 429 asks for, in seconds.
const retryAfter = "2"

func failure(status int, detail string) Reply {
	reply := statusProblem(status, detail)
	if status == http.StatusTooManyRequests {
		reply.Header.Set("Retry-After", retryAfter)
	}
	return reply
}

// hide is how long the call's faults keep an effect out of GETs.
func (f apiFaults) hide() time.Duration {
	ms := f.greatest(func(ch chaos.Change) int64 { return ch.HideMS })
	return time.Duration(ms) * time.Millisecond
}

// hiding keeps the effect of a call out of GETs by id until an instant; by are
// the deviations that want it.
type hiding struct {
	until time.Time
	by    []int
}

// hideEffect keeps what the call did out of GETs, if a fault wants it.
func (c *call) hideEffect(at **hiding) {
	hide := c.faults.hide()
	if hide == 0 {
		return
	}
	h := hiding{until: c.now.Add(hide)}
	if *at != nil {
		h.by = (*at).by
	}
	for _, m := range c.faults.list {
		if m.Change.HideMS > 0 {
			h.by = slices.Concat(h.by, m.From)
		}
	}
	*at = &h
}

// hides tells whether an earlier call's fault keeps a GET from seeing it now.
func (p *PSP) hides(c *call, h *hiding) bool {
	if p.faults == nil || h == nil || !c.now.Before(h.until) {
		return false
	}
	c.faults.fired = true
	p.fire(h.by)
	return true
}

// hidden is the 404 of a GET that a fault keeps from seeing what happened at
// since, if one does.
func (p *PSP) hidden(c *call, since time.Time, kind pix.ProblemKind) (Reply, bool) {
	hide := c.faults.hide()
	if hide == 0 || !c.now.Before(since.Add(hide)) {
		return Reply{}, false
	}
	p.fireWhere(c, func(ch chaos.Change) bool { return ch.HideMS > 0 })
	return problem(kind, "not found"), true
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
