package broken_test

import (
	"testing"

	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// TestEachInvariantCatchesOneAlone turns all checkers off but one, and has that
// one catch a receiver that is there for it. An invariant without a receiver
// would be one that nobody has seen fail.
func TestEachInvariantCatchesOneAlone(t *testing.T) {
	t.Parallel()
	for _, id := range scenarios.Invariants() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for _, b := range broken.Receivers() {
				if b.Invariant != id {
					continue
				}
				tried++
				for seed := 1; seed <= seeds(t); seed++ {
					r := run(t, seed, scenarios.Options{Receiver: &b, StopAtFirst: true, Without: scenarios.AllBut(id)})
					if breaks(r, id) {
						return
					}
				}
			}
			t.Errorf("none of %d receivers is caught by %s alone", tried, id)
		})
	}
}
