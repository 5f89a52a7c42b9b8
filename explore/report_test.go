package explore_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/explore"
)

// failed is a search with failures of two kinds, and texts that XML and Markdown
// have to be careful with.
func failed() *explore.Summary {
	s := explore.NewSummary()
	s.Profiles, s.Receiver, s.Shard = []string{"hostile"}, "reference", explore.Shard{Index: 1, Of: 2}
	s.Elapsed = 1234567 * time.Millisecond
	plan := &chaos.Plan{Payments: []chaos.Payment{{ID: "p0"}}, Faults: []chaos.Deviation{{Kind: "drop"}}}
	for seed := chaos.Seed(1); seed <= 9; seed += 2 {
		f := explore.Finding{Seed: seed, Profile: "hostile", Runs: 1}
		if seed > 5 {
			f.Failures = []explore.Failure{{Seed: seed, Profile: "hostile", Invariant: "I1", Detail: "credited <twice> & more\x01 | ]]>", Plan: plan}}
		}
		s.Add(f)
	}
	s.Close()
	for _, x := range s.Failures {
		s.Group(x, explore.Group{
			Shape: explore.ShapeOf(plan), Plan: plan, File: "plan.json", Detail: x.Detail,
			Story: []string{"Pix E1, R$ 10,00:", "  attempt 2 arrived ``` ]]> twice"}, Repeat: "pixlab run --plan plan.json",
		})
	}
	return s
}

// shape says what the common JUnit schema (that of Jenkins' xUnit plug-in, which
// Surefire's and Ant's agree with here) lets stand where: an element's children
// and its attributes, required ones with an exclamation mark.
func shape() map[string]struct{ children, attributes string } {
	return map[string]struct{ children, attributes string }{
		"testsuites": {"testsuite", "name time tests failures errors"},
		"testsuite": {
			"properties testcase system-out system-err",
			"name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
		},
		"properties": {"property", ""},
		"property":   {"", "name! value!"},
		"testcase":   {"skipped error failure system-out system-err", "name! time classname group"},
		"failure":    {"", "type message"},
		"error":      {"", "type message"},
		"skipped":    {"", "type message"},
	}
}

// TestJUnitIsOfTheCommonShape walks what is written element by element, and has
// a library for JUnit read it.
func TestJUnitIsOfTheCommonShape(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*explore.Summary{"failed": failed(), "held": explore.NewSummary()} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := s.WriteJUnit(&b); err != nil {
				t.Fatal(err)
			}
			walkShape(t, b.Bytes())
			var read junit.Testsuites
			if err := xml.Unmarshal(b.Bytes(), &read); err != nil {
				t.Fatal(err)
			}
			countCases(t, read)
			if name == "failed" && read.Failures != 1 {
				t.Errorf("%d failures, want 1: the failures of one invariant are one test case", read.Failures)
			}
		})
	}
}

// TestTheShapeIsHeld shows that the walk refuses what the schema would.
func TestTheShapeIsHeld(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"unknown element":   `<testsuites><suite/></testsuites>`,
		"unknown attribute": `<testsuites colour="red"></testsuites>`,
		"missing attribute": `<testsuites><testsuite name="x" tests="1" failures="0"></testsuite></testsuites>`,
		"wrong place":       `<testsuites><testcase name="x"/></testsuites>`,
		"wrong time":        `<testsuites time="soon"></testsuites>`,
		"other root":        `<testsuite name="x" tests="0" failures="0" errors="0"/>`,
	} {
		if err := checkShape([]byte(text)); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}

func walkShape(t *testing.T, text []byte) {
	t.Helper()
	if err := checkShape(text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func checkShape(text []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(text))
	dec.Strict = true
	open := []string{""}
	known := shape()
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch x := token.(type) {
		case xml.StartElement:
			if err := checkElement(x, open[len(open)-1], known); err != nil {
				return err
			}
			open = append(open, x.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func checkElement(x xml.StartElement, parent string, known map[string]struct{ children, attributes string }) error {
	allowed := "testsuites"
	if parent != "" {
		allowed = known[parent].children
	}
	if !slices.Contains(strings.Fields(allowed), x.Name.Local) {
		return errors.New("element " + x.Name.Local + " within " + parent)
	}
	has := map[string]string{}
	for _, a := range x.Attr {
		has[a.Name.Local] = a.Value
	}
	for _, name := range strings.Fields(known[x.Name.Local].attributes) {
		bare, required := strings.CutSuffix(name, "!")
		if _, ok := has[bare]; required && !ok {
			return errors.New(x.Name.Local + " lacks " + bare)
		}
		delete(has, bare)
	}
	for name := range has {
		return errors.New(x.Name.Local + " has " + name)
	}
	for _, a := range x.Attr {
		if a.Name.Local == "time" {
			if _, err := strconv.ParseFloat(a.Value, 64); err != nil {
				return errors.New("time " + a.Value)
			}
		}
	}
	return nil
}

// countCases compares the numbers on a suite with what is in it.
func countCases(t *testing.T, s junit.Testsuites) {
	t.Helper()
	for _, suite := range s.Suites {
		failures := 0
		for _, c := range suite.Testcases {
			if c.Failure != nil {
				failures++
			}
		}
		if suite.Tests != len(suite.Testcases) || suite.Failures != failures || suite.Tests == 0 {
			t.Errorf("the suite says %d tests and %d failures, it has %d and %d", suite.Tests, suite.Failures, len(suite.Testcases), failures)
		}
	}
}

// TestReportsTellStorySeedCommandAndPlan wants these four of a failing search,
// in both forms.
func TestReportsTellStorySeedCommandAndPlan(t *testing.T) {
	t.Parallel()
	s := failed()
	var b bytes.Buffer
	if err := s.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"JUnit": b.String(), "Markdown": string(s.Markdown())} {
		for _, want := range []string{"attempt 2 arrived", "seed 7 of hostile", "seed 9 of hostile", "pixlab run --plan plan.json", "plan.json", "1 payment, drop", "seeds 1 to 9, one in 2"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s lacks %q:\n%s", name, want, text)
			}
		}
	}
	if n := strings.Count(string(s.Markdown()), "```"); n != 4 {
		t.Errorf("%d fences in the Markdown, want 4: no text may close one", n)
	}
}
