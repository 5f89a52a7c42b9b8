package film

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// account is one line of the statement against the ledger, over time.
type account struct {
	key, e2e string
	sign     int64 // -1 where the line is money out
	points   []point
	credits  int // bookings that are no adjustment
	booked   bool
}

// point is a change of one of the two sides, both seen as money in.
type point struct {
	t                 chaos.Instant
	ledger, statement int64
	// second marks a booking of what was booked already.
	second bool
}

// compare finds what is wrong, line by line.
func (c *camera) compare() {
	f := c.film
	accounts, order := map[string]*account{}, []string{}
	at := func(key, e2e string, sign int64) *account {
		a := accounts[key]
		if a == nil {
			a = &account{key: key, e2e: e2e, sign: sign}
			accounts[key], order = a, append(order, key)
		}
		return a
	}
	for _, l := range f.Lines {
		a := at(l.Key, l.EndToEndID, signOf(l.Cents))
		a.points = append(a.points, point{t: l.T, statement: a.sign * l.Cents})
	}
	for _, p := range f.Postings {
		if p.Key == "" || p.Cents == 0 {
			continue
		}
		a := at(p.Key, p.E2E, signOf(p.Cents))
		adjusts := strings.HasPrefix(p.Reference, receiver.AdjustReference(""))
		a.points = append(a.points, point{t: p.T, ledger: a.sign * p.Cents, second: !adjusts && a.booked})
		a.booked = a.booked || !adjusts
	}
	for _, key := range order {
		c.settle(accounts[key])
	}
	slices.SortStableFunc(f.Wrongs, func(a, b Wrong) int { return cmp.Compare(a.T, b.T) })
}

func signOf(cents int64) int64 {
	if cents < 0 {
		return -1
	}
	return 1
}

// settle walks through one account: what is never put right is wrong.
func (c *camera) settle(a *account) {
	slices.SortStableFunc(a.points, func(x, y point) int { return cmp.Compare(x.t, y.t) })
	var ledger, statement, wrong int64
	twice := false
	for _, p := range a.points {
		ledger, statement = ledger+p.ledger, statement+p.statement
		twice = twice || p.second
	}
	final := ledger - statement
	ledger, statement = 0, 0
	last := chaos.Instant(0)
	for _, p := range a.points {
		before := ledger - statement
		ledger, statement = ledger+p.ledger, statement+p.statement
		excess := max(0, ledger-statement)
		if final <= 0 && !twice {
			excess = 0 // it is put right later
		}
		if excess != wrong {
			c.wrong(a, p.t, c.tooMuch(a, twice), excess-wrong)
			wrong = excess
		}
		if before != ledger-statement {
			last = p.t
		}
	}
	if final < 0 {
		c.wrong(a, max(last, c.lastChance(a)), c.tooLittle(a), final)
	}
	if final == 0 {
		c.agree(a.key, last)
	}
}

func (c *camera) wrong(a *account, t chaos.Instant, invariant string, cents int64) {
	c.film.Wrongs = append(c.film.Wrongs, Wrong{T: t, Invariant: invariant, Cents: a.sign * cents, Key: a.key, EndToEndID: a.e2e})
}

// tooMuch is the invariant under which an excess counts, tooLittle that of a
// shortfall.
func (c *camera) tooMuch(a *account, twice bool) string {
	switch {
	case a.sign < 0:
		return "I4"
	case twice:
		return "I1"
	}
	return "I3"
}

func (c *camera) tooLittle(a *account) string {
	if a.sign < 0 || a.booked {
		return "I4"
	}
	return "I2"
}

// lastChance is the last instant at which anything happened that could have
// told the receiver of the account's Pix.
func (c *camera) lastChance(a *account) chaos.Instant {
	t := chaos.Instant(0)
	for _, cb := range c.film.Callbacks {
		if cb.EndToEndID == a.e2e && (cb.Cents < 0) == (a.sign < 0) {
			t = max(t, cb.Arrive, cb.Answered, cb.Leave)
		}
	}
	for _, s := range c.film.Inbox {
		if s.EndToEndID == a.e2e && s.T <= c.film.Healed && (a.sign > 0) == strings.HasPrefix(s.Key, "pix:") {
			t = max(t, s.T)
		}
	}
	return t
}

// agree notes since when a line and the ledger agree.
func (c *camera) agree(key string, since chaos.Instant) {
	for i := range c.film.Lines {
		if c.film.Lines[i].Key == key {
			c.film.Lines[i].Settled = since
		}
	}
}
