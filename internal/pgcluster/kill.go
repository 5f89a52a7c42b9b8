package pgcluster

import (
	"context"
	"fmt"
	"syscall"
)

// Mode is a way to stop a server.
type Mode int

const (
	// ModeImmediate stops it as a crash would: no checkpoint, recovery at the
	// next start. A process of the server's that is paused (SIGSTOP) delays it
	// by five seconds.
	ModeImmediate Mode = iota
	// ModeFast cuts all clients, writes a checkpoint, and needs no recovery.
	ModeFast
)

// Kill stops the server and returns once it is gone. One that is stopped
// already stays so. Errors: [ErrGiven], [ErrClosed].
func (c *Cluster) Kill(mode Mode) error {
	if c.Given() {
		return ErrGiven
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	return c.server.stop(mode.signal())
}

// signal is what makes a server stop in this way.
func (m Mode) signal() syscall.Signal {
	if m == ModeFast {
		return syscall.SIGINT
	}
	return syscall.SIGQUIT
}

// Restart starts the server again, with the same addresses and settings, and
// returns once it answers; one that still runs is stopped first, in the fast
// way. Errors: [ErrGiven], [ErrClosed], or why the server does not start.
func (c *Cluster) Restart(ctx context.Context) error {
	if c.Given() {
		return ErrGiven
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if c.server.running() {
		if err := c.server.stop(syscall.SIGINT); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
	}
	if _, err := c.server.start(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}
