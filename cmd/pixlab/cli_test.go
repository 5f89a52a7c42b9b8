package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// result is what one command line came to.
type result struct {
	code     int
	out, err string
}

// pixlab runs one command line in this process.
func pixlab(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	code := run(args, strings.NewReader(stdin), &out, &errs)
	return result{code, out.String(), errs.String()}
}

// with runs one command line with further receivers to choose from.
func with(patience time.Duration, more []scenarios.Receiver, args ...string) result {
	var out, errs bytes.Buffer
	c := newCLI(strings.NewReader(""), &out, &errs)
	c.receivers = append(c.receivers, more...)
	c.patience = patience
	code := c.execute(args)
	return result{code, out.String(), errs.String()}
}

// want fails the test unless the command ended so, and kept quiet on stderr.
func (r result) want(t *testing.T, code int) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", r.code, code, r.out, r.err)
	}
	return r
}

func (r result) quiet(t *testing.T) result {
	t.Helper()
	if r.err != "" {
		t.Fatalf("stderr: %s", r.err)
	}
	return r
}

// contains fails the test unless every text stands in the output.
func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

// lastLine is the output's last line.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// hashOf is the first hash that stands in a line of its own.
func hashOf(t *testing.T, text string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^sha256:[0-9a-f]{64}$`).FindString(text)
	if found == "" {
		t.Fatalf("no hash in\n%s", text)
	}
	return found
}

// repeated runs the command of a "repeat:" line.
func repeated(t *testing.T, text string) result {
	t.Helper()
	line, ok := strings.CutPrefix(lastLine(text), "repeat: pixlab ")
	if !ok {
		t.Fatalf("the last line repeats nothing: %s", lastLine(text))
	}
	command, _, _ := strings.Cut(line, "   #")
	return pixlab("", strings.Fields(command)...)
}

// exists says whether a file does.
func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, os.ErrNotExist)
}

// altered is the reference with its front door behind another.
func altered(name string, door func(w http.ResponseWriter, r *http.Request, next http.Handler)) scenarios.Receiver {
	return scenarios.Receiver{Name: name, Invariant: "I1", Doc: "is wrong for a test", Build: func(e scenarios.Env) (scenarios.Built, error) {
		b, err := scenarios.Reference().Build(e)
		next := b.Handler
		b.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { door(w, r, next) })
		return b, err
	}}
}

// fickle behaves otherwise from the second run on.
func fickle() scenarios.Receiver {
	var calls atomic.Int64
	return altered("fickle", func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path == "/pix" && calls.Add(1) == 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// stuck waits, in real time, for what comes only when the test is over.
func stuck(t *testing.T) scenarios.Receiver {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return altered("stuck", func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		<-over
		next.ServeHTTP(w, r)
	})
}

// panicking panics at the first callback.
func panicking() scenarios.Receiver {
	return altered("panicking", func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path == "/pix" {
			panic("no such luck")
		}
		next.ServeHTTP(w, r)
	})
}

// restless never gets its reconciliation done.
func restless() scenarios.Receiver {
	r := innocent()
	build := r.Build
	r.Name = "restless"
	r.Build = func(e scenarios.Env) (scenarios.Built, error) {
		b, err := build(e)
		for i, s := range b.Steps {
			if s.Queue() == receiver.DutyReconcile {
				b.Steps[i] = failingStep{s}
			}
		}
		return b, err
	}
	return r
}

type failingStep struct{ receiver.Step }

// RunOnce does the work and calls it an error.
func (s failingStep) RunOnce(ctx context.Context) (receiver.Progress, error) {
	p, err := s.Step.RunOnce(ctx)
	return p, errors.Join(err, errors.New("not good enough"))
}

// innocent is said to be broken and is not.
func innocent() scenarios.Receiver {
	return altered("innocent", func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) })
}

// firstSeed is the first seed of profile mixed on which a broken receiver shows.
func firstSeed(t *testing.T, receiver string) string {
	t.Helper()
	c := newCLI(nil, nil, io.Discard)
	for _, s := range c.suspects() {
		if s.name == receiver {
			h := &hunt{cli: c, suspect: s, profile: chaos.DefaultProfile, seeds: 500, jobs: 1, show: c.progress()}
			if got, err := h.run(); err == nil && got.caught {
				return strconv.Itoa(got.seed)
			}
		}
	}
	t.Fatalf("no seed up to 500 shows what is wrong with %s", receiver)
	return ""
}
