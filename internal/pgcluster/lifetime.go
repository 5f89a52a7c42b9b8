package pgcluster

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// signalled is the cause of a context that a signal ended.
type signalled struct{ signal os.Signal }

// Error names the signal.
func (s signalled) Error() string { return "signal: " + s.signal.String() }

// watch gives a context that ends with ctx, or by SIGINT or SIGTERM if signals
// is true, with a [signalled] as its cause. A second signal has its usual
// effect.
func watch(ctx context.Context, signals bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if signals {
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
		go func() {
			select {
			case s := <-arrived:
				signal.Stop(arrived) // before passOn can send it again
				cancel(signalled{s})
			case <-ctx.Done():
				signal.Stop(arrived)
			}
		}()
	}
	return ctx, func() { cancel(nil) }
}

// closeAtEnd closes the cluster when ctx ends, and lets go of ctx when the
// cluster is closed before.
func (c *Cluster) closeAtEnd(ctx context.Context, cancel context.CancelFunc) {
	forget := context.AfterFunc(ctx, func() {
		if err := c.Close(); err != nil {
			c.server.log.printf("%v", err)
		}
		passOn(ctx)
	})
	c.release = func() {
		forget()
		cancel()
	}
}

// passOn sends the signal that ended ctx, if one did, to ourselves again, now
// that nobody of this package takes it.
func passOn(ctx context.Context) {
	s, ok := errors.AsType[signalled](context.Cause(ctx))
	if !ok {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(s.signal)
	}
}
