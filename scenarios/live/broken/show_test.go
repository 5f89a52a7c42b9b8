package broken_test

import (
	"os"
	"testing"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/receiver/postgres"
	"github.com/pixlab/pixlab/scenarios/live/broken"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestEveryLiveBrokenReceiverIsCaught has each show what is wrong with it, and the
// reference on a database beside it show nothing.
func TestEveryLiveBrokenReceiverIsCaught(t *testing.T) {
	t.Parallel()
	for _, r := range append(broken.Receivers(), broken.Reference()) {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			finding, err := broken.Show(t.Context(), pgtest.Database(t, "receiver", postgres.Migrate), r)
			if err != nil {
				t.Fatal(err)
			}
			if caught := finding != ""; caught != (r.Invariant != "") {
				t.Errorf("finding %q; %s", finding, r.Doc)
			}
			t.Log(finding)
		})
	}
}
