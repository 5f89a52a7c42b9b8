package pixlab_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestGuaranteesNameWhatThereIs wants every test, outcome, scenario and broken
// receiver that docs/guarantees.md and its fellows name to be there, and every
// guarantee to name a test.
func TestGuaranteesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	there := namesInTheTree(t)
	for _, page := range []string{"guarantees.md", "idempotency.md", "decisions.md", "articles.md"} {
		text, err := os.ReadFile(filepath.Join("docs", page))
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for line := range strings.Lines(string(text)) {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line, -1) {
				is, known := there.knows(m[1])
				if is {
					named++
				}
				if is && !known {
					t.Errorf("docs/%s names %q, and there is none", page, m[1])
				}
			}
		}
		if named < 10 {
			t.Errorf("docs/%s names %d tests: it is not read as it is written", page, named)
		}
	}
	for _, invented := range []string{"TestThatNobodyWrote", "storetest/an outcome that nobody wrote"} {
		if is, known := there.knows(invented); !is || known {
			t.Errorf("%q passes", invented)
		}
	}
	for _, line := range guaranteesWithoutTest(t) {
		t.Errorf("docs/guarantees.md promises without a test: %s", line)
	}
	brokenOnesAreThere(t, there)
}

// brokenOnesAreThere looks at the last column of docs/guarantees.md.
func brokenOnesAreThere(t *testing.T, there treeNames) {
	t.Helper()
	named := 0
	for _, cells := range guaranteeRows(t) {
		for _, m := range regexp.MustCompile("`([a-z]+(?:-[a-z]+)+)`").FindAllStringSubmatch(cells[4], -1) {
			named++
			if !there.texts[m[1]] {
				t.Errorf("docs/guarantees.md names broken receiver %q, and there is none", m[1])
			}
		}
	}
	if named < 20 || there.texts["no-receiver"+"-of-ours"] {
		t.Errorf("%d broken receivers are named, want twenty or more", named)
	}
}

// guaranteeRows are the cells of the rows of docs/guarantees.md.
func guaranteeRows(t *testing.T) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "guarantees.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) == 6 && strings.TrimSpace(cells[1]) != "guarantee" && !strings.HasPrefix(cells[1], "-") {
			rows = append(rows, cells)
		}
	}
	return rows
}

// guaranteesWithoutTest are the rows whose third column names none.
func guaranteesWithoutTest(t *testing.T) (lines []string) {
	t.Helper()
	for _, cells := range guaranteeRows(t) {
		if !strings.Contains(cells[3], "`") && !strings.Contains(cells[3], "every run") {
			lines = append(lines, strings.TrimSpace(cells[1]))
		}
	}
	return lines
}

// treeNames are the tests of the tree, and all texts in its code, where outcomes,
// scenarios and broken receivers have their names.
type treeNames struct{ tests, texts map[string]bool }

// knows says whether a name is one that has to be there, and whether it is.
func (n treeNames) knows(name string) (is, known bool) {
	if outcome, is := strings.CutPrefix(name, "storetest/"); is {
		return true, n.texts[outcome]
	}
	if regexp.MustCompile(`^Test[A-Z]\w+$`).MatchString(name) {
		return true, n.tests[name]
	}
	return false, false
}

func namesInTheTree(t *testing.T) treeNames {
	t.Helper()
	names := treeNames{map[string]bool{}, map[string]bool{}}
	tr := newLoader(t).readTree(t, ".")
	for _, s := range tr.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					names.texts[text] = true
				}
			}
			return true
		})
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names.tests[f.Name.Name] = true
			}
		}
	}
	if len(names.tests) == 0 {
		t.Fatal(fs.ErrNotExist)
	}
	return names
}
