package live

import (
	"log/slog"
	"slices"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// Options say how [Run] loops. What is zero becomes the default named beside it.
type Options struct {
	// Workers book from the inbox side by side (4).
	Workers int
	// Senders carry charges, refunds and payouts to the PSP, so many of each side by
	// side (4): a call that is not answered holds up one of them.
	Senders int
	// Without are queues that this process leaves alone.
	Without []receiver.Queue
	// Poll is how often the queues are looked at (100 ms): how late this process
	// hears of work that another one made. MaxPause bounds the pause after
	// errors in a row (30 s).
	Poll     time.Duration
	MaxPause time.Duration
	// Grace is how long a turn may go on after the end was asked for (10 s).
	// Then its context ends, and after as long again Run gives up on it.
	Grace time.Duration
	// Bell wakes the loops; the store that the receiver was built on should be
	// wrapped by it (a bell that nobody rings).
	Bell *Bell
	// Gather is how long a worker that was rung for waits for further events to
	// book along; zero takes the first at once.
	Gather time.Duration
	// GiveWay, where set, has the workers step back while callbacks press.
	GiveWay *GiveWay
	// Turn, where set, hears of every turn's end. It may be called by many
	// goroutines at once.
	Turn  func(step string, p receiver.Progress, err error)
	Clock receiver.Clock // the machine's
	Log   *slog.Logger   // none
}

func (o *Options) fill() {
	setDefault(&o.Workers, 4)
	setDefault(&o.Senders, 4)
	setDefault(&o.Poll, 100*time.Millisecond)
	setDefault(&o.MaxPause, 30*time.Second)
	setDefault(&o.Grace, 10*time.Second)
	if o.Bell == nil {
		o.Bell = NewBell()
	}
	if o.Turn == nil {
		o.Turn = func(string, receiver.Progress, error) {}
	}
	if o.Clock == nil {
		o.Clock = Clock{}
	}
	if o.GiveWay != nil {
		o.GiveWay.turn = make(chan struct{}, 1)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// steps are those of r whose queue this process works on, those that call about
// intentions so many times as there are senders.
func (o *Options) steps(r *receiver.Receiver) []receiver.Step {
	var out []receiver.Step
	for _, s := range r.Steps(o.Workers) {
		if slices.Contains(o.Without, s.Queue()) {
			continue
		}
		times := 1
		switch s.Queue() {
		case receiver.QueueCharges, receiver.QueueRefunds, receiver.QueuePayouts:
			times = o.Senders
		}
		out = append(out, slices.Repeat([]receiver.Step{s}, times)...)
	}
	return out
}

func setDefault[T int | int64 | time.Duration](v *T, fallback T) {
	if *v == 0 {
		*v = fallback
	}
}
