package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
)

// object decodes a JSON object and fails unless it has exactly these members.
func object(t *testing.T, text []byte, members string) map[string]json.RawMessage {
	t.Helper()
	var got map[string]json.RawMessage
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if members != "" {
		if have, want := slices.Sorted(maps.Keys(got)), slices.Sorted(slices.Values(strings.Fields(members))); !slices.Equal(have, want) {
			t.Fatalf("members %v, want %v", have, want)
		}
	}
	return got
}

func array(t *testing.T, text []byte) []json.RawMessage {
	t.Helper()
	var got []json.RawMessage
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return got
}

func TestRunJSON(t *testing.T) {
	t.Parallel()
	got := pixlab("", "run", "--seed", "42", "--json").want(t, exitHeld).quiet(t)
	top := object(t, []byte(got.out), `verdict seed profile mode hash events payments faults invariants totals inbox
		simulated_ms elapsed_ms repeat receiver version plan_hash pending voids cases_open refunds payouts`)
	for member, want := range map[string]string{
		"verdict": `"held"`, "seed": `"42"`, "profile": `"mixed"`, "mode": `"model"`, "receiver": `"reference"`,
		"payments": "20", "simulated_ms": "216000", "pending": "[]",
	} {
		if text := string(top[member]); !strings.HasPrefix(text, want) {
			t.Errorf("%s is %s, want %s", member, text, want)
		}
	}
	for kind, count := range object(t, top["faults"], "") {
		if _, ok := chaos.KindNamed(kind); !ok {
			t.Errorf("fault kind %q is unknown", kind)
		}
		object(t, count, "planned fired")
	}
	list := array(t, top["invariants"])
	if len(list) < 14 {
		t.Errorf("%d invariants", len(list))
	}
	for _, i := range list {
		object(t, i, "id name held detail")
	}
	object(t, top["totals"], "statement_cents ledger_cents")
	object(t, top["inbox"], "processed quarantined pending")
	object(t, top["refunds"], "returned returned_cents in_process_cents")
	object(t, top["payouts"], "confirmed confirmed_cents returned_cents in_transit_cents")
	plain := pixlab("", "run", "--seed", "42")
	contains(t, string(top["hash"]), hashOf(t, plain.out))
	var repeat string
	if err := json.Unmarshal(top["repeat"], &repeat); err != nil || "repeat: "+repeat != lastLine(plain.out) {
		t.Errorf("repeat is %s, want %s", repeat, lastLine(plain.out))
	}
}

func TestRunJSONOfAViolation(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := firstSeed(t, "check-then-insert")
	got := pixlab("", "run", "--seed", seed, "--receiver", "check-then-insert", "--json").want(t, exitBroke)
	file := "pixlab-plan-" + seed + "-mixed.json"
	contains(t, got.out, `"verdict": "violated"`, `"held": false`, ", plan "+file)
	if want := "pixlab: plan written to " + file + "\n"; got.err != want {
		t.Errorf("stderr %q, want %q", got.err, want)
	}
}
