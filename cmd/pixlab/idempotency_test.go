package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// What a repeated request gets of two receiver processes on one PostgreSQL, over
// HTTP, with a PSP that answers when it is let.
func TestIdempotentChargesOverTwoProcesses(t *testing.T) {
	t.Parallel()
	l := newAPILab(t)
	for _, c := range []struct {
		name  string
		check func(t *testing.T, l *apiLab)
	}{
		{"the same in sequence gets the same bytes and has one effect", sameInSequence},
		{"the same at once has one effect, and the losers wait for nobody", sameAtOnce},
		{"another body under the key is refused and nothing is done", otherBody},
		{"after its time the key stands for the resource, and nothing is sent", afterTheTTL},
		{"routes and consumers have keys of their own, and no byte leaks", keysApart},
		{"a key that is none is refused, and so is a caller without a token", noKey},
		{"killed between reserving and finishing, it comes right and has one effect", killedBetween},
	} {
		// In turn: the last one kills a process.
		t.Run(c.name, func(t *testing.T) {
			l.t = t
			c.check(t, l)
		})
	}
}

func sameInSequence(t *testing.T, l *apiLab) {
	before := l.psp.made()
	first := l.ask(0, shopToken, "/charges", "seq", charge("seq", "10.00")).want(t, "first", http.StatusCreated)
	for n := range 4 {
		l.ask(n%2, shopToken, "/charges", "seq", charge("seq", "10.00")).same(t, "again", first)
	}
	if got := l.psp.made() - before; got != 1 {
		t.Errorf("%d charges at the PSP, want 1", got)
	}
}

func sameAtOnce(t *testing.T, l *apiLab) {
	const n = 200
	before, g := l.psp.made(), newGate(false)
	l.psp.hold(g)
	defer l.psp.hold(nil)
	answers := make(chan got, n)
	for i := range n {
		go func() { answers <- l.ask(i%2, shopToken, "/charges", "once", charge("once", "10.00")) }()
	}
	// The PSP holds the winner's answer until all others have theirs.
	for range n - 1 {
		a := (<-answers).want(t, "a loser", http.StatusConflict)
		if a.retryAfter == "" {
			t.Fatalf("a loser is not told when to come again: %s", a.body)
		}
	}
	close(g.open)
	won := (<-answers).want(t, "the winner", http.StatusCreated)
	l.ask(0, shopToken, "/charges", "once", charge("once", "10.00")).same(t, "again", won)
	if got := l.psp.made() - before; got != 1 || len(g.came) != 1 {
		t.Errorf("%d charges at the PSP after %d calls, want 1 after 1", got, len(g.came))
	}
}

func otherBody(t *testing.T, l *apiLab) {
	first := l.ask(0, shopToken, "/charges", "body", charge("body", "10.00")).want(t, "first", http.StatusCreated)
	before := l.psp.asked()
	for _, body := range []string{charge("body", "10.01"), charge("other", "10.00"), " " + charge("body", "10.00")} {
		l.ask(1, shopToken, "/charges", "body", body).want(t, "another body", http.StatusUnprocessableEntity)
	}
	l.ask(1, shopToken, "/charges", "body", charge("body", "10.00")).same(t, "the first body", first)
	if got := l.psp.asked() - before; got != 0 {
		t.Errorf("%d calls to the PSP, want none", got)
	}
}

func afterTheTTL(t *testing.T, l *apiLab) {
	first := l.ask(0, shopToken, "/charges", "old", charge("old", "10.00")).want(t, "first", http.StatusCreated)
	before := l.psp.asked()
	l.exec(`UPDATE idempotency_key SET at = at - interval '23 hours 59 minutes' WHERE key = 'old'`)
	l.ask(1, shopToken, "/charges", "old", charge("old", "10.00")).same(t, "within its time", first)
	l.exec(`UPDATE idempotency_key SET at = at - interval '1 minute' WHERE key = 'old'`)
	for range 2 {
		late := l.ask(1, shopToken, "/charges", "old", charge("old", "10.00")).want(t, "after its time", http.StatusOK)
		if !strings.Contains(late.body, `"reference":"old"`) {
			t.Errorf("not the resource: %s", late.body)
		}
		// What the purge leaves.
		l.exec(`UPDATE idempotency_key SET state = 'purged', status = 0, content_type = '', body = NULL WHERE key = 'old'`)
	}
	l.ask(1, shopToken, "/charges", "old", charge("old", "11.00")).want(t, "another body, after its time", http.StatusUnprocessableEntity)
	if got := l.psp.asked() - before; got != 0 {
		t.Errorf("%d calls to the PSP, want none", got)
	}
}

func keysApart(t *testing.T, l *apiLab) {
	before := l.psp.made()
	shop := l.ask(0, shopToken, "/charges", "mine", charge("mine", "10.00")).want(t, "the shop", http.StatusCreated)
	kiosk := l.ask(1, kioskToken, "/charges", "mine", charge("mine", "25.00")).want(t, "the kiosk", http.StatusCreated)
	if strings.Contains(kiosk.body, "10.00") || kiosk.body == shop.body {
		t.Errorf("the kiosk is told of the shop's charge: %s", kiosk.body)
	}
	l.ask(1, shopToken, "/charges", "mine", charge("mine", "10.00")).same(t, "the shop again", shop)
	l.ask(0, kioskToken, "/charges", "mine", charge("mine", "25.00")).same(t, "the kiosk again", kiosk)
	if got := l.psp.made() - before; got != 2 {
		t.Errorf("%d charges at the PSP, want 2", got)
	}
	// The same key on another route: no Pix of that id is known, whatever the charge.
	refund := `{"reference":"mine","endToEndId":"E99999008202603021159ABCDEFGHIJK","amount":"10.00"}`
	l.ask(0, shopToken, "/refunds", "mine", refund).want(t, "another route", http.StatusConflict)
	l.ask(1, shopToken, "/charges", "mine", charge("mine", "10.00")).same(t, "the shop once more", shop)
}

func noKey(t *testing.T, l *apiLab) {
	before := l.psp.asked()
	for name, key := range map[string]string{
		"none": "", "too long": strings.Repeat("k", 256), "not ASCII": "chave-é",
	} {
		for _, route := range []string{"/charges", "/refunds"} {
			l.ask(0, shopToken, route, key, charge("none", "10.00")).want(t, name+" on "+route, http.StatusBadRequest)
		}
	}
	l.ask(0, shopToken, "/charges", strings.Repeat("k", 255), charge("longest", "10.00")).want(t, "the longest key", http.StatusCreated)
	l.ask(0, "nobody-in-particular", "/charges", "key", charge("none", "10.00")).want(t, "no such token", http.StatusUnauthorized)
	if got := l.psp.asked() - before; got != 1 {
		t.Errorf("%d calls to the PSP, want 1", got)
	}
}

// killedBetween kills a process whose call the PSP has not carried out, and one
// whose call it has. The window is not waited for: it is moved into the past.
func killedBetween(t *testing.T, l *apiLab) {
	for _, c := range []struct {
		key    string
		before bool // the PSP acts
	}{{"killed before", true}, {"killed after", false}} {
		made, g := l.psp.made(), newGate(c.before)
		l.psp.hold(g)
		var gone sync.WaitGroup
		gone.Go(func() {
			if a := l.ask(0, shopToken, "/charges", c.key, charge(c.key, "10.00")); a.err == nil {
				t.Errorf("%s: the dead one answered %d %s", c.key, a.status, a.body)
			}
		})
		<-g.came
		l.procs[0].kill()
		gone.Wait()
		close(g.dead)
		l.psp.hold(nil)
		l.ask(1, shopToken, "/charges", c.key, charge(c.key, "10.00")).want(t, c.key+": at once", http.StatusConflict)
		l.exec(`UPDATE idempotency_key SET held_until = at WHERE state = 'in_flight'`)
		done := l.ask(1, shopToken, "/charges", c.key, charge(c.key, "10.00")).want(t, c.key+": after the window", http.StatusCreated)
		l.procs[0] = l.start()
		l.ask(0, shopToken, "/charges", c.key, charge(c.key, "10.00")).same(t, c.key+": again", done)
		if got := l.psp.made() - made; got != 1 {
			t.Errorf("%s: %d charges at the PSP, want 1", c.key, got)
		}
	}
}
