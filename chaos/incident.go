package chaos

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// IncidentProfile stands in the plans that incidents became.
const IncidentProfile = "incident"

// incidentTimeout is how long the PSP of an incident waits for an answer. A log
// does not say; a short time leaves the pauses of the retry table their own.
const incidentTimeout = 5 * time.Second

// incidentCall is one line of an incident: one attempt of one callback, as the
// receiver's or the PSP's log has it.
type incidentCall struct {
	EndToEndID string          `json:"endToEndId"`
	Time       time.Time       `json:"time"`
	Attempt    int             `json:"attempt"`
	Answer     json.RawMessage `json:"answer"`
	Value      string          `json:"valor,omitempty"`

	line   int
	status int // 0: no answer came
}

// ReadIncident turns an incident into a plan: JSON lines of endToEndId, time,
// attempt (from 1), answer (a status, or "timeout") and perhaps valor. Each Pix
// is paid just before its first attempt; attempts come when they came, under
// the retry table that fits best, and go as they went:
//
//   - no answer, or a 2xx although there was a further attempt: the answer is lost
//   - 401, 403: the signature is bad · 413: the body is too large · other 4xx: it
//     is cut short · 5xx: the receiver's database is down for a second
//   - the same attempt twice: a copy
//
// What the log does not say (amounts, charges) is made up: R$ 10,00 for a charge
// of its own.
func ReadIncident(r io.Reader, seed Seed) (*Plan, error) {
	calls, err := readCalls(r)
	if err != nil {
		return nil, err
	}
	byPix := map[string][]incidentCall{}
	var order []string
	for _, c := range calls {
		if byPix[c.EndToEndID] == nil {
			order = append(order, c.EndToEndID)
		}
		byPix[c.EndToEndID] = append(byPix[c.EndToEndID], c)
	}
	first := slices.MinFunc(calls, func(a, b incidentCall) int { return a.Time.Compare(b.Time) }).Time
	last := slices.MaxFunc(calls, func(a, b incidentCall) int { return a.Time.Compare(b.Time) }).Time
	const lead = 2 * time.Hour
	p := &Plan{
		Format: Format, Generator: Generator, Seed: seed, Profile: IncidentProfile,
		Start: first.Add(-lead).UTC().Truncate(time.Hour),
		Settings: Settings{
			Instances: 2, Workers: 1, SweepEveryMS: 15 * minuteMS, StatementLagMS: 1000, PageSize: 100,
		},
		Charges: []Charge{}, Payments: []Payment{}, Faults: []Deviation{},
	}
	p.HorizonMS = max(DayMS, last.Sub(p.Start).Milliseconds()+hourMS)
	table := fittingTable(byPix)
	p.Settings.Retry, p.Settings.CallbackTimeoutMS = table.Name, incidentTimeout.Milliseconds()
	for i, id := range order {
		if err := p.addIncident(i, byPix[id], table); err != nil {
			return nil, err
		}
	}
	// Faults end with the plan's last action, and a retry is none: a slow moment of
	// the merchant's endpoint after the last attempt keeps them until then.
	end := last.Sub(p.Start).Milliseconds() + secondMS
	p.Faults = append(p.Faults, Deviation{
		Kind: "endpoint_slow", Target: Target{Window: &Window{Place: PlaceEndpoint, FromMS: end, ToMS: end + 1}}, Set: Change{SlowMS: 1},
	})
	return p, p.Validate()
}

func readCalls(r io.Reader) ([]incidentCall, error) {
	var out []incidentCall
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c, err := readCall(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c.line = n
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read incident: %w", err)
	}
	if len(out) == 0 {
		return nil, errors.New("the incident is empty; want a JSON object a line with endToEndId, time, attempt and answer")
	}
	return out, nil
}

func readCall(line []byte) (incidentCall, error) {
	var c incidentCall
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fmt.Errorf("%s; want endToEndId, time (RFC 3339), attempt, answer and perhaps valor", strings.TrimPrefix(err.Error(), "json: "))
	}
	answer := strings.Trim(string(c.Answer), `"`)
	status, err := strconv.Atoi(answer)
	known := err == nil && status >= 100 && status <= 599
	const length = 32 // of an endToEndId
	switch {
	case len(c.EndToEndID) != length:
		return c, fmt.Errorf("endToEndId %q has %d characters; want %d", c.EndToEndID, len(c.EndToEndID), length)
	case c.Time.IsZero():
		return c, errors.New("time is missing; want an instant such as 2026-03-10T03:00:00Z")
	case c.Attempt < 1:
		return c, fmt.Errorf("attempt is %d; want 1 or more", c.Attempt)
	case !known && answer != "timeout":
		return c, fmt.Errorf(`answer is %q; want a status such as 200, or "timeout"`, answer)
	}
	c.status = status
	return c, nil
}

// fittingTable is the retry table whose pauses are nearest to those seen.
func fittingTable(byPix map[string][]incidentCall) RetryTable {
	type pause struct {
		nth int
		of  time.Duration
	}
	var seen []pause
	for _, id := range sortedKeys(byPix) {
		firsts := firstCopies(byPix[id])
		for i := 1; i < len(firsts); i++ {
			seen = append(seen, pause{firsts[i-1].Attempt, firsts[i].Time.Sub(firsts[i-1].Time)})
		}
	}
	best, least := RetryTable{}, math.Inf(1)
	for _, t := range RetryTables() {
		off := 0.0
		for _, s := range seen {
			if s.nth > len(t.Delays) {
				off += math.Abs(s.of.Seconds()) + 1e9 // it would not come again at all
				continue
			}
			off += math.Abs((s.of - t.Delays[s.nth-1]).Seconds())
		}
		if off < least {
			best, least = t, off
		}
	}
	return best
}

func sortedKeys(m map[string][]incidentCall) []string {
	var out []string
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// firstCopies are the earliest call of each attempt, in order.
func firstCopies(calls []incidentCall) []incidentCall {
	sorted := slices.Clone(calls)
	slices.SortStableFunc(sorted, func(a, b incidentCall) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), a.Time.Compare(b.Time))
	})
	return slices.CompactFunc(sorted, func(a, b incidentCall) bool { return a.Attempt == b.Attempt })
}

// addIncident adds one Pix with its callbacks.
func (p *Plan) addIncident(n int, calls []incidentCall, table RetryTable) error {
	firsts := firstCopies(calls)
	for i, c := range firsts {
		if c.Attempt != i+1 {
			return fmt.Errorf("line %d: attempt %d of %s stands alone; want attempt %d before it", c.line, c.Attempt, c.EndToEndID, i+1)
		}
	}
	cents := int64(10_00)
	if v := firsts[0].Value; v != "" {
		var ok bool
		if cents, ok = centsOf(v); !ok {
			return fmt.Errorf("line %d: valor is %q; want an amount such as 10.00", firsts[0].line, v)
		}
	}
	const notify = 100 // milliseconds from settlement to callback
	at := firsts[0].Time.Sub(p.Start).Milliseconds() - notify
	num := itoa(n)
	p.Charges = append(p.Charges, Charge{
		ID: "c" + num, Reference: "INC-" + num, Kind: ChargeDynamic, AmountCents: cents,
		CreateAtMS: max(0, at-minuteMS), ExpiresInS: 24 * 3600,
	})
	p.Payments = append(p.Payments, Payment{
		ID: "p" + num, Charge: "c" + num, EndToEndID: firsts[0].EndToEndID, AmountCents: cents, AtMS: at, NotifyAfterMS: notify,
	})
	for i, c := range firsts {
		p.addAttempt("p"+num, c, i+1 < len(firsts))
		if i > 0 && i <= len(table.Delays) {
			late := c.Time.Sub(firsts[i-1].Time) - table.Delays[i-1]
			if before := firsts[i-1].status; before == 0 || before >= 200 && before <= 299 {
				late -= incidentTimeout // the PSP waited for an answer first
			}
			p.strike("delay", "p"+num, 0, c.Attempt, Change{DelayMS: max(0, late.Milliseconds())})
		}
	}
	for i, c := range copiesOf(calls, firsts) {
		p.strike("duplicate", "p"+num, i+1, 1, Change{CopyAfterMS: max(1, c.Time.Sub(firsts[0].Time).Milliseconds())})
	}
	return nil
}

// copiesOf are the calls that are no first of their attempt, by time.
func copiesOf(calls, firsts []incidentCall) []incidentCall {
	out := slices.DeleteFunc(slices.Clone(calls), func(c incidentCall) bool {
		return slices.ContainsFunc(firsts, func(f incidentCall) bool { return f.line == c.line })
	})
	slices.SortStableFunc(out, func(a, b incidentCall) int { return a.Time.Compare(b.Time) })
	return out
}

// addAttempt has one attempt go as it went.
func (p *Plan) addAttempt(payment string, c incidentCall, repeated bool) {
	switch {
	case c.status == 0, c.status >= 200 && c.status <= 299 && repeated:
		p.strike("ack_lost", payment, 0, c.Attempt, Change{AckLost: true})
	case c.status == 401 || c.status == 403:
		p.strike("forged", payment, 0, c.Attempt, Change{Signature: SignatureBad})
	case c.status == 413:
		p.strike("oversized", payment, 0, c.Attempt, Change{Shape: []string{ShapeOversized}})
	case c.status >= 400 && c.status <= 499:
		p.strike("truncated", payment, 0, c.Attempt, Change{Shape: []string{ShapeTruncated}})
	case c.status >= 500:
		from := max(0, c.Time.Sub(p.Start).Milliseconds()-secondMS/2)
		p.Faults = append(p.Faults, Deviation{
			Kind: "store_down", Target: Target{Window: &Window{Place: PlaceStore, FromMS: from, ToMS: from + secondMS}}, Set: Change{Down: true},
		})
	}
}

func (p *Plan) strike(kind, payment string, copies, attempt int, set Change) {
	if set.DelayMS == 0 && kind == "delay" {
		return
	}
	p.Faults = append(p.Faults, Deviation{Kind: kind, Set: set, Target: Target{
		Callback: &CallbackAddress{Subject: payment, Notice: NoticeCredit, Copy: copies, Attempt: attempt},
	}})
}

// centsOf reads an amount with two decimals.
func centsOf(text string) (int64, bool) {
	whole, part, ok := strings.Cut(text, ".")
	if !ok || len(part) != 2 || whole == "" || len(whole) > 10 {
		return 0, false
	}
	cents, err := strconv.ParseUint(whole+part, 10, 63)
	return int64(cents), err == nil && cents > 0
}
