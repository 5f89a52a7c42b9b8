package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/broken.md anew")

const brokenPageFile = "../../docs/broken.md"

// TestGoldenBrokenPage holds docs/broken.md to what there is: a row for each
// that is wrong on purpose, in order, with what is wrong and what catches it.
// The numbers take minutes; PIXLAB_BROKEN_PAGE has them compared too, -update
// writes them.
func TestGoldenBrokenPage(t *testing.T) {
	if *update {
		text := pixlab("", "broken", "--table").want(t, exitHeld).out
		if err := os.WriteFile(brokenPageFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(brokenPageFile)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	if os.Getenv("PIXLAB_BROKEN_PAGE") != "" {
		if today := pixlab("", "broken", "--table").want(t, exitHeld).out; today != page {
			t.Errorf("docs/broken.md is not what pixlab broken --table prints; if that is meant, run make golden:\n%s", today)
		}
		return
	}
	var rows []string
	for l := range strings.Lines(page) {
		if strings.HasPrefix(l, "| `") {
			rows = append(rows, l)
		}
	}
	suspects := newCLI(nil, nil, nil).suspects()
	if len(rows) != len(suspects) {
		t.Fatalf("docs/broken.md has %d rows, %d are wrong on purpose; run make golden", len(rows), len(suspects))
	}
	for i, s := range suspects {
		want := "| `" + s.name + "` | " + strings.ReplaceAll(s.doc, "|", `\|`) + " | " + s.invariant + " | " + s.mode + " | "
		if !strings.HasPrefix(rows[i], want) || strings.Contains(rows[i], "not caught") {
			t.Errorf("row %d is\n%swant it to begin with\n%s\nand to be caught; run make golden", i+1, rows[i], want)
		}
	}
}
