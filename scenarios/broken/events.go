package broken

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// applyOne is a receiver's own way with one claimed event: what became of it,
// or "" to pass it on to the store's command. What it calls booked or known is
// marked as processed.
type applyOne func(tx *memory.Tx, ev receiver.Event, a receiver.Application) (receiver.ApplyResult, error)

// isCredit and isRefund choose events.
func isCredit(ev receiver.Event) bool { return ev.Credit != nil }
func isRefund(ev receiver.Event) bool { return ev.Refund != nil }

// onEvents replaces what is done with some events, in a transaction of that
// name.
func onEvents(e scenarios.Env, which func(receiver.Event) bool, command string, fn applyOne) overlay {
	o := overlay{Store: e.Store}
	o.apply = func(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
		out := make([]receiver.ApplyOutcome, len(in))
		err := e.Exec(ctx, command, appKeys(in), func(tx *memory.Tx) error {
			for i, a := range in {
				if err := applyClaimed(tx, which, fn, a, &out[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return applyRest(ctx, e, in, out)
	}
	return o
}

func applyClaimed(tx *memory.Tx, which func(receiver.Event) bool, fn applyOne, a receiver.Application, out *receiver.ApplyOutcome) error {
	ev, ok := tx.Event(a.EventID)
	if !ok || !which(ev) || ev.Version != a.Version || ev.State != receiver.EventReceived {
		return nil
	}
	var err error
	if out.Result, err = fn(tx, ev, a); err != nil {
		return err
	}
	if out.Result != receiver.ApplyBooked && out.Result != receiver.ApplyKnown {
		return nil
	}
	ev.State = receiver.EventProcessed
	_, err = tx.PutEvent(ev)
	return err
}

// applyRest hands the applications that have no result yet to the store.
func applyRest(ctx context.Context, e scenarios.Env, in []receiver.Application, out []receiver.ApplyOutcome) ([]receiver.ApplyOutcome, error) {
	var rest []receiver.Application
	var at []int
	for i := range in {
		if out[i].Result == "" {
			rest, at = append(rest, in[i]), append(at, i)
		}
	}
	if len(rest) == 0 {
		return out, nil
	}
	outs, err := e.Store.ApplyEvents(ctx, rest)
	if err != nil {
		return nil, err
	}
	for i, n := range at {
		out[n] = outs[i]
	}
	return out, nil
}

func appKeys(in []receiver.Application) []string {
	keys := make([]string, len(in))
	for i, a := range in {
		keys[i] = "event/" + strconv.FormatInt(a.EventID, 10)
	}
	return keys
}

// told is the content to book: the event's, or what the PSP said just now.
func told(ev receiver.Event, a receiver.Application) (receiver.Credit, bool) {
	if a.Confirmed != nil {
		return *a.Confirmed, true
	}
	return *ev.Credit, ev.Confirmed
}
