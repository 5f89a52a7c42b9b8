package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestReplayShowsTheStateAtAnEvent(t *testing.T) {
	t.Chdir(t.TempDir())
	r := pixlab("", "run", "--seed", "3", "--profile", "calm", "--trace", "trace.jsonl").want(t, exitHeld)
	trace, err := os.ReadFile("trace.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(trace)), "\n")
	at := 0
	for i, l := range lines {
		if strings.Contains(l, `"kind":"pix.settled"`) {
			at = i + 1
			break
		}
	}
	var state struct {
		Event int64            `json:"event"`
		Line  string           `json:"line"`
		Inbox []map[string]any `json:"inbox"`
		Pix   []map[string]any `json:"pix"`
	}
	out := pixlab("", "replay", "--seed", "3", "--profile", "calm", "--until", countFlagText(at), "--json").want(t, exitHeld).quiet(t).out
	if err := json.Unmarshal([]byte(out), &state); err != nil {
		t.Fatal(err)
	}
	if state.Event < int64(at) || len(state.Pix) != 1 || state.Pix[0]["settled"] != true || state.Pix[0]["ledger_cents"] != 0.0 || len(state.Inbox) != 0 {
		t.Errorf("at event %d the state is %s, want one Pix that settled and is nowhere else yet", at, out)
	}
	if state.Line != lines[state.Event-1] {
		t.Errorf("the line is %s, want event %d of the trace", state.Line, state.Event)
	}
	text := pixlab("", "replay", "--seed", "3", "--profile", "calm").want(t, exitHeld).out
	contains(t, text, "events in the inbox", "PROCESSED", "ledger and truth", "psp:pix:liquidar", "settled with R$ ")
	contains(t, r.out, "held")
}

func countFlagText(n int) string { f := countFlag{n: n}; return f.String() }

// TestTraceEndsWithTheRun has the digits of a trace's hash be those of the
// report, of a run that was cut short too.
func TestTraceEndsWithTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for n, want := range map[string]int{"10": 10, "200": 200} {
		var state struct {
			Event int64  `json:"event"`
			Line  string `json:"line"`
		}
		out := pixlab("", "replay", "--seed", "7", "--profile", "hostile", "--until", n, "--json").want(t, exitHeld).out
		if err := json.Unmarshal([]byte(out), &state); err != nil {
			t.Fatal(err)
		}
		var event struct {
			N int64 `json:"n"`
		}
		if err := json.Unmarshal([]byte(state.Line), &event); err != nil || event.N != state.Event || event.N < int64(want) {
			t.Errorf("until %s: the last line is event %d and the state that of event %d (%v)", n, event.N, state.Event, err)
		}
	}
}

func TestDiffNamesTheFirstDifference(t *testing.T) {
	t.Chdir(t.TempDir())
	pixlab("", "run", "--seed", "5", "--profile", "calm", "--trace", "a").want(t, exitHeld)
	text, err := os.ReadFile("a")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	write := func(name string, parts ...[]byte) {
		if err := os.WriteFile(name, bytes.Join(parts, nil), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("same", text)
	write("other", append(append([][]byte{}, lines[:6]...), append([][]byte{bytes.Replace(lines[6], []byte(`"actor":"`), []byte(`"actor":"x`), 1)}, lines[7:]...)...)...)
	write("short", lines[:9]...)
	write("none", []byte("no trace\n"))
	contains(t, pixlab("", "diff", "a", "same").want(t, exitHeld).out, "the same: ")
	other := pixlab("", "diff", "a", "other").want(t, exitNotDeterministic).out
	contains(t, other, "the first event that differs is 7", `"n":6,`, `"actor":"x`)
	contains(t, pixlab("", "diff", "a", "short").want(t, exitNotDeterministic).out, "the first event that differs is 10", "(has ended)")
	contains(t, pixlab(string(text), "diff", "-", "a").want(t, exitHeld).out, "the same: ")
	pixlab("", "diff", "a", "none").want(t, exitUsage)
	endless := "{" + strings.Repeat("\x00", longestLine)
	contains(t, pixlab(endless, "diff", "-", "a").want(t, exitUsage).err, "-: line 1 is longer than")
}

// TestInevitableNamesTheTurningPoint heals from the event that is named, where
// the run still comes right, and from the one after, where it does not.
func TestInevitableNamesTheTurningPoint(t *testing.T) {
	t.Chdir(t.TempDir())
	pixlab("", "shrink", "--seed", "5", "--profile", "hostile", "--receiver", "check-then-insert", "--out", "small.json").want(t, exitBroke)
	again := []string{"run", "--plan", "small.json", "--receiver", "check-then-insert"}
	r := pixlab("", append(again, "--inevitable", "--json")...).want(t, exitBroke)
	var got runJSON
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Inevitable == nil || got.Inevitable.Event < 1 || got.Inevitable.Line == "" {
		t.Fatalf("the turning point is %+v, want an event", got.Inevitable)
	}
	last := countFlagText(int(got.Inevitable.Event))
	pixlab("", append(again, "--heal-at", last)...).want(t, exitHeld)
	pixlab("", append(again, "--heal-at", countFlagText(int(got.Inevitable.Event)+1))...).want(t, exitBroke)
	contains(t, pixlab("", append(again, "--inevitable")...).want(t, exitBroke).out, "healed after event "+last)
}

// TestIncidentBecomesAPlan takes a log to a plan, and the plan through a run.
func TestIncidentBecomesAPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	log := `{"endToEndId":"E99999008202603101403abcdefghij1","time":"2026-03-10T14:03:11Z","attempt":1,"answer":"timeout","valor":"123.45"}
{"endToEndId":"E99999008202603101403abcdefghij1","time":"2026-03-10T14:08:20Z","attempt":2,"answer":500}
{"endToEndId":"E99999008202603101403abcdefghij1","time":"2026-03-10T14:18:45Z","attempt":3,"answer":200}
`
	plan := pixlab(log, "plan", "--from", "-").want(t, exitHeld).quiet(t).out
	if err := os.WriteFile("incident.json", []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	pixlab("", "run", "--plan", "incident.json", "--trace", "t").want(t, exitHeld)
	trace, err := os.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(trace), `"detail":"cb/p0/credit/0/1"`, "time-out, again at 2026-03-10T14:08:20.0", `"detail":"503, again at 2026-03-10T14:18:45.0`, `"kind":"callback.acked"`)
}
