package receiver

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Receiver is one process of the receiving side. Building it starts nothing:
// its handlers and steps are run by whoever owns it.
type Receiver struct {
	cfg   Config
	store Store
	psp   pspClient
	// callbackBase is the path of our callback URL, without slashes at its ends.
	callbackBase string
	consumers    []string // in order
}

// New checks the configuration and builds a receiver on a store.
func New(cfg Config, store Store) (*Receiver, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	callback, err := url.Parse(cfg.CallbackURL)
	if err != nil {
		return nil, fmt.Errorf("receiver: callback URL: %w", err)
	}
	r := &Receiver{cfg: cfg, store: store, callbackBase: strings.Trim(callback.Path, "/"), consumers: cfg.consumerNames()}
	r.psp = pspClient{cfg: &r.cfg, tokens: &tokens{}}
	return r, nil
}

// Progress is what one turn of a step came to.
type Progress struct {
	// Done counts the items worked on; zero means that there was nothing.
	Done int
}

// Step is one kind of background work. RunOnce does one turn; a loop around
// it, live or virtual, decides when the next one comes.
type Step interface {
	Name() string
	// Queue is what the step works on, see [Store.NextDue].
	Queue() Queue
	RunOnce(ctx context.Context) (Progress, error)
}

// Steps are the receiver's background work, workers first.
func (r *Receiver) Steps(workers int) []Step {
	steps := make([]Step, 0, workers+9)
	for i := range workers {
		steps = append(steps, newWorker(r, i+1))
	}
	steps = append(steps,
		chargeSender{r}, refundSender{r}, payoutSender{r}, sweeper{r}, changedSweeper{r}, pendingSweeper{r}, reconciler{r}, registrar{r}, keyPurger{r})
	for _, to := range r.cfg.Endpoints {
		if !to.Disabled {
			steps = append(steps, dispatcher{r, to})
		}
	}
	return steps
}

// ErrorPause is how long a loop waits after a step's nth error in a row.
func (r *Receiver) ErrorPause(step string, nth int) time.Duration {
	return r.cfg.backoff("step:"+step, nth)
}

// now is the store's clock.
func (r *Receiver) now(ctx context.Context) (time.Time, error) { return r.store.Now(ctx) }

// Handler serves the PSP's callbacks and the merchant's API.
func (r *Receiver) Handler() http.Handler { return http.HandlerFunc(r.serve) }
