package shrink

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios"
)

// event is one line of a trace.
type event struct {
	N      int64             `json:"n"`
	T      int64             `json:"t"` // microseconds
	Actor  string            `json:"actor"`
	Kind   string            `json:"kind"`
	IDs    map[string]string `json:"ids"`
	Detail string            `json:"detail"`
}

// command says whether the event is one of the store.
func (e event) command() bool { return e.Kind != "" && unicode.IsUpper(rune(e.Kind[0])) }

// clock is the event's time from the plan's start.
func (e event) clock() string { return clock(e.T / 1000) }

func clock(ms int64) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// Story tells a failing run from the money's side: for every Pix of the plan,
// what was said of it, who did what with it between which steps of others, and
// what the books had in the end. The run that it is told by is ended by the
// violation.
func (s *Shrinker) Story(plan *chaos.Plan) ([]string, error) {
	var trace bytes.Buffer
	o := s.Options
	o.Trace, o.Show = &trace, true
	if s.Invariant != Converge {
		o.StopAtFirst, o.Without = true, scenarios.AllBut(s.Invariant)
	}
	r, err := s.Drive(plan, o)
	if err != nil {
		return nil, err
	}
	events, err := readTrace(&trace)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, pay := range plan.Payments {
		out = append(out, tellPix(plan, pay, events, r.State)...)
	}
	for _, e := range events {
		if e.Kind == "violation" {
			return append(out, e.clock()+"  "+e.IDs["invariant"]+" breaks: "+e.Detail), nil
		}
	}
	for _, what := range r.Pending {
		out = append(out, "in the end there is still "+what)
	}
	return out, nil
}

func readTrace(r io.Reader) ([]event, error) {
	var out []event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read trace: %w", err)
		}
		out = append(out, e)
	}
	return out, lines.Err()
}

// mostLines bounds what is told of one Pix; the first and the last are told.
const mostLines = 24

func tellPix(plan *chaos.Plan, pay chaos.Payment, events []event, state *scenarios.State) []string {
	head := fmt.Sprintf("Pix %s (%s), %s, paid at %s", pay.EndToEndID, pay.ID, brl(pay.AmountCents), clock(pay.AtMS))
	if pay.Charge == "" {
		head += " to the bare key"
	}
	mine := subjectsOf(plan, pay)
	for _, c := range plan.Charges {
		if c.ID == pay.Charge {
			head += fmt.Sprintf(" for charge %s of %s", c.Reference, brl(c.AmountCents))
		}
	}
	var lines []string
	for i, e := range events {
		if mine[e.IDs["subject"]] || e.IDs["e2e"] == pay.EndToEndID || e.Kind == "instance.crash" || e.Kind == "heal" || e.Kind == "instance.up" && e.IDs["life"] != "0" {
			if text := say(events, i, mine); text != "" {
				lines = append(lines, "  "+e.clock()+"  "+text)
			}
		}
	}
	if n := len(lines) - mostLines; n > 0 {
		lines = slices.Concat(lines[:mostLines/2], []string{fmt.Sprintf("  … %d more", n)}, lines[len(lines)-mostLines/2:])
	}
	return slices.Concat([]string{head + ":"}, lines, []string{"  " + books(pay, state)})
}

// subjectsOf are the plan's names for a payment and all that hangs on it.
func subjectsOf(plan *chaos.Plan, pay chaos.Payment) map[string]bool {
	mine := map[string]bool{pay.ID: true, pay.EndToEndID: true}
	if pay.Charge != "" {
		mine[pay.Charge] = true
	}
	for _, r := range plan.Refunds {
		if r.Payment == pay.ID {
			mine[r.ID] = true
		}
	}
	for _, d := range plan.Disputes {
		if d.Payment == pay.ID {
			mine[d.ID] = true
		}
	}
	return mine
}

// say is one event in words, empty for what says nothing of money.
func say(events []event, i int, mine map[string]bool) string {
	e := events[i]
	switch e.Kind {
	case "pix.settled":
		return "it settles at the PSP with R$ " + strings.ReplaceAll(e.Detail, ".", ",")
	case "callback.sent":
		return attempt(e.Detail) + " leaves"
	case "http.arrive":
		return arrival(events, i, mine)
	case "callback.acked":
		return "the PSP takes " + attempt(e.Detail) + " for acknowledged"
	case "callback.refused", "callback.given_up", "callback.dropped", "callback.no_webhook":
		return strings.ReplaceAll(e.Kind, "_", " ") + ": " + e.Detail
	case "refund.asked", "refund.settled":
		return strings.ReplaceAll(e.Kind, ".", " ") + " at the PSP: " + e.Detail
	case "api":
		return "the receiver asks the PSP: " + e.Detail
	case "dispute", "dispute.reported", "refund.app", "call.timeout", "commit.lost", "instance.crash", "instance.up", "payment.void":
		return strings.TrimSpace(e.Actor + ": " + strings.ReplaceAll(e.Kind, ".", " ") + " " + e.Detail)
	case "heal":
		return "from here on nothing goes wrong any more"
	}
	if e.command() {
		return strings.TrimSpace(e.Actor + ": " + e.Kind + " " + e.Detail)
	}
	return ""
}

// arrival says where a request comes in, and between which commands of others
// on the same money.
func arrival(events []event, i int, mine map[string]bool) string {
	e := events[i]
	instance, rest, _ := strings.Cut(e.Actor, "/http/")
	text := e.Detail
	if strings.HasPrefix(rest, "cb/") {
		text = attempt(rest)
	}
	text += " arrives at " + instance
	near := func(step int) string {
		for k := i + step; k >= 0 && k < len(events); k += step {
			if x := events[k]; x.command() && mine[x.IDs["subject"]] && x.Actor != e.Actor {
				return x.Kind + " of " + x.Actor
			}
		}
		return ""
	}
	before, after := near(-1), near(1)
	if before != "" && after != "" {
		text += " between " + before + " and " + after
	}
	return text
}

// attempt is the name of an attempt, "cb/p3/credit/0/2", in words.
func attempt(name string) string {
	parts := strings.Split(strings.TrimPrefix(name, "cb/"), "/")
	if len(parts) < 4 {
		return "a callback"
	}
	n := len(parts)
	text := "attempt " + parts[n-1]
	if parts[n-2] != "0" {
		text += " of copy " + parts[n-2]
	}
	text += " of its callback"
	if notice := strings.Join(parts[1:n-2], "/"); notice != chaos.NoticeCredit {
		text += " " + notice
	}
	return text
}

// books says what a Pix came to.
func books(pay chaos.Payment, state *scenarios.State) string {
	for _, p := range state.Pix {
		if string(p.EndToEndID) != pay.EndToEndID {
			continue
		}
		times := fmt.Sprintf("credited %d times", len(p.Credits))
		switch len(p.Credits) {
		case 0:
			times = "never credited"
		case 1:
			times = "credited once"
		case 2:
			times = "credited twice"
		}
		var sums []string
		for _, c := range p.Credits {
			sums = append(sums, c.BRL())
		}
		if len(sums) > 0 {
			times += " (" + strings.Join(sums, ", ") + ")"
		}
		return fmt.Sprintf("%s; %s in the ledger, %s in the statement", times, p.Net.BRL(), p.Statement.BRL())
	}
	return "it is neither in the ledger nor in the statement"
}

func brl(cents int64) string { return pix.Amount(cents).BRL() }
