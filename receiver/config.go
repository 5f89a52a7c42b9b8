package receiver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Clock is a process's own clock, its waits and its deadlines. Live it is the
// machine's; in the lab it is virtual and may be skewed on purpose.
type Clock interface {
	Now() time.Time
	// Sleep waits, or returns the context's error.
	Sleep(ctx context.Context, d time.Duration) error
	// WithTimeout is context.WithTimeout on this clock.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// Doer sends an HTTP request; *http.Client is one. It must honour the
// deadline that [Clock.WithTimeout] put on the request's context.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Config is everything a receiver is told. [Config.Validate] fills what is
// zero with the default named beside it.
type Config struct {
	// Name tells this process from its fellows, in leases and logs.
	Name string
	// Source names the PSP account; inbox keys are unique within it.
	Source string
	// PixKeys are the keys whose money is ours.
	PixKeys []pix.PixKey
	// Consumers are the callers of the merchant's API by the digests of their
	// tokens. Each has charges, refunds and keys of its own.
	Consumers map[string]TokenDigest
	// Consumer is who is meant where nobody says who (merchant): an operator's
	// word about a charge, and every caller without a token where Open lets all
	// in, which is for trials only.
	Consumer string
	Open     bool

	// PSPURL is the PSP's base, such as https://pix.example.com/api; /v2 follows.
	PSPURL string
	// TokenURL hands out OAuth2 tokens for ClientID and ClientSecret; empty asks
	// the PSP without.
	TokenURL     string
	ClientID     string
	ClientSecret string
	// CallbackURL is registered at the PSP for each key; /pix is appended by it.
	CallbackURL string
	// Endpoints take the merchant's events; the store's [Rules.Endpoints] names
	// the same.
	Endpoints []Endpoint

	// Secrets verify callbacks: one, or two while a key is being replaced.
	Secrets []pix.Secret
	// Tolerance bounds a signature's age in both directions (5 min).
	Tolerance time.Duration

	// MaxBody bounds a callback in bytes (1 MiB), MaxItems its Pix (1,000).
	MaxBody  int64
	MaxItems int

	// Batch is how much a step takes at once (16).
	Batch int
	// Lease is how long claimed work is held (30 s); CallTimeout bounds one call
	// to the PSP (5 s). Of a lease two calls have to be left when one begins, so that
	// it is three times as long or more.
	Lease       time.Duration
	CallTimeout time.Duration
	// MaxAttempts is how often an event is tried before quarantine (10).
	MaxAttempts int
	// BackoffBase is the first pause (1 s), doubled to BackoffCap (5 min).
	BackoffBase time.Duration
	BackoffCap  time.Duration

	// SweepEvery is the pause between sweeps (15 min); Overlap how far each
	// reaches behind the last (4 h), at least the PSP's largest lag and the
	// three hours by which a PSP is off that writes local time with a Z; SweepBack
	// where the very first begins (24 h ago); PageSize its pages (100).
	SweepEvery time.Duration
	Overlap    time.Duration
	SweepBack  time.Duration
	PageSize   int
	// ReconcileEvery is the pause between reconciliations (6 h); Grace is the
	// age under which a difference may still be on its way (1 h).
	ReconcileEvery time.Duration
	Grace          time.Duration
	// ChangedEvery is the pause between sweeps of refunded Pix (6 h).
	ChangedEvery time.Duration
	// ProofAfter is how long after a call the PSP may still hide its effect from
	// a query (1 h): before, "not found" proves nothing.
	ProofAfter time.Duration

	// PayoutAttempts is how often a payout is sent before a person has to look (5),
	// AskEvery the pause between two questions about one whose end is not known
	// (5 min, an eighth of its age once that is more). PayoutKeyTTL is how long the
	// PSP remembers a payout's key (24 h), and PayoutLookup says that it hands out
	// endToEndIds at the payee's look-up.
	PayoutAttempts int
	AskEvery       time.Duration
	PayoutKeyTTL   time.Duration
	PayoutLookup   bool

	// KeyWindow is how long a request under an idempotency key may take (60 s):
	// one that is older counts as dead, and a repeat takes its key over. KeyTTL is
	// how long answers are kept (24 h), longer than anything here is retried;
	// KeyPurgeEvery the pause between purges (10 min).
	KeyWindow     time.Duration
	KeyTTL        time.Duration
	KeyPurgeEvery time.Duration

	// Observer is told of the marks that are reached; nil is told nothing.
	Observer Observer

	HTTP  Doer
	Clock Clock
	// Jitter is a number from 0 to 999 for a key's nth attempt.
	Jitter func(key string, attempt int) int
	// NewID makes an identifier of n characters of [0-9A-Za-z] for a key: the
	// same for the same key within one lab, random in production.
	NewID func(kind, key string, n int) string
}

// Validate completes the configuration, or says in one line what is missing.
func (c *Config) Validate() error {
	switch {
	case len(c.PixKeys) == 0:
		return errors.New("receiver: want at least one Pix key of ours")
	case c.PSPURL == "" || c.CallbackURL == "":
		return errors.New("receiver: want the PSP's URL and our callback URL")
	case len(c.Secrets) == 0:
		return errors.New("receiver: want a secret to verify callbacks; without one nothing can be trusted")
	case c.HTTP == nil || c.Clock == nil || c.Jitter == nil || c.NewID == nil:
		return errors.New("receiver: want HTTP, Clock, Jitter and NewID")
	case len(c.Consumers) == 0 && !c.Open:
		return errors.New("receiver: want a consumer of the merchant's API and its token")
	case c.sharedToken() != "":
		return fmt.Errorf("receiver: consumers %s: want a token of each one's own", c.sharedToken())
	}
	for _, s := range c.Secrets {
		if s.ID == "" || len(s.Key) < 16 {
			return fmt.Errorf("receiver: secret %q: want an id and a key of 16 bytes or more", s.ID)
		}
	}
	if err := checkEndpoints(c.Endpoints); err != nil {
		return err
	}
	c.fill()
	if c.Lease < 3*c.CallTimeout {
		return fmt.Errorf("receiver: lease %s: want three times the call time-out %s or more", c.Lease, c.CallTimeout)
	}
	if err := c.validatePayouts(); err != nil {
		return err
	}
	return c.validateKeys()
}

// chargeCalls is how many calls a request for a charge may make: it asks, sends
// and asks again, each of them twice where the PSP wants another token.
const chargeCalls = 6

// validateKeys wants an orphaned key to be taken over only when its request
// cannot be alive, and an answer to be kept longer than anything is retried.
func (c *Config) validateKeys() error {
	if c.KeyWindow < chargeCalls*c.CallTimeout {
		return fmt.Errorf("receiver: key window %s: want %d times the call time-out %s or more, the longest request", c.KeyWindow, chargeCalls, c.CallTimeout)
	}
	if longest := c.longestRetry(); c.KeyTTL <= longest {
		return fmt.Errorf("receiver: key TTL %s: want more than the longest retry, %s", c.KeyTTL, longest)
	}
	return nil
}

// checkEndpoints wants each to have a name of its own, a URL and a secret.
func checkEndpoints(all []Endpoint) error {
	known := map[string]bool{}
	for _, e := range all {
		switch {
		case e.Name == "" || e.URL == "" || e.Secret.ID == "" || len(e.Secret.Key) < 16:
			return fmt.Errorf("receiver: endpoint %q: want a name, a URL, and a secret with an id and 16 bytes or more", e.Name)
		case known[e.Name]:
			return fmt.Errorf("receiver: two endpoints are called %q", e.Name)
		}
		known[e.Name] = true
	}
	return nil
}

// longestRetry is how long after a request what it asked for may still be sent
// again: the orphan's window, the time for which a refusal proves nothing, and
// all pauses of one subject.
func (c *Config) longestRetry() time.Duration {
	sum := c.KeyWindow + c.ProofAfter
	for attempt := range c.MaxAttempts {
		pause := c.BackoffCap
		if attempt < 20 {
			pause = min(c.BackoffBase<<attempt, c.BackoffCap)
		}
		sum += pause
	}
	return sum
}

func (c *Config) fill() {
	setString(&c.Name, "receiver")
	setString(&c.Source, "psp")
	setString(&c.Consumer, "merchant")
	set(&c.Tolerance, 5*time.Minute)
	set(&c.MaxBody, 1<<20)
	set(&c.MaxItems, 1000)
	set(&c.Batch, 16)
	set(&c.Lease, 30*time.Second)
	set(&c.CallTimeout, 5*time.Second)
	set(&c.MaxAttempts, 10)
	set(&c.BackoffBase, time.Second)
	set(&c.BackoffCap, 5*time.Minute)
	set(&c.SweepEvery, 15*time.Minute)
	set(&c.Overlap, 4*time.Hour)
	set(&c.SweepBack, 24*time.Hour)
	set(&c.PageSize, 100)
	set(&c.ReconcileEvery, 6*time.Hour)
	set(&c.Grace, time.Hour)
	set(&c.ChangedEvery, 6*time.Hour)
	set(&c.ProofAfter, time.Hour)
	set(&c.PayoutAttempts, 5)
	set(&c.AskEvery, 5*time.Minute)
	set(&c.PayoutKeyTTL, 24*time.Hour)
	set(&c.KeyWindow, time.Minute)
	set(&c.KeyTTL, 24*time.Hour)
	set(&c.KeyPurgeEvery, 10*time.Minute)
}

func set[T int | int64 | time.Duration](v *T, fallback T) {
	if *v == 0 {
		*v = fallback
	}
}

func setString(v *string, fallback string) {
	if *v == "" {
		*v = fallback
	}
}

// pause is the backoff before a key's next attempt, and no less than the PSP
// asked to wait.
func (c *Config) pause(key string, attempt int, wait time.Duration) time.Duration {
	return max(c.backoff(key, attempt), wait)
}

// backoff is the pause before a key's next attempt: doubling from the base to
// the cap, half of it jittered.
func (c *Config) backoff(key string, attempt int) time.Duration {
	d := c.BackoffCap
	if attempt < 1 {
		attempt = 1
	}
	if shift := attempt - 1; shift < 20 {
		d = min(c.BackoffBase<<shift, c.BackoffCap)
	}
	d = d/2 + d/2*time.Duration(c.Jitter(key, attempt))/999
	return whole(d)
}

// whole is a pause in whole microseconds, rounded up: a database keeps no finer
// time, and what is due must be so at the same instant on any.
func whole(d time.Duration) time.Duration {
	return (d + time.Microsecond - 1).Truncate(time.Microsecond)
}

// lease asks for as much work as fits into one lease where each item may need
// that many calls.
func (c *Config) lease(now time.Time, calls int) Lease {
	fit := int(c.Lease/(time.Duration(calls)*c.CallTimeout)) - 1
	return Lease{Holder: c.Name, Now: now, For: c.Lease, Limit: max(1, fit)}
}
