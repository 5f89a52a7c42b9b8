package pixlab_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The patterns below are put together from pieces, so that this file does not
// break its own rules.

func textRules() []rule {
	return []rule{{
		name: "nothing is left for later", check: checkLater,
		bad: []sample{
			{"pix/a.go": "package pix\n// TO" + "DO: the rest"},
			{"Makefile": "all: # FIX" + "ME"},
			{"m.sql": "-- XX" + "X"},
		},
		good: []sample{{"pix/a.go": "package pix\n// A todo list is not a mark.", "chaos/a.go": "package chaos; import \"context\"; var c = context.TO" + "DO()"}},
	}, {
		name: "the tree knows no machine", check: checkMachine,
		bad: []sample{
			{"README.md": "see /ho" + "me/someone/x"},
			{"a.json": `{"path": "/Us` + `ers/x"}`},
			{"Makefile": "GO" + "PROXY=https://proxy.example"},
			{"a.yaml": "image: gh" + "cr.io/x/y"},
			{"docs/a.md": "read ../sha" + "red/x.md"},
			{".ci/run": "cat ../sha" + "red/other.yaml"},
		},
		good: []sample{
			{"README.md": "the folder is work/home; https://example.com/home/x; we shared"},
			{".ci/run": "spec=../sha" + "red/reference/openapi-pix-subset.yaml"},
		},
	}}
}

// later finds marks of work put off. A member of that name, as package context
// has one, is no mark.
func later() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w.])(?:TO` + `DO|FIX` + `ME|XX` + `X)\b`)
}

func checkLater(t *tree) []finding {
	return t.match(later(), func(string) string { return "" }, "is a note to oneself: do it, or say what holds today")
}

func checkMachine(t *tree) []finding {
	paths := "(?:^|[\\s\"'=(`:])/(?:ho" + "me|Us" + "ers|ro" + "ot|wo" + "rk|m" + "nt|var/folders|private)/"
	hosts := `proxy\.gol` + `ang\.org|sum\.gol` + `ang\.org|GO` + `PROXY|GO` + `SUMDB|docker\.i` + `o\b|gh` + `cr\.io|qu` + `ay\.io|\bg` +
		`cr\.io|\.pkg` + `\.dev|pyp` + `i\.org|registry\.np` + `mjs|artifact` + `ory`
	foreign := `\bsha` + `red/`
	re := regexp.MustCompile(paths + "|" + hosts + "|" + foreign)
	allowed := func(path string) string {
		if path == ".ci/run" {
			return "../sha" + "red/reference/openapi-pix-subset.yaml"
		}
		return ""
	}
	return t.match(re, allowed, "names a machine, a registry or a folder outside the tree: leave it out")
}

// match looks for a pattern in every text of the tree but module sums. What
// allowed answers for a file is cut out of its lines first.
func (t *tree) match(re *regexp.Regexp, allowed func(path string) string, why string) []finding {
	var out []finding
	for _, f := range t.texts {
		if slices.Contains([]string{"go.sum"}, f.path) {
			continue
		}
		for i, line := range f.lines {
			if a := allowed(f.path); a != "" {
				line = strings.ReplaceAll(line, a, "")
			}
			if found := re.FindString(line); found != "" {
				out = append(out, finding{f.path + ":" + strconv.Itoa(i+1), strconv.Quote(found) + " " + why})
			}
		}
	}
	return out
}
