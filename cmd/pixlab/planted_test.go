package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// shuffled stores the items of a batch in the order in which a map gives them.
type shuffled struct{ receiver.Store }

func (s shuffled) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	byKey := map[int]receiver.InboxItem{}
	for i, item := range in {
		byKey[i] = item
	}
	var order []int
	var items []receiver.InboxItem
	for i, item := range byKey {
		order, items = append(order, i), append(items, item)
	}
	outs, err := s.Store.AppendInbox(ctx, items)
	if err != nil {
		return nil, err
	}
	back := make([]receiver.AppendOutcome, len(in))
	for k, i := range order {
		back[i] = outs[k]
	}
	return back, nil
}

// impatient looks at the machine's clock where an event has to wait, and
// nowhere else.
type impatient struct{ receiver.Store }

func (s impatient) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	for i := range in {
		if in[i].Quarantine == "" {
			in[i].Until = in[i].Until.Add(time.Duration(time.Now().Nanosecond()/1000%1000) * time.Millisecond)
		}
	}
	return s.Store.DeferEvents(ctx, in)
}

// planted is the reference on another store.
func planted(name string, on func(receiver.Store) receiver.Store) scenarios.Receiver {
	return scenarios.Receiver{Name: name, Doc: name, Build: func(e scenarios.Env) (scenarios.Built, error) {
		e.Store = on(e.Store)
		return scenarios.Reference().Build(e)
	}}
}

// TestPlantedChanceIsFound plants a range over a map and a look at the machine's
// clock, and has the usual search, one seed in fifty twice, find each within 200
// seeds and name the first event that differs.
func TestPlantedChanceIsFound(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, on := range map[string]func(receiver.Store) receiver.Store{
		"map-range":  func(s receiver.Store) receiver.Store { return shuffled{s} },
		"wall-clock": func(s receiver.Store) receiver.Store { return impatient{s} },
	} {
		t.Run(name, func(t *testing.T) {
			r := with(time.Minute, []scenarios.Receiver{planted(name, on)},
				"explore", "--seeds", "1-200", "--profile", "hostile", "--receiver", name, "--jobs", "2", "--related", "0", "--json")
			r.want(t, exitNotDeterministic)
			var got exploreJSON
			if err := json.Unmarshal([]byte(r.out), &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Failures) == 0 || got.Failures[0].Invariant != "determinism" {
				t.Fatalf("failures %+v, want one of determinism", got.Failures)
			}
			if d := got.Failures[0].Detail; !strings.Contains(d, "two runs differ first at event ") || strings.Count(d, `"kind":"`) != 2 {
				t.Errorf("the detail is %q, want the first event that differs, in both runs", d)
			}
			if rep := got.Groups[0].Repeat; !strings.Contains(rep, "--check-determinism") {
				t.Errorf("repeat %q, want one that compares two runs", rep)
			}
		})
	}
}
