package main

import (
	"strings"

	"github.com/pixlab/pixlab/shrink"
)

// shrunkJSON is a shrunk plan for machines.
type shrunkJSON struct {
	Invariant string      `json:"invariant"`
	Detail    string      `json:"detail"`
	Receiver  string      `json:"receiver"`
	Before    shrink.Size `json:"before"`
	After     shrink.Size `json:"after"`
	Runs      int         `json:"runs"`
	Whole     bool        `json:"whole"`
	Story     []string    `json:"story"`
	Plan      string      `json:"plan"`
	Hash      string      `json:"hash"`
	Repeat    string      `json:"repeat"`
}

func (s *shrunk) encode() []byte {
	return encodeJSON(shrunkJSON{
		Invariant: s.invariant, Detail: s.detail(), Receiver: s.receiver, Before: s.Before, After: s.After, Runs: s.Runs,
		Whole: s.Whole, Story: s.story, Plan: s.file, Hash: s.report.Hash, Repeat: s.repeat(),
	})
}

// detail is what the run has against the receiver.
func (s *shrunk) detail() string {
	for _, i := range s.report.Invariants {
		if i.ID == s.invariant {
			return i.Detail
		}
	}
	return strings.Join(s.report.Pending, "; ")
}

// repeat is the command that fails the same way again.
func (s *shrunk) repeat() string {
	return "pixlab run --plan " + shellWord(s.file) + " --receiver " + shellWord(s.receiver) + "   # pixlab " + version() + ", " + s.report.Hash
}

func (s *shrunk) text(p *page) {
	p.field("shrunk", "%s · receiver %s", p.bold(s.invariant), s.receiver)
	p.field("from", "%s", sizeText(s.Before))
	p.field("to", "%s", p.bold(sizeText(s.After)))
	p.field("by", "%s", counted(s.Runs, "run", "runs"))
	if !s.Whole {
		p.field("", "time was up: more might go (--time)")
	}
	p.line("")
	storyText(p, s.story)
	p.line("")
	p.line("plan written to %s", s.file)
	p.line("repeat: %s", s.repeat())
}

// storyText writes a story with its indentation.
func storyText(p *page, story []string) {
	for _, l := range story {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		for i, part := range wrap(l, width-indent-4) {
			if i > 0 {
				part = "    " + part
			}
			p.line("%s%s", strings.Repeat(" ", indent), part)
		}
	}
}

func sizeText(z shrink.Size) string {
	text := counted(z.Payments, "payment", "payments") + ", " + counted(z.Refunds, "refund", "refunds") + ", " +
		counted(z.Disputes, "MED case", "MED cases") + ", " + counted(z.Faults, "fault", "faults")
	if z.Choices > 0 {
		text += ", " + counted(z.Choices, "switch of actor", "switches of actor")
	}
	return text
}
