package live_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

// appends is a store that remembers each flush, and answers each item with a
// number made of its key.
type appends struct {
	mu      sync.Mutex
	flushes [][]string
	before  func(keys []string) error // what happens to a flush first
}

func (a *appends) store() *stub {
	return &stub{append: func(_ context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
		keys, out := make([]string, len(in)), make([]receiver.AppendOutcome, len(in))
		for i, it := range in {
			keys[i], out[i] = it.Key, receiver.AppendOutcome{EventID: numberOf(it.Key), Result: receiver.AppendNew}
		}
		if a.before != nil {
			if err := a.before(keys); err != nil {
				return nil, err
			}
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.flushes = append(a.flushes, keys)
		return out, nil
	}}
}

func numberOf(key string) int64 {
	var n int64
	fmt.Sscanf(key[len(key)-11:], "%d", &n)
	return n
}

// stored are the keys of all flushes that went well, and how many there were.
func (a *appends) stored() (keys []string, flushes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.flushes {
		keys = append(keys, f...)
	}
	return keys, len(a.flushes)
}

// newBatcher makes a batcher for goroutines.
func newBatcher(s receiver.Store, cfg receiver.BatchConfig) *receiver.Batcher {
	cfg.Clock, cfg.NewLatch = live.Clock{}, live.NewLatch
	return receiver.NewBatcher(s, cfg)
}

// start runs a batcher until the test's end; stop ends it before.
func start(t *testing.T, b *receiver.Batcher) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- live.RunBatcher(ctx, b, 1, slog.New(slog.DiscardHandler)) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func TestAThousandCallbacksAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			t.Parallel()
			a := &appends{}
			var mu sync.Mutex
			callbacks := 0
			b := newBatcher(a.store(), receiver.BatchConfig{Delay: delay, Items: 64, Flushed: func(n, items int, err error) {
				mu.Lock()
				defer mu.Unlock()
				callbacks += n
				if items > 64 || err != nil {
					t.Errorf("a flush of %d items: %v", items, err)
				}
			}})
			stop := start(t, b)
			var all sync.WaitGroup
			for n := range 1000 {
				all.Go(func() {
					in := []receiver.InboxItem{item(2 * n), item(2*n + 1)}
					out, err := b.AppendInbox(t.Context(), in)
					if err != nil || len(out) != 2 || out[0].EventID != int64(2*n) || out[1].EventID != int64(2*n+1) {
						t.Errorf("callback %d: %v, %v", n, out, err)
					}
				})
			}
			all.Wait()
			stop()
			keys, _ := a.stored()
			slices.Sort(keys)
			if distinct := len(slices.Compact(keys)); len(keys) != 2000 || distinct != 2000 || callbacks != 1000 {
				t.Errorf("%d items stored, %d distinct, of %d callbacks", len(keys), distinct, callbacks)
			}
		})
	}
}

// enter has n callbacks wait in a batcher, and gives a channel of their errors
// by number. It returns when all of them wait.
func enter(t *testing.T, b *receiver.Batcher, limit, first, n int) <-chan map[int]error {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	got := map[int]error{}
	for i := first; i < first+n; i++ {
		all.Go(func() {
			_, err := b.AppendInbox(t.Context(), []receiver.InboxItem{item(i)})
			mu.Lock()
			defer mu.Unlock()
			got[i] = err
		})
	}
	out := make(chan map[int]error, 1)
	go func() {
		all.Wait()
		out <- got
	}()
	for b.Waiting() < limit {
		runtime.Gosched() // there is nothing to wait on: the callers hang inside
	}
	return out
}

func TestWhatGathersWhileAFlushRunsSharesTheNext(t *testing.T) {
	t.Parallel()
	began, free := make(chan struct{}, 9), make(chan struct{})
	a := &appends{before: func([]string) error { began <- struct{}{}; <-free; return nil }}
	b := newBatcher(a.store(), receiver.BatchConfig{})
	start(t, b)
	first := enter(t, b, 0, 0, 1)
	await(t, began, "the first flush")
	rest := enter(t, b, 100, 1, 100)
	close(free)
	for n, err := range await(t, first, "the first callback") {
		if err != nil {
			t.Errorf("callback %d: %v", n, err)
		}
	}
	for n, err := range await(t, rest, "the others") {
		if err != nil {
			t.Errorf("callback %d: %v", n, err)
		}
	}
	if _, flushes := a.stored(); flushes != 2 {
		t.Errorf("%d flushes, want 2", flushes)
	}
}

func TestAFailedFlushFailsItsCallersAndNobodyElse(t *testing.T) {
	t.Parallel()
	failed := map[string]bool{}
	count := 0
	a := &appends{before: func(keys []string) error { // one flush at a time
		if count++; count%2 == 1 {
			return nil
		}
		for _, k := range keys {
			failed[k] = true
		}
		return receiver.ErrCommitUnknown
	}}
	b := newBatcher(a.store(), receiver.BatchConfig{Items: 7})
	all := enter(t, b, 100, 0, 100)
	stop := start(t, b)
	got := await(t, all, "all callbacks")
	stop()
	keys, _ := a.stored()
	for n, err := range got {
		key := item(n).Key
		switch {
		case failed[key] && !errors.Is(err, receiver.ErrCommitUnknown):
			t.Errorf("callback %d was in a failed flush and got %v", n, err)
		case !failed[key] && (err != nil || !slices.Contains(keys, key)):
			t.Errorf("callback %d was in no failed flush and got %v", n, err)
		}
	}
	if len(failed) == 0 || len(failed) == len(got) {
		t.Errorf("%d of %d failed: this test tests nothing", len(failed), len(got))
	}
}

func TestAFullQueueTurnsAwayAndLosesNobodyWhoWaits(t *testing.T) {
	t.Parallel()
	a := &appends{}
	b := newBatcher(a.store(), receiver.BatchConfig{Waiting: 10})
	waiting := enter(t, b, 10, 0, 10)
	if _, err := b.AppendInbox(t.Context(), []receiver.InboxItem{item(10)}); !errors.Is(err, receiver.ErrUnavailable) {
		t.Errorf("the eleventh got %v", err)
	}
	start(t, b)
	for n, err := range await(t, waiting, "the ten that waited") {
		if err != nil {
			t.Errorf("callback %d: %v", n, err)
		}
	}
}

func TestACallbackLargerThanTheQueuePassesAlone(t *testing.T) {
	t.Parallel()
	a := &appends{}
	b := newBatcher(a.store(), receiver.BatchConfig{Items: 2, Waiting: 3})
	start(t, b)
	in := []receiver.InboxItem{item(0), item(1), item(2), item(3), item(4)}
	if out, err := b.AppendInbox(t.Context(), in); err != nil || len(out) != 5 {
		t.Errorf("%v, %v", out, err)
	}
}

func TestACallerThatGoesAwayTakesItsItemsAlong(t *testing.T) {
	t.Parallel()
	a := &appends{}
	b := newBatcher(a.store(), receiver.BatchConfig{})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := b.AppendInbox(ctx, []receiver.InboxItem{item(0)})
		left <- err
	}()
	stays := enter(t, b, 2, 1, 1)
	leave()
	if err := await(t, left, "the one who left"); !errors.Is(err, context.Canceled) || receiver.Retryable(err) {
		t.Errorf("the one who left got %v", err)
	}
	start(t, b)
	if err := await(t, stays, "the one who stayed")[1]; err != nil {
		t.Error(err)
	}
	if keys, _ := a.stored(); !slices.Equal(keys, []string{item(1).Key}) {
		t.Errorf("stored: %v", keys)
	}
}

func TestACallerThatGoesAwayDuringTheFlushDoesNotKnow(t *testing.T) {
	t.Parallel()
	began, free := make(chan struct{}), make(chan struct{})
	a := &appends{before: func([]string) error { close(began); <-free; return nil }}
	b := newBatcher(a.store(), receiver.BatchConfig{})
	start(t, b)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := b.AppendInbox(ctx, []receiver.InboxItem{item(0)})
		left <- err
	}()
	await(t, began, "the flush")
	leave()
	if err := await(t, left, "the one who left"); !errors.Is(err, receiver.ErrCommitUnknown) {
		t.Errorf("the one who left got %v", err)
	}
	close(free)
}

func TestStoppingABatcherStoresWhatWaits(t *testing.T) {
	t.Parallel()
	a := &appends{}
	b := newBatcher(a.store(), receiver.BatchConfig{Items: 3, Delay: time.Hour})
	waiting := enter(t, b, 10, 0, 10)
	start(t, b)()
	for n, err := range await(t, waiting, "the ten that waited") {
		if err != nil {
			t.Errorf("callback %d: %v", n, err)
		}
	}
	if _, err := b.AppendInbox(t.Context(), []receiver.InboxItem{item(10)}); !errors.Is(err, receiver.ErrUnavailable) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAPanicOfTheStoreFailsOneFlush(t *testing.T) {
	t.Parallel()
	panics := true
	a := &appends{before: func([]string) error { // one flush at a time
		if panics {
			panics = false
			panic("out of order")
		}
		return nil
	}}
	b := newBatcher(a.store(), receiver.BatchConfig{})
	start(t, b)
	if _, err := b.AppendInbox(t.Context(), []receiver.InboxItem{item(0)}); !errors.Is(err, receiver.ErrCommitUnknown) {
		t.Errorf("got %v", err)
	}
	if _, err := b.AppendInbox(t.Context(), []receiver.InboxItem{item(1)}); err != nil {
		t.Error(err)
	}
}

func TestWhatASweepBringsIsNotBatched(t *testing.T) {
	t.Parallel()
	a := &appends{}
	b := newBatcher(a.store(), receiver.BatchConfig{}) // nobody runs it
	it := item(0)
	it.Channel = receiver.ChannelSweep
	if out, err := b.AppendInbox(t.Context(), []receiver.InboxItem{it}); err != nil || len(out) != 1 {
		t.Errorf("%v, %v", out, err)
	}
}
