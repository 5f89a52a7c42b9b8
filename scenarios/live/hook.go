package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// Hook is a receiver's end of the line to the run that it is part of.
type Hook struct {
	// Seed makes the ids that the plan's payers and the PSP know.
	Seed chaos.Seed

	control, token string
	instance       int
	commands       []string
	skew           time.Duration
	http           *http.Client

	mu     sync.Mutex
	events map[int64]string // endToEndIds of claimed events
}

// Attach is the hook that the environment asks for, nil where it asks for none.
// It is refused outside a lab: on anything but loopback, for the line to the run
// and for the PSP, and where no run answers.
func Attach(ctx context.Context, getenv func(string) string, pspURL string) (*Hook, error) {
	control := getenv(EnvControl)
	if control == "" {
		return nil, nil
	}
	for _, text := range []string{control, pspURL} {
		if !loopback(text) {
			return nil, fmt.Errorf("%s is set, and %s is not on loopback: a receiver that does as a lab says runs nowhere else", EnvControl, text)
		}
	}
	instance, err := strconv.Atoi(getenv(EnvInstance))
	if err != nil || instance < 1 {
		return nil, fmt.Errorf("%s is %q; want the instance's number", EnvInstance, getenv(EnvInstance))
	}
	h := &Hook{control: control, token: getenv(EnvToken), instance: instance, http: &http.Client{}, events: map[int64]string{}}
	var hello Hello
	if err := h.call(ctx, "/hello", Question{Instance: instance}, &hello); err != nil {
		return nil, fmt.Errorf("%s names no run that answers: %w", EnvControl, err)
	}
	if h.Seed, err = chaos.ParseSeed(hello.Seed); err != nil {
		return nil, err
	}
	h.commands, h.skew = hello.Commands, time.Duration(hello.SkewMS)*time.Millisecond
	return h, nil
}

// loopback says whether a URL's host is an address of this machine alone.
func loopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// call is one exchange with the run.
func (h *Hook) call(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.control+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	resp, err := h.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// ask puts a question and does what the order says: a kill does not return. A
// run that does not answer is gone, and gives no orders.
func (h *Hook) ask(ctx context.Context, q Question) ([]Count, error) {
	q.Instance = h.instance
	var o Order
	if err := h.call(ctx, "/order", q, &o); err != nil {
		return nil, nil
	}
	if o.Kill {
		die()
	}
	if o.PauseMS > 0 {
		time.Sleep(time.Duration(o.PauseMS) * time.Millisecond)
	}
	if o.LoseCommit {
		return o.Counts, fmt.Errorf("%w: the lab lost the answer of %s", receiver.ErrCommitUnknown, q.Command)
	}
	return o.Counts, nil
}

// die ends this process as kill -9 does: nothing is cleaned up, nothing is sent.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic("the lab's order to die: " + err.Error())
	}
	select {}
}

func (h *Hook) asks(command string) bool { return slices.Contains(h.commands, command) }

// Clock is the receiver's clock, as wrong as the run wants it.
func (h *Hook) Clock(c receiver.Clock) receiver.Clock {
	if h.skew == 0 {
		return c
	}
	return skewed{c, h.skew}
}

type skewed struct {
	receiver.Clock
	by time.Duration
}

// Now is wrong by as much.
func (c skewed) Now() time.Time { return c.Clock.Now().Add(c.by) }
