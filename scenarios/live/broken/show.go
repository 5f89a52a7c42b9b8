package broken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// Receiver is one that is wrong on purpose, on a database alone.
type Receiver struct {
	Name      string
	Invariant string
	Doc       string
	wrap      func(s receiver.Store, url string) receiver.Store
}

// Receivers lists them.
func Receivers() []Receiver { return []Receiver{dispatcherHoldsLock()} }

// Reference is the one that is not wrong.
func Reference() Receiver {
	return Receiver{Name: "reference", wrap: func(s receiver.Store, _ string) receiver.Store { return s }}
}

const (
	// told is how many Pix an endpoint is to hear of.
	told = 3
	// again is how often it hears of one in vain, until that is called for ever.
	again = 3
	// patience is far above what either takes.
	patience = 2 * time.Minute

	ourKey pix.PixKey = "loja@ex.example"
)

// Show books a few Pix on an empty database with the receiver's schema, and has
// the receiver tell an endpoint of them. What breaks comes back in words, "" if
// all of them were told of and are known to have been.
func Show(ctx context.Context, url string, r Receiver) (finding string, err error) {
	inner, err := postgres.Open(ctx, postgres.Config{
		URL: url, Rules: receiver.Rules{Keys: []pix.PixKey{ourKey}}, MaxConns: 4, LockTimeout: 250 * time.Millisecond,
	})
	if err != nil {
		return "", err
	}
	defer inner.Close()
	if err := book(ctx, inner); err != nil {
		return "", err
	}
	end := &endpoint{got: map[int64]int{}}
	at, err := end.listen()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, end.server.Close()) }()
	stop, err := dispatch(ctx, r.wrap(inner, url), at)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return watch(ctx, inner, end)
}

// book books Pix without a charge, each of which is told of.
func book(ctx context.Context, s *postgres.Store) error {
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	in := make([]receiver.Repair, told)
	for n := range in {
		id := pix.EndToEndID(fmt.Sprintf("E12345678202603021159%011d", n+1))
		in[n] = receiver.Repair{Now: now, Item: receiver.InboxItem{
			Source: "psp", Key: receiver.CreditKey(id), Channel: receiver.ChannelRepair, Confirmed: true, Raw: []byte("{}"), ReceivedAt: now,
			Credit: &receiver.Credit{EndToEndID: id, PixKey: ourKey, Amount: 1000, PaidAt: now},
		}}
	}
	out, err := s.RepairEvents(ctx, in)
	for _, o := range out {
		if o.Result != receiver.ApplyBooked {
			return fmt.Errorf("book a Pix: %s %s", o.Result, o.Reason)
		}
	}
	return err
}

// dispatch runs the receiver's dispatcher, and no other step, until it is stopped.
func dispatch(ctx context.Context, s receiver.Store, at string) (stop func() error, err error) {
	secret := pix.Secret{ID: "k1", Key: []byte("sixteen bytes, or more")}
	r, err := receiver.New(receiver.Config{
		PixKeys: []pix.PixKey{ourKey}, Open: true, PSPURL: "http://127.0.0.1:1", CallbackURL: "http://127.0.0.1:1",
		Secrets: []pix.Secret{secret}, Endpoints: []receiver.Endpoint{{Name: receiver.DefaultEndpoint, URL: at, Secret: secret}},
		CallTimeout: 100 * time.Millisecond, Lease: 300 * time.Millisecond, BackoffBase: 10 * time.Millisecond, BackoffCap: 50 * time.Millisecond,
		HTTP: &http.Client{}, Clock: live.Clock{}, Jitter: live.Jitter, NewID: live.NewID,
	}, s)
	if err != nil {
		return nil, err
	}
	var without []receiver.Queue
	for _, step := range r.Steps(1) {
		if _, is := step.Queue().Endpoint(); !is {
			without = append(without, step.Queue())
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- live.Run(ctx, r, s, live.Options{Workers: 1, Without: without, Poll: 10 * time.Millisecond, MaxPause: 50 * time.Millisecond, Grace: 5 * time.Second})
	}()
	return func() error {
		cancel()
		return <-ended
	}, nil
}

// watch waits until everything is out, or one event goes out again and again and
// never is.
func watch(ctx context.Context, s *postgres.Store, end *endpoint) (string, error) {
	clock := live.Clock{}
	for deadline := clock.Now().Add(patience); ; {
		all, err := s.ListOutbox(ctx, receiver.OutboxQuery{})
		if err != nil {
			return "", err
		}
		sent, stuck := 0, ""
		for _, o := range all {
			if o.Sent {
				sent++
			} else if n := end.heard(o.ID); n >= again {
				stuck = fmt.Sprintf("outbox event %d reached %s %d times, and none of its results could be stored", o.ID, o.Endpoint, n)
			}
		}
		switch {
		case sent == told:
			return "", nil
		case stuck != "" && sent == 0:
			return stuck, nil
		case clock.Now().After(deadline):
			return "", fmt.Errorf("after %s %d of %d events are out, and none was sent %d times", patience, sent, told, again)
		}
		if err := clock.Sleep(ctx, 20*time.Millisecond); err != nil {
			return "", err
		}
	}
}

// endpoint is the merchant's.
type endpoint struct {
	server *http.Server
	mu     sync.Mutex
	got    map[int64]int // by event
}

func (e *endpoint) listen() (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	e.server = &http.Server{Handler: e, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: patience}
	go func() { _ = e.server.Serve(l) }() // ends by Close alone
	return "http://" + l.Addr().String() + "/events", nil
}

// ServeHTTP takes one event.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var event struct {
		ID int64 `json:"id"`
	}
	if err := json.NewDecoder(req.Body).Decode(&event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.got[event.ID]++
}

func (e *endpoint) heard(id int64) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.got[id]
}
