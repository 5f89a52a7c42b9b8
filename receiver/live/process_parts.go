package live

import (
	"context"
	"fmt"
)

// parts are what runs, in the order in which it stops.
func (p *Process) parts() []*part {
	all := []*part{
		{name: "public port", run: p.public.Serve},
		{name: "steps", run: func(ctx context.Context) error { return Run(ctx, p.receiver, p.store, p.cfg.Loops) }},
		{name: "batcher", run: func(ctx context.Context) error { return RunBatcher(ctx, p.batcher, p.cfg.Flushers, p.cfg.Log) }},
	}
	if p.admin != nil {
		all = append(all, &part{name: "admin port", run: p.admin.Serve})
	}
	return all
}

// part is one thing that runs until it is told to stop.
type part struct {
	name  string
	run   func(ctx context.Context) error
	end   context.CancelFunc
	ended chan error
}

// start runs the part; it says so on failed when it ends of itself.
func (t *part) start(ctx context.Context, failed chan<- struct{}) {
	ctx, t.end = context.WithCancel(ctx)
	t.ended = make(chan error, 1)
	go func() {
		err := t.run(ctx)
		if ctx.Err() == nil && err == nil {
			err = fmt.Errorf("%s ended of itself", t.name)
		}
		t.ended <- err
		if ctx.Err() == nil {
			failed <- struct{}{}
		}
	}()
}

// stop ends the part and waits for it.
func (t *part) stop() error {
	t.end()
	return <-t.ended
}
