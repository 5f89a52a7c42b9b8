// Package pixlab_test holds the tree to its style: what a reviewer would
// otherwise have to say again and again is a rule here, and each rule proves on
// small samples that it can fail.
package pixlab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// modulePath is the import path of the tree's root.
const modulePath = "github.com/pixlab/pixlab"

// finding is one place that breaks a rule.
type finding struct {
	at   string // file:line
	what string // what is there, and what would be right
}

// sample is a small tree, file by path. A rule must find something in a bad
// one, and nothing in a good one.
type sample map[string]string

// rule is one thing that holds everywhere.
type rule struct {
	name  string
	check func(t *tree) []finding
	bad   []sample
	good  []sample
}

// rules are all of them, in the order of the files they stand in.
func rules() []rule {
	return slices.Concat(layerRules(), docRules(), sizeRules(), stateRules(), orderRules(), banRules(), sqlRules(), textRules())
}

func TestTidy(t *testing.T) {
	l := newLoader(t)
	tr := l.readTree(t, ".")
	if len(tr.sources) < 50 {
		t.Fatalf("only %d Go files found: this is not the root of the tree", len(tr.sources))
	}
	for _, err := range tr.typeErrors() {
		t.Errorf("the tree does not type-check: %v", err)
	}
	for _, r := range rules() {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			for _, f := range r.check(tr) {
				t.Errorf("%s: %s", f.at, f.what)
			}
		})
	}
}

func TestTidyRulesCanFail(t *testing.T) {
	l := newLoader(t)
	for _, r := range rules() {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			if len(r.bad) == 0 {
				t.Fatal("the rule has no bad sample, so nothing shows that it can fail")
			}
			for i, s := range r.bad {
				if found := r.check(l.sampleTree(t, s)); len(found) == 0 {
					t.Errorf("bad sample %d passed:\n%s", i, s)
				} else if !strings.Contains(found[0].at, ":") {
					t.Errorf("bad sample %d: the finding %q names no line", i, found[0].at)
				}
			}
			for i, s := range r.good {
				for _, f := range r.check(l.sampleTree(t, s)) {
					t.Errorf("good sample %d: %s: %s", i, f.at, f.what)
				}
			}
		})
	}
}

// String lists a sample's files.
func (s sample) String() string {
	var b strings.Builder
	for _, path := range sortedKeys(s) {
		fmt.Fprintf(&b, "-- %s --\n%s\n", path, s[path])
	}
	return b.String()
}
