package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a process of this same program that a load needs. It ends with us.
type child struct {
	name string
	cmd  *exec.Cmd
	hold io.Closer // its input; closed, it ends
	log  *tail
	done chan struct{}
	err  error // of its end, once done
}

// childLimit bounds a child's start and its graceful stop.
const childLimit = 30 * time.Second

// startChild starts one and waits until it has written the addresses of its
// ports, which it reads into at.
func startChild(ctx context.Context, dir, name string, env []string, at any, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, environmentError{"find this program's own file", err}
	}
	file := filepath.Join(dir, name+".json")
	c := &child{name: name, log: &tail{}, done: make(chan struct{})}
	c.cmd = exec.Command(self, append(append([]string{"leash"}, args...), "--addr-file", file)...)
	c.cmd.Env = append(environmentWithout("PIXLAB_"), env...)
	c.cmd.Stderr, c.cmd.Stdout = c.log, io.Discard
	if c.hold, err = c.cmd.StdinPipe(); err != nil {
		return nil, environmentError{"start " + name, err}
	}
	if err := c.cmd.Start(); err != nil {
		return nil, environmentError{"start " + name, err}
	}
	// A load that was interrupted has no use for an orderly end of what it started.
	letGo := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	go func() {
		c.err = c.cmd.Wait()
		letGo()
		close(c.done)
	}()
	if err := c.untilOpen(ctx, file, at); err != nil {
		c.stop()
		return nil, environmentError{"start " + name, err}
	}
	return c, nil
}

// environmentWithout is our environment but for the variables of a prefix.
func environmentWithout(prefix string) []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, prefix) {
			out = append(out, v)
		}
	}
	return out
}

func (c *child) untilOpen(ctx context.Context, file string, at any) error {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if text, err := os.ReadFile(file); err == nil {
			return json.Unmarshal(text, at)
		}
		select {
		case <-tick.C:
		case <-c.done:
			return fmt.Errorf("it ended (%v): %s", c.err, c.log.last())
		case <-ctx.Done():
			return fmt.Errorf("it opens no port: %s", c.log.last())
		}
	}
}

// stop asks the process to end, and makes it when it does not.
func (c *child) stop() {
	if c.cmd.Process.Signal(syscall.SIGTERM) == nil {
		select {
		case <-c.done:
		case <-time.After(childLimit):
			_ = c.cmd.Process.Kill()
		}
	}
	<-c.done
	_ = c.hold.Close()
}

// peakMB is the most memory that the process has had, 0 where nobody tells.
func (c *child) peakMB() float64 {
	return float64(peakOf(strconv.Itoa(c.cmd.Process.Pid))) / 1024
}

// cpu is the processor time that the process took, once it has ended.
func (c *child) cpu() time.Duration {
	if s := c.cmd.ProcessState; s != nil {
		return s.UserTime() + s.SystemTime()
	}
	return 0
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 16 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*most {
		t.text = append([]byte{}, t.text[len(t.text)-most:]...)
	}
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
