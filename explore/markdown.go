package explore

import (
	"bytes"
	"fmt"
	"strings"
)

// Markdown is the summary as CI shows it beside a job.
func (s *Summary) Markdown() []byte {
	var b bytes.Buffer
	verdict := "held"
	if s.Failed() {
		verdict = fmt.Sprintf("**%s**", number(len(s.Failures), "failure"))
	}
	fmt.Fprintf(&b, "### pixlab explore: %s\n\n", verdict)
	fmt.Fprintf(&b, "| | |\n|---|---|\n")
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, cell(fmt.Sprintf(format, args...)))
	}
	row("profiles", "%s", strings.Join(s.Profiles, ", "))
	row("receiver", "%s", s.Receiver)
	row("shard", "%s", s.Shard)
	for _, v := range s.Visited {
		row("visited", "%s", v)
	}
	row("looked at", "%d seeds and %d committed plans in %d runs, %s s", s.Seeds, s.Kept, s.Runs, seconds(s.Elapsed.Seconds()))
	row("of these", "%d twice; related: %s", s.Twice, s.relatedText())
	reached, all := s.Reached()
	row("marks", "%d of %d", reached, all)
	for _, m := range s.Missed() {
		row("missed", "%s", m)
	}
	for _, g := range s.Groups {
		fmt.Fprintf(&b, "\n#### %s: %s\n\n%s: %s\n\n```text\n", g.Invariant, cell(g.Shape), number(len(g.Members), "failure"), g.seeds())
		for _, l := range append([]string{g.Detail, ""}, g.Story...) {
			b.WriteString(strings.ReplaceAll(l, "```", "'''") + "\n")
		}
		fmt.Fprintf(&b, "```\n\n```sh\n%s\n```\n", g.Repeat)
		if g.File != "" {
			fmt.Fprintf(&b, "\nPlan: `%s`\n", g.File)
		}
	}
	return b.Bytes()
}

func (s *Summary) relatedText() string {
	var out []string
	for _, how := range Relations() {
		out = append(out, fmt.Sprintf("%s %d", how, s.Related[how]))
	}
	return strings.Join(out, ", ")
}

// cell is a text inside a table.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }
