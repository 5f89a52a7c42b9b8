package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/demo"
)

// TestOneHashEverywhere runs seed 42 three ways: the text report, the viewer's
// page and the demo's columns tell of one run.
func TestOneHashEverywhere(t *testing.T) {
	t.Chdir(t.TempDir()) // a run that fails leaves its plan
	page := filepath.Join(t.TempDir(), "run.html")
	report := pixlab("", "run", "--seed", "42", "--profile", "stage", "--html", page).want(t, 0)
	left := pixlab("", "run", "--seed", "42", "--profile", "stage", "--receiver", "naive", "--json")
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	c := newCLI(strings.NewReader(""), nil, nil)
	s, err := demo.New(chaos.Options{Seed: 42, Profile: "stage"}, c.receivers)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Face("naive"); err != nil {
		t.Fatal(err)
	}
	state, _ := s.State()
	hash := regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	for where, text := range map[string]string{"the report": report.out, "the viewer": string(html)} {
		if got := hash.FindString(text); got != state.Right.Hash {
			t.Errorf("%s has %q, the demo %s", where, got, state.Right.Hash)
		}
	}
	contains(t, string(html), `"verdict":"held"`)
	contains(t, report.out, "held: all")
	contains(t, left.out, state.Left.Hash, `"verdict": "violated"`)
	if state.Right.Verdict != "held" || state.Left.Verdict != "violated" || left.code != 1 {
		t.Errorf("the demo says %s and %s, the report of the left ends with %d", state.Right.Verdict, state.Left.Verdict, left.code)
	}
}

// TestTalkAsFiles writes the scenes: two pages and one plan each, which runs to
// the hash that its page shows.
func TestTalkAsFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir()) // a run that fails leaves its plan
	said := pixlab("", "demo", "--talk", "--html", dir).want(t, 0).quiet(t).out
	if n := strings.Count(said, "\n"); n != 16 {
		t.Errorf("%d pages, want two of each of eight scenes:\n%s", n, said)
	}
	html, err := os.ReadFile(filepath.Join(dir, "4-forged-naive.html"))
	if err != nil {
		t.Fatal(err)
	}
	again := pixlab("", "run", "--plan", filepath.Join(dir, "4-forged.json"), "--receiver", "naive", "--json").want(t, 1)
	contains(t, again.out, regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindString(string(html)))
	pixlab("", "demo", "--html", dir).want(t, 2)
	pixlab("", "demo", "--talk", "--endless").want(t, 2)
}
