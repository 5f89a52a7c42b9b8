package main

import (
	"context"
	"io"
	"os"

	"github.com/pixlab/pixlab/receiver"
	receiverlive "github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/scenarios/live"
)

// leash ends this process at once when its standard input ends, if the
// environment asks for that: a live run's processes must not outlive it.
func (c *cli) leash() {
	if os.Getenv(live.EnvLeash) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, c.in)
		os.Exit(exitEnvironment)
	}()
}

// attach puts a receiver on the line to the live run that it is part of, if the
// environment names one: ids are the seed's, the clock is the run's, and the
// store asks it at the edges of its commands. Else nothing changes.
func (c *cli) attach(ctx context.Context, pspURL string, cfg *receiverlive.ProcessConfig) (func(receiver.Store) receiver.Store, error) {
	c.leash()
	hook, err := live.Attach(ctx, os.Getenv, pspURL)
	switch {
	case err != nil:
		return nil, usageError{err.Error()}
	case hook == nil:
		return func(s receiver.Store) receiver.Store { return s }, nil
	}
	own := &cfg.Receiver
	own.NewID, own.Jitter, own.Clock = hook.Seed.ID, hook.Seed.Jitter, hook.Clock(own.Clock)
	return hook.Wrap, nil
}
