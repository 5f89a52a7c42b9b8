package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// merchant asks the receiver for what the plan has the merchant want, in real
// time, each request again until it has an answer that settles the matter.
type merchant struct {
	plan   *chaos.Plan
	front  string
	token  string
	zero   time.Time
	faults *chaos.Faults
	http   *http.Client
	fired  func(from []int, does func(chaos.Change) bool) // counts faults of requests

	healed  atomic.Pointer[time.Time]
	calls   atomic.Int64
	working sync.WaitGroup
	open    atomic.Int64 // requests that are not settled

	mu      sync.Mutex
	answers []scenarios.Answer
}

// request is one thing that the merchant wants.
type request struct {
	at           int64 // of the plan, in milliseconds
	method, path string
	body         any
	// subject and reference are the plan's and the merchant's names of what is
	// asked for under an idempotency key; endToEnd is the Pix to refund.
	subject, reference, endToEnd string
	// altered is the body with another amount, where a fault may send it.
	altered any
}

// keyed says whether the request goes under an idempotency key.
func (r request) keyed() bool { return r.reference != "" }

// The merchant's patience: pauses between tries, and how long after the heal
// "not yet" is asked again.
const (
	firstPause = 200 * time.Millisecond
	mostPause  = 2 * time.Second
	lastAsking = 5 * time.Second
)

// start begins to ask; ctx ends it.
func (m *merchant) start(ctx context.Context) {
	for _, r := range m.requests() {
		m.open.Add(1)
		m.working.Go(func() {
			defer m.open.Add(-1)
			m.pursue(ctx, r)
		})
	}
}

// requests are all that the merchant wants, and the PSP of it about MED.
func (m *merchant) requests() []request {
	var out []request
	removals := map[string]int64{}
	pixOf := map[string]string{}
	for _, p := range m.plan.Payments {
		pixOf[p.ID] = p.EndToEndID
		if at := m.faults.Payment(p.ID).Change.RemoveAtMS; at > 0 {
			removals[p.Charge] = at
		}
	}
	for _, c := range m.plan.Charges {
		out = append(out, m.charge(c, removals[c.ID])...)
	}
	for _, r := range m.plan.Refunds {
		if r.Origin == chaos.OriginMerchant {
			body := func(cents int64) any {
				return map[string]any{"amount": pix.Amount(cents), "endToEndId": pixOf[r.Payment], "reference": r.Reference}
			}
			out = append(out, request{
				at: r.AtMS, method: http.MethodPost, path: receiver.RouteRefunds, body: body(r.AmountCents), altered: body(r.AmountCents + 1),
				subject: r.ID, reference: r.Reference, endToEnd: pixOf[r.Payment],
			})
		}
	}
	for _, d := range m.plan.Disputes {
		if !d.Memo {
			continue
		}
		for _, released := range []bool{false, true} {
			at := d.ReportAtMS
			if released {
				at += d.DecideAfterMS
			}
			body := map[string]any{"id": d.ID, "endToEndId": pixOf[d.Payment], "amount": pix.Amount(d.AmountCents), "released": released}
			out = append(out, request{at: at, method: http.MethodPost, path: "/memos", body: body})
		}
	}
	return out
}

func (m *merchant) charge(c chaos.Charge, remove int64) []request {
	body := func(cents int64) any {
		out := map[string]any{"expires_in_s": c.ExpiresInS, "kind": c.Kind, "reference": c.Reference}
		if cents > 0 {
			out["amount"] = pix.Amount(cents)
		}
		if c.Elsewhere {
			out["txid"] = chaos.Txid(m.plan.Seed, c)
		}
		return out
	}
	at := c.CreateAtMS
	if c.Elsewhere {
		at = c.AdoptAtMS
	}
	var out []request
	if at > 0 || !c.Elsewhere {
		out = append(out, request{
			at: at, method: http.MethodPost, path: receiver.RouteCharges, body: body(c.AmountCents), altered: body(c.AmountCents + 1),
			subject: c.ID, reference: c.Reference,
		})
	}
	if remove = max(remove, c.RemoveAtMS); remove > 0 {
		out = append(out, request{at: remove, method: http.MethodDelete, path: "/charges/" + url.PathEscape(c.Reference)})
	}
	return out
}

// pursue waits for the request's instant and asks until it is settled.
func (m *merchant) pursue(ctx context.Context, r request) {
	if !sleep(ctx, time.Until(m.zero.Add(chaos.MS(r.at).Duration()))) {
		return
	}
	var fault chaos.Merged
	if r.keyed() {
		fault = m.faults.Request(r.subject)
		m.disturb(ctx, r, fault)
	}
	lost := fault.Change.AckLost
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		status, err := m.ask(ctx, r, r.body, false)
		late := m.healed.Load()
		switch {
		case lost && err == nil: // it never saw that answer
			m.fired(fault.From, func(c chaos.Change) bool { return c.AckLost })
			lost = false
		case err == nil && r.keyed() && status == http.StatusConflict && (late == nil || time.Since(*late) < lastAsking):
		case err == nil && status < 500:
			return
		}
		if !sleep(ctx, pause) {
			return
		}
	}
}

// disturb sends what a fault has the merchant send beside its first request: the
// same once more, or, once the key stands for something, another amount under it.
func (m *merchant) disturb(ctx context.Context, r request, fault chaos.Merged) {
	extra := func(afterMS int64, body any, altered bool, does func(chaos.Change) bool) {
		if afterMS == 0 {
			return
		}
		m.working.Go(func() {
			if !sleep(ctx, time.Duration(afterMS)*time.Millisecond) || altered && !m.stands(r) {
				return
			}
			m.fired(fault.From, does)
			_, _ = m.ask(ctx, r, body, altered) // nobody waits for the answer; it is kept
		})
	}
	extra(fault.Change.AgainAfterMS, r.body, false, func(c chaos.Change) bool { return c.AgainAfterMS > 0 })
	extra(fault.Change.AlteredAfterMS, r.altered, true, func(c chaos.Change) bool { return c.AlteredAfterMS > 0 })
}

// stands says whether the request was answered for good, so that its key stands
// for its body.
func (m *merchant) stands(r request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.answers {
		if a.Route == r.path && a.Reference == r.reference && a.Status < 300 {
			return true
		}
	}
	return false
}

// log keeps what the merchant was answered.
func (m *merchant) log(a scenarios.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, a)
}

func (m *merchant) answered() []scenarios.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.answers)
}

func (m *merchant) ask(ctx context.Context, r request, say any, altered bool) (int, error) {
	var body []byte
	if say != nil {
		var err error
		if body, err = json.Marshal(say); err != nil {
			return 0, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, m.front+r.path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	req.Header.Set("Content-Type", "application/json")
	if r.keyed() {
		req.Header.Set(receiver.IdempotencyHeader, r.reference)
	}
	m.calls.Add(1)
	resp, err := m.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if r.keyed() && err == nil {
		m.log(scenarios.Answer{
			Route: r.path, Reference: r.reference, EndToEndID: r.endToEnd, Altered: altered, At: time.Now(),
			Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"), Body: string(text),
		})
	}
	return resp.StatusCode, err
}

// sleep waits; false is the end of ctx.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
