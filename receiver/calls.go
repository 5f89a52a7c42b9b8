package receiver

import (
	"context"
	"fmt"
	"time"
)

// outCall is a call to the PSP that may have happened before: for a charge, a
// refund or a payout, whichever, by one set of rules. What may have happened is
// asked about before it is repeated, and repeated under the same key alone.
type outCall[T any] struct {
	// asks says that an earlier call may have left: it is asked about first. only
	// says that nothing may be sent, whatever the PSP says.
	asks, only bool
	ask, send  func(context.Context) (T, answer)
	// final says whether a refusal of send ends the matter, provided that the PSP
	// still knows nothing of it when it is asked then; where first is set no
	// earlier call can have taken effect and it need not be asked.
	final func(answer) bool
	first bool
}

// callFate is what came of an outCall.
type callFate[T any] struct {
	answer
	// found is what the PSP said of the object, where the verdict is done.
	found T
	// refused says that the PSP will not do it, and has not.
	refused bool
	// refusal is the answer that refused a call that was sent, proof or not, and
	// answered says that one was answered at all: it did nothing.
	refusal  *answer
	answered bool
}

// make makes the call, or asks about it.
func (c outCall[T]) make(ctx context.Context) callFate[T] {
	if c.asks {
		found, a := c.ask(ctx)
		if a.verdict != verdictAbsent || c.only {
			return callFate[T]{answer: a, found: found, answered: true} // nothing was sent
		}
	}
	found, a := c.send(ctx)
	f := callFate[T]{answer: a, found: found}
	if a.verdict != verdictRefused && a.verdict != verdictAbsent {
		return f
	}
	f.refusal, f.answered = &a, true
	switch {
	case !c.final(a):
	case c.first:
		f.refused = true
	default:
		found, b := c.ask(ctx)
		f.refused = b.verdict == verdictAbsent
		if b.verdict == verdictDone {
			f.answer, f.found = b, found
		}
	}
	return f
}

// retryPause is the pause before the nth repeat of a call whose outcome is not
// known: 1, 2, 4, 8 s and so on, spread from half of it to one and a half, so that
// calls that failed together are not repeated together; no less than the PSP
// asked to wait.
func (c *Config) retryPause(key string, attempt int, wait time.Duration) time.Duration {
	d := min(c.BackoffBase<<min(max(attempt, 1)-1, 20), c.BackoffCap)
	d = d/2 + d*time.Duration(c.Jitter(key, attempt))/999
	return max(whole(d), wait)
}

// validatePayouts wants a payout's key to be known at the PSP for longer than the
// payout is repeated.
func (c *Config) validatePayouts() error {
	if c.PayoutAttempts < 1 {
		return fmt.Errorf("receiver: %d attempts of a payout: want 1 or more", c.PayoutAttempts)
	}
	if longest := c.longestPayoutRetry(); c.PayoutKeyTTL <= longest {
		return fmt.Errorf("receiver: the PSP remembers a payout's key for %s: want more than the %s for which it is repeated", c.PayoutKeyTTL, longest)
	}
	return nil
}

// longestPayoutRetry is how long a payout may go on being repeated: a pause and a
// lease that runs out for each time.
func (c *Config) longestPayoutRetry() time.Duration {
	sum := c.Lease
	for n := 1; n < c.PayoutAttempts; n++ {
		sum += c.Lease + min(c.BackoffBase<<min(n-1, 20), c.BackoffCap)*3/2
	}
	return sum
}

// settleOpen leases one batch of intentions whose calls are owed, each of which may
// need so many, and makes them one after another.
func settleOpen[T any](
	ctx context.Context, r *Receiver, calls int, lease func(context.Context, Lease) ([]T, error), settle func(context.Context, T) error,
) (Progress, error) {
	now, err := r.now(ctx)
	if err != nil {
		return Progress{}, err
	}
	open, err := lease(ctx, r.cfg.lease(now, calls))
	if err != nil {
		return Progress{}, err
	}
	for _, x := range open {
		if err := settle(ctx, x); err != nil {
			return Progress{Done: len(open)}, err
		}
	}
	return Progress{Done: len(open)}, nil
}
