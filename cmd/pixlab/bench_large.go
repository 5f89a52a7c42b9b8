package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/shrink"
)

// sizesFlag is a list of whole numbers, "10000,50000".
type sizesFlag []int

// Set reads the flag's text.
func (f *sizesFlag) Set(text string) error {
	var sizes sizesFlag
	for word := range strings.SplitSeq(text, ",") {
		n := countFlag{most: mostPayments}
		if n.Set(word) != nil {
			return fmt.Errorf("want numbers of payments from 1 to %s, with commas between", grouped(mostPayments))
		}
		sizes = append(sizes, n.n)
	}
	*f = sizes
	return nil
}

// String is the list, as Set reads it.
func (f *sizesFlag) String() string {
	words := make([]string, len(*f))
	for i, n := range *f {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// Type names the value in a usage text.
func (f *sizesFlag) Type() string { return "N,N" }

// measured is what one large run cost, as the process that made it tells.
type measured struct {
	Payments int               `json:"payments"`
	Credits  bool              `json:"credits"` // alone: nothing goes back or out
	Verdict  scenarios.Verdict `json:"verdict"`
	Steps    int64             `json:"steps"`
	Events   int64             `json:"events"`
	Micros   int64             `json:"micros"`
	// PeakKB is the most memory that the process had at once; 0 is unknown.
	PeakKB int64 `json:"peak_kb"`
}

// measureCommand is one large run, for a parent that wants its peak of memory
// apart from all others.
func (c *cli) measureCommand() *cobra.Command {
	return &cobra.Command{
		Use: "measure PAYMENTS [credits]", Short: "Make one large run and tell what it cost", Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			n := countFlag{most: mostPayments}
			if len(args) == 0 || len(args) > 2 || n.Set(args[0]) != nil || len(args) == 2 && args[1] != "credits" {
				return usagef("want one number of payments, and perhaps the word credits")
			}
			go endWith(c.in)
			got, err := c.measure(n.n, len(args) == 2)
			if err != nil {
				return err
			}
			return write(c.out, encodeJSON(got))
		},
	}
}

// endWith ends this process when its input ends: its parent is gone.
func endWith(in io.Reader) {
	io.Copy(io.Discard, in)
	os.Exit(exitInternal)
}

// largeLimit is what Go's runtime is told to make do with in a large run: it
// collects as seldom as ever while there is room below, and more often near it.
const largeLimit = 360 << 20

func (c *cli) measure(payments int, credits bool) (*measured, error) {
	debug.SetMemoryLimit(largeLimit)
	begin := time.Now()
	plan, err := chaos.Generate(chaos.Options{Seed: 1, Profile: "calm", Payments: payments})
	if err != nil {
		return nil, err
	}
	if credits {
		creditsAlone(plan)
	}
	report, err := c.drive(plan, scenarios.Options{Receiver: &c.receivers[0], Trace: io.Discard}, nil)
	if err != nil {
		return nil, err
	}
	return &measured{
		Payments: payments, Credits: credits, Verdict: report.Verdict, Steps: report.Steps, Events: report.Events,
		Micros: time.Since(begin).Microseconds(), PeakKB: peakKB(),
	}, nil
}

// creditsAlone takes out of a plan whatever goes back or out, and the faults that
// were about it.
func creditsAlone(p *chaos.Plan) {
	p.Refunds, p.Disputes, p.Payouts = nil, nil, nil
	shrink.Prune(p)
}

// peakKB is the process's high-water mark of memory, where the system tells it.
func peakKB() int64 { return peakOf("self") }

// peakOf is the same of another process, by its id.
func peakOf(process string) int64 {
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n
		}
	}
	return 0
}

// measureApart makes one large run in a process of its own. The child's input
// stays open as long as this process lives, and the child ends with it.
func measureApart(self string, what ...string) ([]byte, error) {
	child := exec.Command(self, append([]string{"measure"}, what...)...)
	held, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	return child.Output()
}

func (c *cli) benchLarge(sizes []int) error {
	self, err := os.Executable()
	if err != nil {
		return environmentError{"find this program's own file", err}
	}
	show := c.progress()
	defer show.clear()
	var all []*measured
	for _, only := range [][]string{{"credits"}, nil} {
		for _, n := range sizes {
			show.say("one run of %s", counted(n, "payment", "payments"))
			got, err := measureOne(self, n, only)
			if err != nil {
				return fmt.Errorf("run of %d payments: %w", n, err)
			}
			all = append(all, got)
		}
	}
	show.clear()
	if err := write(c.out, c.largePage(all)); err != nil {
		return err
	}
	for _, got := range all {
		if err := verdictOutcome(got.Verdict); err != nil {
			return err
		}
	}
	return nil
}

// measureOne makes one large run apart, and reads what it cost.
func measureOne(self string, n int, only []string) (*measured, error) {
	out, err := measureApart(self, append([]string{strconv.Itoa(n)}, only...)...)
	if err != nil {
		return nil, childError(err)
	}
	var got measured
	return &got, json.Unmarshal(out, &got)
}

// childError is what the measuring process said before it failed.
func childError(err error) error {
	if exit, ok := err.(*exec.ExitError); ok && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

func (c *cli) largePage(all []*measured) []byte {
	p := &page{colour: coloured(c.out)}
	p.line("profile calm, seed 1, one run of each size in a process of its own, trace to nowhere, GOMEMLIMIT %d MB", largeLimit>>20)
	p.line("")
	p.line("%s", p.dim("payments      time   per payment       steps      events   peak memory  verdict"))
	for part := range slices.Chunk(all, len(all)/2) {
		title := "all of it: credits, refunds, payouts"
		if part[0].Credits {
			title = "credits alone"
		}
		p.line("%s", title)
		for _, got := range part {
			largeLine(p, got)
		}
		if first, last := part[0], part[len(part)-1]; len(part) > 1 {
			p.line("  %.1f times the payments took %.1f times the time", float64(last.Payments)/float64(first.Payments),
				float64(last.Micros)/float64(first.Micros))
		}
	}
	return p.Bytes()
}

func largeLine(p *page, got *measured) {
	memory := "unknown"
	if got.PeakKB > 0 {
		memory = fmt.Sprintf("%.0f MB", float64(got.PeakKB)/1024)
	}
	span := time.Duration(got.Micros) * time.Microsecond
	p.line("%8s %9s %10.1f µs %11s %11s %13s  %s", grouped(got.Payments), elapsed(span),
		float64(got.Micros)/float64(got.Payments), grouped(got.Steps), grouped(got.Events), memory, got.Verdict)
}
