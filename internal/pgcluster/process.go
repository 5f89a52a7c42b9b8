package pgcluster

import (
	"context"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// lingering is how long a program's output is read after its end, should a
// child of it hold the pipe open.
const lingering = 5 * time.Second

// process is a child process that ends when we do.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed once it is gone and its output is read
	err  error         // how it ended; to be read after done
}

// launch starts a program on a thread of its own. Linux ties the signal a child
// gets at its parent's death to the thread that made the child, so that thread
// must live as long as the child: it does nothing but wait for it.
func launch(cmd *exec.Cmd) (*process, error) {
	cmd.WaitDelay = lingering
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.keep(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// keep starts the program and waits for its end, on one thread.
func (p *process) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// stop sends a signal and waits for the end, up to limit. It tells whether the
// process is gone.
func (p *process) stop(s syscall.Signal, limit time.Duration) bool {
	_ = p.cmd.Process.Signal(s) // refused if it is gone already
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// running tells whether the process is still there.
func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// run starts a program and waits for its end. If ctx ends first, the program
// and its children are killed.
func run(ctx context.Context, cmd *exec.Cmd) error {
	p, err := launch(cmd)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		killGroup(cmd.Process.Pid)
		<-p.done
		return ctx.Err()
	}
}
