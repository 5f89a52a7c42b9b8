package live

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/pixlab/pixlab/receiver"
)

// NewLatch makes a latch for goroutines to wait at.
func NewLatch() receiver.Latch { return &latch{open: make(chan struct{})} }

type latch struct {
	once sync.Once
	open chan struct{}
}

// Open implements receiver.Latch.
func (l *latch) Open() { l.once.Do(func() { close(l.open) }) }

// Wait implements receiver.Latch.
func (l *latch) Wait(ctx context.Context) error {
	select {
	case <-l.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RunBatcher has a batcher flush until ctx ends, so many flushes side by side.
// Then nothing more is taken, and what waits is flushed before it returns. A
// panic is an error of its flush, and the next one is made all the same.
func RunBatcher(ctx context.Context, b *receiver.Batcher, flushers int, log *slog.Logger) error {
	var crew sync.WaitGroup
	for range max(1, flushers) {
		crew.Go(func() {
			for b.Wait(ctx) == nil {
				flush(ctx, b, log)
			}
			for b.Close(); b.Waiting() > 0; {
				flush(ctx, b, log)
			}
		})
	}
	crew.Wait()
	return nil
}

func flush(ctx context.Context, b *receiver.Batcher, log *slog.Logger) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("step panicked", "step", "batcher", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		}
	}()
	if _, err := b.RunOnce(context.WithoutCancel(ctx)); err != nil {
		log.Warn("callbacks were not stored", "error", err.Error())
	}
}
