package scenarios_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// TestCallbacksShareCommitsInTheModel wants seeds in which several callbacks
// were stored by one command, and that command killed or its commit lost.
func TestCallbacksShareCommitsInTheModel(t *testing.T) {
	t.Parallel()
	shared, struck := 0, 0
	for seed := chaos.Seed(1); seed <= 60; seed++ {
		plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: chaos.DefaultProfile})
		if err != nil {
			t.Fatal(err)
		}
		var trace bytes.Buffer
		w, err := scenarios.NewWorld(plan, scenarios.Options{Trace: &trace})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(trace.Bytes()) {
			var e struct {
				Actor, Kind, Detail string
				IDs                 map[string]string
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			batcher := strings.Contains(e.Actor, "/batcher")
			if n, _ := strconv.Atoi(e.IDs["n"]); batcher && e.Kind == "AppendInbox" && n > 1 {
				shared++
			}
			if batcher && e.Kind == "commit.lost" || e.Kind == "instance.crash" && strings.Contains(e.Detail, "AppendInbox") {
				struck++
			}
		}
	}
	if shared == 0 || struck == 0 {
		t.Errorf("%d commands stored several callbacks, %d were struck: want some of both", shared, struck)
	}
}
