package explore

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/pixlab/pixlab/scenarios"
)

// WriteJUnit writes the summary as JUnit XML: a test case for the committed
// plans, for each invariant, and for what else a search looks at.
func (s *Summary) WriteJUnit(w io.Writer) error {
	suite := junit.Testsuite{
		Name: "pixlab explore " + strings.Join(s.Profiles, ","), Time: seconds(s.Elapsed.Seconds()), Package: "pixlab.explore",
	}
	suite.AddProperty("receiver", s.Receiver)
	suite.AddProperty("shard", s.Shard.String())
	suite.AddProperty("seeds", strconv.Itoa(s.Seeds))
	suite.AddProperty("runs", strconv.Itoa(s.Runs))
	for _, v := range s.Visited {
		suite.AddProperty("visited", v.String())
	}
	for _, c := range s.cases() {
		tc := junit.Testcase{Name: c.name, Classname: "pixlab.explore", Time: "0.000"}
		if text := s.failuresOf(c.id); text != "" {
			tc.Failure = &junit.Result{Message: s.headline(c.id), Type: c.id, Data: clean(text)}
		}
		suite.AddTestcase(tc)
	}
	if missed := s.Missed(); len(missed) > 0 {
		suite.Testcases[len(suite.Testcases)-1].Failure = &junit.Result{
			Message: fmt.Sprintf("%d marks were not reached", len(missed)), Type: "marks", Data: strings.Join(missed, "\n"),
		}
		suite.Failures++
	}
	suites := junit.Testsuites{Name: "pixlab", Time: suite.Time}
	suites.AddSuite(suite)
	if _, err := io.WriteString(w, xmlHead); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// judged is one thing that is looked at in every run.
type judged struct{ id, name string }

// cases are the test cases, the marks last.
func (s *Summary) cases() []judged {
	var out []judged
	for _, i := range scenarios.Invariants() {
		out = append(out, judged{i, i + " " + scenarios.Sentence(i)})
	}
	return append(out,
		judged{"PSP", "The fake PSP agrees with itself"},
		judged{"panic", "The receiver does not panic"},
		judged{Converge, "Every run comes to rest"},
		judged{Determinism, "Two runs of one plan are the same run"},
		judged{Metamorphic, "Related runs come to the same credits and the same statement"},
		judged{Lab, "The lab itself does not fail"},
		judged{"marks", "The search reaches every mark"},
	)
}

// failuresOf tells the failures of one kind, group by group.
func (s *Summary) failuresOf(id string) string {
	var b strings.Builder
	for _, g := range s.Groups {
		if g.Invariant == id {
			b.WriteString(g.text())
		}
	}
	return b.String()
}

func (s *Summary) headline(id string) string {
	for _, g := range s.Groups {
		if g.Invariant == id {
			return clean(g.Detail)
		}
	}
	return ""
}

// text is a group with story, seeds, command and plan.
func (g Group) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s, %s: %s\n\n", g.Invariant, g.Detail, number(len(g.Members), "failure"), g.Shape, g.seeds())
	for _, l := range g.Story {
		b.WriteString(l + "\n")
	}
	if len(g.Story) > 0 {
		b.WriteString("\n")
	}
	if g.File != "" {
		fmt.Fprintf(&b, "plan:   %s\n", g.File)
	}
	fmt.Fprintf(&b, "repeat: %s\n\n", g.Repeat)
	return b.String()
}

// seeds names a group's seeds, the first of them.
func (g Group) seeds() string {
	const most = 8
	var out []string
	for i, m := range g.Members {
		if i == most {
			out = append(out, "…")
			break
		}
		if m.Kept != "" {
			out = append(out, m.Kept)
			continue
		}
		out = append(out, fmt.Sprintf("seed %d of %s", m.Seed, m.Profile))
	}
	return strings.Join(out, ", ")
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

// clean takes out what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return ' '
	}, strings.ReplaceAll(s, "]]>", "]] >"))
}
