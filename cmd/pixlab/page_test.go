package main

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                        nil,
		"one two three":           {"one two", "three"},
		"a  lengthy-word-alone b": {"a", "lengthy-word-alone", "b"},
		"paid R$ 10,00":           {"paid", "R$ 10,00"},
	} {
		if got := wrap(text, 8); !slices.Equal(got, want) {
			t.Errorf("wrap %q: %q, want %q", text, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -123: "-123", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"run": "run", "--plan": "--plan", "a/b.json": "a/b.json", "": "''", "my plan": "'my plan'", "it's": `'it'\''s'`, "$(x)": "'$(x)'",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestVirtual(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{0: "0 min 00 s", 61_500: "1 min 01 s", 129_600_009: "36 h 00 min 00 s"} {
		if got := virtual(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}

func TestFileWord(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{"mixed": "mixed", "../../etc": "------etc", "ação": "a--o", "": ""} {
		if got := fileWord(profile); got != want {
			t.Errorf("%q: %s, want %s", profile, got, want)
		}
	}
	if got := fileWord(strings.Repeat("x", 500)); len(got) != 40 {
		t.Errorf("%d characters", len(got))
	}
}

func TestColourOnlyWhereAsked(t *testing.T) {
	t.Parallel()
	plain, painted := &page{}, &page{colour: true}
	if got := plain.mark(true) + plain.bad("x"); got != "✓x" {
		t.Errorf("%q", got)
	}
	if got := painted.mark(false); got != "\x1b[1;31m✗\x1b[0m" {
		t.Errorf("%q", got)
	}
}
