package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// loadReport is what a load came to, for machines.
type loadReport struct {
	Sent        int     `json:"sent"`
	Accepted    int     `json:"accepted"` // requests answered 2xx
	Redelivered int     `json:"redelivered"`
	Distinct    int     `json:"distinct"` // Pix of callbacks that were accepted
	Credits     int     `json:"credits"`  // Pix in the ledger
	Errors      int     `json:"errors"`
	Rate        float64 `json:"rate"` // accepted requests a second
	PixRate     float64 `json:"pix_rate"`
	CreditRate  float64 `json:"credit_rate"` // until the inbox was at rest
	RestMS      float64 `json:"rest_ms"`     // from the last answer until then
	Ack         *spread `json:"ack_ms"`
	Ledger      *spread `json:"ledger_ms"`

	Mode        string            `json:"mode"` // rate or saturate
	Items       int               `json:"items"`
	Connections int               `json:"connections"`
	Seconds     float64           `json:"seconds"`
	Rows        int               `json:"rows"`
	Exhausted   bool              `json:"exhausted"`
	Refused     map[string]int    `json:"refused"`
	PeakMB      float64           `json:"receiver_peak_mb"`
	Elsewhere   *float64          `json:"cpu_elsewhere_percent"` // of the processors' time, taken by others meanwhile
	Server      map[string]string `json:"postgres"`
	Checks      []loadCheck       `json:"checks"`
}

// loadCheck is one thing that has to hold, whatever the speed.
type loadCheck struct {
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail,omitempty"`
}

func (r *loadReport) held() bool {
	return !slices.ContainsFunc(r.Checks, func(c loadCheck) bool { return !c.Held })
}

// judgeLoad reads the books and holds them against what was sent.
func (c *cli) judgeLoad(
	ctx context.Context, f *loadFlags, h *loadHouse, b *books, t *traffic, got *fired, left int64, rest time.Duration,
) (*loadReport, error) {
	server, err := b.settings(ctx)
	if err != nil {
		return nil, err
	}
	credits, err := b.credits(ctx, server["track_commit_timestamp"] == "on")
	if err != nil {
		return nil, err
	}
	kept, aside, err := b.kept(ctx)
	if err != nil {
		return nil, err
	}
	span := got.ended.Sub(got.began)
	r := &loadReport{
		Sent: got.sent, Accepted: len(got.ack), Redelivered: got.redelivered, Credits: len(credits), Errors: got.errors(),
		Mode: "rate", Items: t.items, Connections: t.connections, Seconds: span.Seconds(), Rows: f.rows.n,
		Exhausted: got.exhausted, Refused: got.refused, PeakMB: h.peakMB(), Server: server,
		Rate: perSecond(len(got.ack), span), CreditRate: perSecond(len(credits), span+rest), RestMS: float64(rest.Microseconds()) / 1000,
	}
	if f.saturate {
		r.Mode = "saturate"
	}
	if got.elsewhere >= 0 {
		r.Elsewhere = &got.elsewhere
	}
	a := t.audit(got, credits, kept)
	r.Distinct, r.PixRate = a.distinct, perSecond(a.distinct, span)
	r.Ack, r.Ledger = spreadOf(got.ack), spreadOf(a.ledger)
	r.Checks = a.checks(left, aside)
	if h.lab != nil {
		v, err := h.lab.Check(ctx)
		if err != nil {
			return nil, environmentError{"ask the PSP", err}
		}
		r.Checks = append(r.Checks, loadCheck{"the PSP agrees with itself", v.OK, v.Detail})
	}
	return r, nil
}

func perSecond(n int, d time.Duration) float64 { return float64(n) / max(d.Seconds(), 1e-9) }

// audit is what was sent held against the books, Pix by Pix.
type audit struct {
	distinct                             int
	ledger                               []time.Duration
	lost, forgotten, twice, other, alien []string
}

func (t *traffic) audit(got *fired, credits map[pix.EndToEndID]*credit, kept map[pix.EndToEndID]bool) *audit {
	a := &audit{}
	sent := make(map[pix.EndToEndID]bool, len(credits))
	for k, due := range got.due {
		if due.IsZero() {
			continue // it never left
		}
		for _, p := range t.stock[k*t.items : (k+1)*t.items] {
			sent[p.e2e] = true
			a.one(p, due, got.accepted[k], credits[p.e2e], kept[p.e2e])
		}
	}
	for id := range credits {
		if !sent[id] {
			a.alien = append(a.alien, string(id))
		}
	}
	slices.Sort(a.alien)
	return a
}

// one looks at one Pix that was sent.
func (a *audit) one(p loadPix, due time.Time, accepted bool, c *credit, kept bool) {
	id := string(p.e2e)
	if accepted {
		a.distinct++
		if !kept {
			a.lost = append(a.lost, id)
		}
		if c == nil {
			a.forgotten = append(a.forgotten, id)
		}
	}
	switch {
	case c == nil:
		return
	case c.times != 1:
		a.twice = append(a.twice, id)
	case c.cents != p.cents:
		a.other = append(a.other, fmt.Sprintf("%s: %s for %s", id, c.cents, p.cents))
	}
	if !c.at.IsZero() {
		a.ledger = append(a.ledger, c.at.Sub(due))
	}
}

func (a *audit) checks(left int64, aside int) []loadCheck {
	none := func(name string, bad []string) loadCheck {
		if len(bad) == 0 {
			return loadCheck{Name: name, Held: true}
		}
		return loadCheck{Name: name, Detail: fmt.Sprintf("%d are not, such as %s", len(bad), bad[0])}
	}
	count := func(name string, n int) loadCheck {
		c := loadCheck{Name: name, Held: n == 0}
		if n > 0 {
			c.Detail = fmt.Sprintf("%d are", n)
		}
		return c
	}
	return []loadCheck{
		none("every Pix acknowledged is in the inbox", a.lost),
		none("every Pix acknowledged is credited", a.forgotten),
		none("every Pix credited is credited once", a.twice),
		none("every credit is of the Pix's amount", a.other),
		none("every Pix credited was sent", a.alien),
		count("no event is left in the inbox", int(left)),
		count("no event is in quarantine", aside),
	}
}

// loadPage is the report for people.
func (c *cli) loadPage(r *loadReport) []byte {
	p := &page{colour: coloured(c.out)}
	how := fmt.Sprintf("on schedule, %s Pix a callback", grouped(r.Items))
	if r.Mode == "saturate" {
		how = fmt.Sprintf("as fast as answers come, %s Pix a callback", grouped(r.Items))
	}
	p.field("load", "%s, %d connections, %.1f s; %s rows before", how, r.Connections, r.Seconds, grouped(r.Rows))
	p.field("postgres", "%s", serverLine(r.Server))
	p.line("")
	p.field("sent", "%s requests, %s of them re-deliveries at once with their original", grouped(r.Sent), grouped(r.Redelivered))
	p.field("accepted", "%s%s", grouped(r.Accepted), refusedLine(r.Refused))
	p.field("pix", "%s acknowledged, %s credited", grouped(r.Distinct), grouped(r.Credits))
	p.line("")
	p.field("ack", "%.0f requests/s, %.0f Pix/s", r.Rate, r.PixRate)
	p.field("", "%s", spreadLine(r.Ack))
	p.field("ledger", "%.0f credits/s; at rest %.0f ms after the last answer", r.CreditRate, r.RestMS)
	p.field("", "%s", spreadLine(r.Ledger))
	if r.PeakMB > 0 {
		p.field("memory", "%.0f MB at most in a receiver", r.PeakMB)
	}
	if r.Elsewhere != nil {
		p.field("machine", "%s; %.0f%% of their time went elsewhere", counted(runtime.NumCPU(), "CPU", "CPUs"), *r.Elsewhere)
	}
	if r.Exhausted {
		p.line("")
		p.line("the stock of Pix ended before the time: --stock makes more")
	}
	p.line("")
	for _, check := range r.Checks {
		p.line("  %s %s%s", p.mark(check.Held), check.Name, detailed(check.Detail))
	}
	return p.Bytes()
}

func detailed(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func spreadLine(s *spread) string {
	if s == nil {
		return "not measured"
	}
	return fmt.Sprintf("p50 %.1f ms   p95 %.1f ms   p99 %.1f ms   p99.9 %.1f ms   max %.1f ms", s.P50, s.P95, s.P99, s.P999, s.Max)
}

func refusedLine(refused map[string]int) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		parts = append(parts, fmt.Sprintf("%s × %s", grouped(refused[reason]), reason))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

func serverLine(s map[string]string) string {
	parts := []string{s["server_version"]}
	for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes", "wal_sync_method"} {
		parts = append(parts, name+" "+s[name])
	}
	return strings.Join(parts, ", ")
}
