package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/golden.json anew, after a bump of Generator")

const goldenFile = "testdata/golden.json"

// golden holds the hashes of the plans of seeds 1 to 20.
type golden struct {
	Generator int          `json:"generator"`
	Profile   string       `json:"profile"`
	Plans     []goldenPlan `json:"plans"`
}

type goldenPlan struct {
	Seed Seed   `json:"seed"`
	Hash string `json:"hash"`
}

func drawGolden(t *testing.T) golden {
	g := golden{Generator: Generator, Profile: DefaultProfile}
	for seed := Seed(1); seed <= 20; seed++ {
		g.Plans = append(g.Plans, goldenPlan{seed, generate(t, Options{Seed: seed}).Hash()})
	}
	return g
}

func readGolden(t *testing.T) (g golden, found bool) {
	text, err := os.ReadFile(goldenFile)
	if errors.Is(err, fs.ErrNotExist) {
		return golden{}, false
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatalf("%s: %v", goldenFile, err)
	}
	return g, true
}

// moved lists the seeds whose hashes differ.
func moved(old, drawn golden) (seeds []Seed) {
	for i, p := range drawn.Plans {
		if i >= len(old.Plans) || old.Plans[i] != p {
			seeds = append(seeds, p.Seed)
		}
	}
	return seeds
}

// TestGoldenPlans fails when a draw moved, or the file layout did. Whoever
// means it bumps Generator and writes the file anew with -update, which
// refuses to hide a change behind an old number.
func TestGoldenPlans(t *testing.T) {
	t.Parallel()
	old, found := readGolden(t)
	drawn := drawGolden(t)
	seeds := moved(old, drawn)
	switch {
	case len(seeds) == 0 && old.Generator == Generator:
	case found && old.Generator == Generator:
		t.Errorf("the plans of seeds %v are not those of %s, though Generator is still %d.\n"+
			"A change that moves draws raises Generator in plan.go by one; then run\n"+
			"  go test ./chaos -run TestGoldenPlans -update", seeds, goldenFile, Generator)
	case *update:
		writeGolden(t, drawn)
	default:
		t.Errorf("%s is of generator %d and this is generator %d; run\n"+
			"  go test ./chaos -run TestGoldenPlans -update", goldenFile, old.Generator, Generator)
	}
}

func writeGolden(t *testing.T, g golden) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(g); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
