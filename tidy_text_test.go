package pixlab_test

import (
	"go/ast"
	"path"
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
	}, {
		name: "pages name what exists", check: checkPages,
		bad: []sample{
			{"docs/a.md": "see `TestNothing`"},
			{"docs/a.md": "see [the plan](plan.md)"},
			{"docs/a.md": "see `pix/nothing.go`"},
			{"docs/a.md": "see `pix/`"},
			{"docs/a.md": "see `storetest/no such outcome`", "receiver/storetest/a.go": "package storetest\nvar x = `another outcome`"},
		},
		good: []sample{{
			"docs/a.md": "see `TestThing`, [the other](b.md#part), [the code](../pix/a.go), [the web](https://example.com/x.md),\n" +
				"`pix/a.go`, `pix/`, `chaos/fault_<name>.go`, `storetest/one outcome`, `go test ./pix`, `/v2/pix`",
			"docs/b.md":               "",
			"pix/a.go":                "package pix",
			"pix/a_test.go":           "package pix\nfunc TestThing() {}",
			"receiver/storetest/a.go": "package storetest\nvar x = `one outcome`",
		}},
	}}
}

// checkPages looks at what Markdown names: tests, files and folders in code
// spans, targets of links, and outcomes of the stores' suite ("storetest/…").
func checkPages(t *tree) []finding {
	known := t.known()
	link := regexp.MustCompile(`\]\(([^)#\s]+)`)
	test := regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
	span := regexp.MustCompile("`([^`]+)`")
	file := regexp.MustCompile(`^\w[\w.-]*/(?:[\w.-]+/)*(?:[\w.-]+\.(?:go|md|json|sql))?$`)
	var out []finding
	for _, f := range t.texts {
		if path.Ext(f.path) != ".md" {
			continue
		}
		for i, line := range f.lines {
			miss := func(name, key string) {
				if !known[key] {
					out = append(out, finding{f.path + ":" + strconv.Itoa(i+1), strconv.Quote(name) + " is nowhere in the tree: name what exists"})
				}
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(m[1], "://") {
					miss(m[1], path.Join(path.Dir(f.path), m[1]))
				}
			}
			for _, name := range test.FindAllString(line, -1) {
				miss(name, name)
			}
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				if outcome, ok := strings.CutPrefix(m[1], "storetest/"); ok {
					miss(m[1], "storetest/"+outcome)
				} else if file.MatchString(m[1]) {
					miss(m[1], path.Clean(m[1]))
				}
			}
		}
	}
	return out
}

// known holds every file and folder by its path, every function of a test by
// its name, and every text in the stores' suite behind "storetest/".
func (t *tree) known() map[string]bool {
	known := map[string]bool{}
	for _, f := range t.texts {
		for p := f.path; p != "."; p = path.Dir(p) {
			known[p] = true
		}
	}
	for _, s := range t.sources {
		for n := range ast.Preorder(s.file) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				known[n.Name.Name] = known[n.Name.Name] || s.test
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && s.dir == "receiver/storetest" {
					known["storetest/"+text] = true
				}
			}
		}
	}
	return known
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
