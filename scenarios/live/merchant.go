package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
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

	healed  atomic.Pointer[time.Time]
	calls   atomic.Int64
	working sync.WaitGroup
	open    atomic.Int64 // requests that are not settled
}

// request is one thing that the merchant wants.
type request struct {
	at           int64 // of the plan, in milliseconds
	method, path string
	body         any
	// notYet is an answer after which asking again makes sense.
	notYet int
}

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
			body := map[string]any{"amount": pix.Amount(r.AmountCents), "endToEndId": pixOf[r.Payment], "reference": r.Reference}
			out = append(out, request{r.AtMS, http.MethodPost, "/refunds", body, http.StatusConflict})
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
			out = append(out, request{at, http.MethodPost, "/memos", body, 0})
		}
	}
	return out
}

func (m *merchant) charge(c chaos.Charge, remove int64) []request {
	body := map[string]any{"expires_in_s": c.ExpiresInS, "kind": c.Kind, "reference": c.Reference}
	if c.AmountCents > 0 {
		body["amount"] = pix.Amount(c.AmountCents)
	}
	at := c.CreateAtMS
	if c.Elsewhere {
		body["txid"] = chaos.Txid(m.plan.Seed, c)
		at = c.AdoptAtMS
	}
	var out []request
	if at > 0 || !c.Elsewhere {
		out = append(out, request{at, http.MethodPost, "/charges", body, 0})
	}
	if remove = max(remove, c.RemoveAtMS); remove > 0 {
		out = append(out, request{remove, http.MethodDelete, "/charges/" + url.PathEscape(c.Reference), nil, 0})
	}
	return out
}

// pursue waits for the request's instant and asks until it is settled.
func (m *merchant) pursue(ctx context.Context, r request) {
	if !sleep(ctx, time.Until(m.zero.Add(chaos.MS(r.at).Duration()))) {
		return
	}
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		status, err := m.ask(ctx, r)
		late := m.healed.Load()
		switch {
		case err == nil && status == r.notYet && (late == nil || time.Since(*late) < lastAsking):
		case err == nil && status < 500:
			return
		}
		if !sleep(ctx, pause) {
			return
		}
	}
}

func (m *merchant) ask(ctx context.Context, r request) (int, error) {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
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
	m.calls.Add(1)
	resp, err := m.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
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
