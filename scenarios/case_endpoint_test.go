package scenarios_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

// twoEndpoints is a receiver that tells two endpoints of the merchant's, the first
// of which answers 500 until an instant.
type twoEndpoints struct {
	t        *testing.T
	clock    *handClock
	store    *memory.Store
	steps    []receiver.Step
	recovers time.Time
	booked   map[int64]time.Time
	// tries are the instants at which each endpoint was told of each event, heard
	// that at which it took it.
	tries map[string]map[int64][]time.Time
	heard map[string]map[int64]time.Time
}

func newTwoEndpoints(t *testing.T, outage time.Duration) *twoEndpoints {
	t.Helper()
	e := &twoEndpoints{
		t: t, clock: &handClock{now: labStart()}, recovers: labStart().Add(outage), booked: map[int64]time.Time{},
		tries: map[string]map[int64][]time.Time{"a": {}, "b": {}}, heard: map[string]map[int64]time.Time{"a": {}, "b": {}},
	}
	e.store = memory.New(memory.Config{Rules: receiver.Rules{Keys: []pix.PixKey{labKey}, Endpoints: []string{"a", "b"}}, Now: e.clock.Now})
	r, err := receiver.New(receiver.Config{
		PixKeys: []pix.PixKey{labKey}, Open: true, PSPURL: labPSP, CallbackURL: labReceiver, Secrets: []pix.Secret{labSecret()},
		Endpoints: []receiver.Endpoint{{Name: "a", URL: "https://a.example", Secret: labSecret()}, {Name: "b", URL: "https://b.example", Secret: labSecret()}},
		HTTP:      e, Clock: e.clock, Jitter: labSeed.Jitter, NewID: labSeed.ID,
	}, e.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Steps(1) {
		if _, is := s.Queue().Endpoint(); is {
			e.steps = append(e.steps, s)
		}
	}
	return e
}

// Do is the endpoints.
func (e *twoEndpoints) Do(req *http.Request) (*http.Response, error) {
	var event struct {
		ID int64 `json:"id"`
	}
	if err := json.NewDecoder(req.Body).Decode(&event); err != nil {
		return nil, err
	}
	name, now := req.URL.Host[:1], e.clock.Now()
	e.tries[name][event.ID] = append(e.tries[name][event.ID], now)
	if name == "a" && now.Before(e.recovers) {
		return respond(req, http.StatusInternalServerError, http.Header{}, nil), nil
	}
	if at, twice := e.heard[name][event.ID]; twice {
		e.t.Errorf("%s took event %d at %s and at %s", name, event.ID, at, now)
	}
	e.heard[name][event.ID] = now
	return respond(req, http.StatusOK, http.Header{}, nil), nil
}

// book books the nth Pix.
func (e *twoEndpoints) book(n int) {
	e.t.Helper()
	id, now := pix.EndToEndID(fmt.Sprintf("E12345678202603021200%011d", n)), e.clock.Now()
	out, err := e.store.RepairEvents(e.t.Context(), []receiver.Repair{{Now: now, Item: receiver.InboxItem{
		Source: "psp", Key: receiver.CreditKey(id), Channel: receiver.ChannelRepair, Confirmed: true, Raw: []byte("{}"), ReceivedAt: now,
		Credit: &receiver.Credit{EndToEndID: id, PixKey: labKey, Amount: 1000, PaidAt: now},
	}}})
	if err != nil || out[0].Result != receiver.ApplyBooked {
		e.t.Fatalf("book: %+v, %v", out, err)
	}
	all, err := e.store.ListOutbox(e.t.Context(), receiver.OutboxQuery{})
	if err != nil {
		e.t.Fatal(err)
	}
	for _, o := range all {
		if _, known := e.booked[o.ID]; !known {
			e.booked[o.ID] = now
		}
	}
}

// second is one second of work: a Pix every half a minute.
func (e *twoEndpoints) second(n int, booking bool) {
	e.t.Helper()
	if booking && n%30 == 0 {
		e.book(n)
	}
	for _, s := range e.steps {
		for done := 1; done > 0; {
			p, err := s.RunOnce(e.t.Context())
			if err != nil {
				e.t.Fatalf("%s: %v", s.Name(), err)
			}
			done = p.Done
		}
	}
	e.clock.advance(time.Second)
}

// One endpoint of the merchant's is down for ten minutes: the other hears of every
// effect at once all the while, the pauses of the first grow and are no two alike,
// and when it is back it hears of new effects at once, and of the old ones within
// the longest pause.
func TestDeadEndpointHoldsUpNoOtherAndCatchesUp(t *testing.T) {
	t.Parallel()
	const outage, after, longest = 10 * time.Minute, 6 * time.Minute, 5 * time.Minute
	e := newTwoEndpoints(t, outage)
	for n := range int((outage + after) / time.Second) {
		e.second(n, n < int((outage+time.Minute)/time.Second))
	}
	first := map[time.Duration]int{}
	for id, at := range e.booked {
		name := "b"
		if e.tries["a"][id] != nil {
			name = "a"
		}
		heard, some := e.heard[name][id]
		switch late := heard.Sub(at); {
		case !some:
			t.Errorf("event %d of %s never arrived at %s", id, at, name)
		case name == "b" && late > time.Second:
			t.Errorf("event %d arrived at b after %s", id, late)
		case name == "a" && !at.Before(e.recovers) && late > time.Second:
			t.Errorf("event %d, booked after the outage, arrived at a after %s", id, late)
		case name == "a" && heard.Sub(e.recovers) > longest+time.Second:
			t.Errorf("event %d arrived at a %s after the outage", id, heard.Sub(e.recovers))
		}
		tries := e.tries[name][id]
		for i := 2; i < len(tries); i++ {
			if last, next := tries[i-1].Sub(tries[i-2]), tries[i].Sub(tries[i-1]); next < last && last < longest/2 {
				t.Errorf("event %d was tried again after %s, and then after %s", id, last, next)
			}
		}
		if len(tries) > 5 {
			first[tries[5].Sub(tries[4])]++
		}
	}
	if len(e.booked) != 44 || len(first) < 4 {
		t.Errorf("%d events, whose fifth pauses are %v; want 44, and pauses that differ", len(e.booked), first)
	}
}
