package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// difference is the first event at which two runs of one plan part.
type difference struct {
	event        int64
	first        string
	second       string
	firstHash    string
	secondHash   string
	verdictsOnly bool
}

// sentence names the event.
func (d *difference) sentence() string {
	if d.verdictsOnly {
		return "two runs have the same trace and other verdicts"
	}
	return fmt.Sprintf("two runs differ first at event %d", d.event)
}

// runTwice runs a plan twice and compares the two traces. Both go to temporary
// files, so that what is shown is where these two runs parted, and not where
// two others would.
func (c *cli) runTwice(run *finished, o scenarios.Options, show *progress) error {
	var traces [2]*os.File
	for i := range traces {
		f, err := os.CreateTemp("", "pixlab-trace-*.jsonl")
		if err != nil {
			return environmentError{"make a temporary file in " + os.TempDir(), err}
		}
		defer os.Remove(f.Name())
		defer f.Close()
		defer removeIfEnded(f.Name())()
		traces[i] = f
	}
	first, err := c.traced(run.source.plan, o, traces[0], show)
	if err != nil {
		return err
	}
	o.Trace = nil
	second, err := c.traced(run.source.plan, o, traces[1], show)
	if err != nil {
		return err
	}
	run.Report = first
	if first.Hash == second.Hash && first.Verdict == second.Verdict {
		return nil
	}
	run.Verdict = scenarios.NotDeterministic
	run.again = append(run.again, "--check-determinism")
	run.differs, err = compare(traces[0], traces[1])
	run.differs.firstHash, run.differs.secondHash = first.Hash, second.Hash
	return err
}

// traced runs a plan with its trace in a file, and wherever else it is wanted.
func (c *cli) traced(plan *chaos.Plan, o scenarios.Options, file *os.File, show *progress) (*scenarios.Report, error) {
	to := bufio.NewWriterSize(file, 1<<16)
	if o.Trace != nil {
		o.Trace = io.MultiWriter(o.Trace, to)
	} else {
		o.Trace = to
	}
	report, err := c.drive(plan, o, show.steps)
	if e := to.Flush(); e != nil {
		return nil, environmentError{"write a temporary trace", e}
	}
	return report, err
}

// compare finds the first event that differs.
func compare(a, b *os.File) (*difference, error) {
	for _, f := range []*os.File{a, b} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return &difference{}, environmentError{"read a temporary trace", err}
		}
	}
	line, left, right, err := chaos.Diff(a, b)
	if err != nil {
		return &difference{}, environmentError{"compare the traces", err}
	}
	return &difference{event: line, first: left, second: right, verdictsOnly: line == 0}, nil
}
