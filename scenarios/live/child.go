package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// child is a process of ours. It ends when its standard input does, which is
// when we end, however that comes about.
type child struct {
	name  string
	cmd   *exec.Cmd
	leash io.WriteCloser
	log   *tail
	done  chan struct{} // closed when it has ended
}

// startTimeout is how long a process may take until it listens.
const startTimeout = time.Minute

// spawn starts a process of the binary and waits until it has written where it
// listens into its --addr-file, which is read into addresses.
func spawn(ctx context.Context, binary, dir, name string, args, env []string, addresses any) (*child, error) {
	file, err := os.CreateTemp(dir, name+"-*.json")
	if err != nil {
		return nil, err
	}
	file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	c := &child{name: name, log: &tail{}, done: make(chan struct{})}
	c.cmd = exec.Command(binary, append(args, "--addr-file", file.Name())...)
	c.cmd.Env = append(withoutOurs(os.Environ()), append(env, EnvLeash+"=1")...)
	c.cmd.Stderr, c.cmd.Stdout = c.log, c.log
	if c.leash, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is in its state
		close(c.done)
	}()
	if err := c.listening(ctx, file.Name(), addresses); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// withoutOurs is an environment without this program's own variables.
func withoutOurs(env []string) []string {
	var out []string
	for _, v := range env {
		if !strings.HasPrefix(v, "PIXLAB_") {
			out = append(out, v)
		}
	}
	return out
}

func (c *child) listening(ctx context.Context, file string, addresses any) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	for {
		select {
		case <-tick.C:
			text, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err == nil {
				err = json.Unmarshal(text, addresses)
			}
			return err
		case <-c.done:
			return fmt.Errorf("%s ended before it listened: %s", c.name, c.log.last())
		case <-late.C:
			return fmt.Errorf("%s does not listen after %s: %s", c.name, startTimeout, c.log.last())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// kill is kill -9. It returns when the process is gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended already
	<-c.done
	c.leash.Close()
}

// ended says whether the process is gone.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// tail keeps the last of what a process writes, and the first panic in it.
type tail struct {
	mu    sync.Mutex
	text  []byte
	panic string
}

const mostTail = 64 << 10

// Write keeps p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range bytes.Lines(p) {
		if t.panic == "" && (bytes.Contains(line, []byte(" panicked")) || bytes.HasPrefix(line, []byte("panic: "))) {
			t.panic = strings.TrimSpace(string(line[:min(len(line), 400)]))
		}
	}
	t.text = append(t.text, p...)
	if len(t.text) > 2*mostTail {
		t.text = append([]byte(nil), t.text[len(t.text)-mostTail:]...)
	}
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}

// panicked is the first line that tells of a panic, "" if none does.
func (t *tail) panicked() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.panic
}
