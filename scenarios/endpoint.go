package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// endpoint is a webhook of the merchant's own, which takes the receiver's events.
type endpoint struct {
	name  string
	host  string
	place string // where the plan's faults strike it alone
	got   counts // by event id
	// heard are the numbers of the last effect of each line, at all endpoints;
	// this one's stands at its place among them. disorder says what came after what
	// it should have come before.
	heard    map[string]perEndpoint
	at       int
	disorder string
}

func newEndpoints() []*endpoint {
	all, heard := make([]*endpoint, chaos.Endpoints), map[string]perEndpoint{}
	for i := range all {
		all[i] = &endpoint{
			name: fmt.Sprintf("endpoint-%d", i+1), host: fmt.Sprintf(hostEndpoint, i+1),
			place: chaos.EndpointPlace(i + 1), got: counts{}, heard: heard, at: i,
		}
	}
	return all
}

// endpointAt is the endpoint that a host is of, nil if of none.
func (w *World) endpointAt(host string) *endpoint {
	for _, e := range w.endpoints {
		if e.host == host {
			return e
		}
	}
	return nil
}

// endpointNamed is the endpoint of that name, nil if there is none.
func (w *World) endpointNamed(name string) *endpoint {
	for _, e := range w.endpoints {
		if e.name == name {
			return e
		}
	}
	return nil
}

// rules are the store's in every world.
func (w *World) rules() receiver.Rules {
	r := receiver.Rules{Keys: []pix.PixKey{merchantKey}}
	for _, e := range w.endpoints {
		r.Endpoints = append(r.Endpoints, e.name)
	}
	return r
}

// receiverEndpoints are what an instance is told of them.
func (w *World) receiverEndpoints() []receiver.Endpoint {
	all := make([]receiver.Endpoint, len(w.endpoints))
	for i, e := range w.endpoints {
		all[i] = receiver.Endpoint{Name: e.name, URL: "https://" + e.host + "/events", Secret: endpointSecret(w.plan.Seed, e.name)}
	}
	return all
}

func endpointSecret(seed chaos.Seed, name string) pix.Secret {
	return pix.Secret{ID: "m1", Key: []byte(seed.ID("secret", name, 32))}
}

// wrong is what goes wrong at this endpoint now: at it alone, or at each.
func (e *endpoint) wrong(w *World) chaos.Merged {
	if m := w.faults.At(e.place, w.sched.Now()); m.Any() {
		return m
	}
	return w.faults.At(chaos.PlaceEndpoint, w.sched.Now())
}

func (e *endpoint) serve(w *World, x *exchange, req *http.Request) (after time.Duration) {
	x.header = http.Header{}
	if m := e.wrong(w); m.Any() {
		w.tally.Fire(m.From)
		after = time.Duration(m.Change.SlowMS) * time.Millisecond
		if m.Change.Down {
			x.err = errRefused
			return after
		}
		if m.Change.Status != 0 {
			x.status = m.Change.Status
			return after
		}
	}
	var event told
	body, err := io.ReadAll(req.Body)
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		w.fail(errors.Join(errors.New("the receiver sent an event that is no JSON"), err))
		x.status = http.StatusBadRequest
		return after
	}
	if known := w.view.Pix[event.EndToEndID]; known != nil && known.Payment != nil {
		event.EndToEndID = known.Payment.EndToEndID // the same, in the memory that is kept anyway
	}
	e.hear(event)
	x.status = http.StatusOK
	return after
}

// told is what an endpoint reads of an event.
type told struct {
	ID         int64          `json:"id"`
	Kind       string         `json:"kind"`
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	PayoutKey  string         `json:"payoutKey"`
	Number     int32          `json:"number"`
}

// line is what the event's order holds in.
func (t told) line() string {
	o := receiver.OutboxEvent{EndToEndID: t.EndToEndID, PayoutKey: t.PayoutKey}
	return o.Line()
}

// hear takes an event. One that came before is known; of those that did not, each
// has to follow the one before it.
func (e *endpoint) hear(t told) {
	if e.got.add(t.ID) > 1 {
		return
	}
	line := t.line()
	heard := e.heard[line]
	if want := heard[e.at] + 1; t.Number != want && e.disorder == "" {
		e.disorder = fmt.Sprintf("%s heard of %s, number %d of %s, when it waited for number %d", e.name, t.Kind, t.Number, named(line), want)
	}
	heard[e.at] = max(heard[e.at], t.Number)
	e.heard[line] = heard
}
