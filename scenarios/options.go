package scenarios

import (
	"io"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/receiver"
)

// Options say how to run a plan.
type Options struct {
	// Receiver is the receiver to run, [Reference]'s if nil.
	Receiver *Receiver
	// Trace takes the trace's lines; nil only hashes them.
	Trace io.Writer
	// StopAtFirst ends the run at the first violation.
	StopAtFirst bool
	// Without leaves out the checkers of these invariants ("I3").
	Without []string
	// Insert replaces the PSP's strict insert, to test its self-check.
	Insert fakepsp.InsertFunc
	// ApplyTwice has every payment of the plan made again, a minute later, as
	// if somebody had applied the plan a second time to the running PSP. Each
	// must be refused and change nothing.
	ApplyTwice bool
	// Until ends the run after the step in which the trace came to that event;
	// it is not judged. Zero runs to the end.
	Until int64
	// HealAt heals after the step in which the trace came to that event: faults
	// end, and what the plan had left to do is not done. What has begun goes on.
	// Zero heals after the plan's last action.
	HealAt int64
	// Record keeps the order of the steps, for [Report.Schedule].
	Record bool
	// Show takes the state at the end, for [Report.State].
	Show bool
	// Watch is told of every commit, after the checkers: when it was, which actor
	// made it, the number of the trace's event that will tell of it, and what it
	// changed, which must not be kept or altered.
	Watch func(at chaos.Instant, actor string, event int64, cs *receiver.ChangeSet)
	// Store opens what the world keeps everything in, a store in memory if nil.
	Store OpenStore
}
