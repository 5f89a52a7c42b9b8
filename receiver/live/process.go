package live

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/pixlab/pixlab/receiver"
)

// ProcessConfig is one receiver process. Handlers, names, clocks, logs and
// listeners of counts are set by [NewProcess].
type ProcessConfig struct {
	Receiver receiver.Config
	Store    receiver.Store
	Loops    Options
	Batch    receiver.BatchConfig
	Flushers int // flushes of callbacks side by side (1)

	// Public is where callbacks and the merchant's API are served. Admin is for
	// operators and machines; without an Addr there is none.
	Public ServerConfig
	Admin  ServerConfig
	// AdminToken is for Admin. Tokens are those of the merchant's API, by
	// consumer; APIToken is that of Receiver.Consumer. OpenAPI lets everybody in, as
	// Receiver.Consumer. Callbacks show their signature.
	AdminToken string
	Tokens     map[string]string
	APIToken   string
	OpenAPI    bool

	// Checks are what /readyz looks at, besides that the process is not stopping.
	Checks []Check
	// Pool, where set, tells of the store's connections.
	Pool func() PoolStats
	Log  *slog.Logger // none
}

// Process is a receiver with its ports, loops and counts. It is run once.
type Process struct {
	cfg      ProcessConfig
	receiver *receiver.Receiver
	store    receiver.Store // with the bell and the counts
	batcher  *receiver.Batcher
	metrics  *Metrics
	stopping atomic.Bool

	public, admin *Server // set by Listen
}

// NewProcess checks the configuration and puts a process together. Nothing is
// started and no port is taken.
func NewProcess(cfg ProcessConfig) (*Process, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.letIn()
	p := &Process{cfg: cfg, metrics: NewMetrics()}
	clock := cfg.Receiver.Clock
	bell := NewBell()
	p.store = bell.Wrap(p.metrics.Wrap(cfg.Store, clock))
	p.cfg.Loops.Bell, p.cfg.Loops.Turn, p.cfg.Loops.Clock, p.cfg.Loops.Log = bell, p.metrics.Turn, clock, cfg.Log
	p.cfg.Batch.Flushed, p.cfg.Batch.Clock, p.cfg.Batch.NewLatch = p.metrics.Flushed, clock, NewLatch
	p.batcher = receiver.NewBatcher(p.store, p.cfg.Batch)
	p.metrics.WatchBatcher(p.batcher)
	cfg.Receiver.HTTP = p.metrics.Calls(cfg.Receiver.HTTP)
	if g := cfg.Loops.GiveWay; g != nil {
		g.Load, g.Clock = p.batcher.Load, clock
	}
	var err error
	if p.receiver, err = receiver.New(cfg.Receiver, p.batcher); err != nil {
		return nil, err
	}
	for _, s := range []*ServerConfig{&p.cfg.Public, &p.cfg.Admin} {
		s.Clock, s.Log, s.Panicked = clock, cfg.Log, p.metrics.Panicked
	}
	p.cfg.Public.Handler = p.metrics.Front(clock, p.front())
	p.cfg.Public.Name, p.cfg.Admin.Name = "public", "admin"
	if cfg.Admin.Addr == "" {
		return p, nil
	}
	p.cfg.Admin.Handler, err = NewAdmin(AdminConfig{
		Token: cfg.AdminToken, Store: p.store, Consumer: cfg.Receiver.Consumer,
		Metrics: p.metrics.Handler(), Checks: append([]Check{{"process", p.accepting}}, cfg.Checks...),
	})
	return p, err
}

func (c *ProcessConfig) check() error {
	if c.Store == nil {
		return errors.New("live: want a store")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tokens)) {
		if err := checkToken("the token of consumer "+name, c.Tokens[name]); err != nil {
			return err
		}
	}
	if c.APIToken == "" && (c.OpenAPI || len(c.Tokens) > 0) {
		return nil
	}
	return checkToken("the token of the merchant's API", c.APIToken)
}

// letIn tells the receiver who its consumers are.
func (c *ProcessConfig) letIn() {
	own := &c.Receiver
	own.Open = c.OpenAPI
	own.Consumers = maps.Clone(own.Consumers)
	if own.Consumers == nil {
		own.Consumers = map[string]receiver.TokenDigest{}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tokens)) {
		own.Consumers[name] = receiver.DigestToken(c.Tokens[name])
	}
	if own.Consumer == "" {
		own.Consumer = "merchant"
	}
	if c.APIToken != "" {
		own.Consumers[own.Consumer] = receiver.DigestToken(c.APIToken)
	}
}

// front has requests of the merchant go on when the caller hangs up: half of what
// it asked for would be left behind. The deadline stays.
func (p *Process) front() http.Handler {
	all := p.receiver.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		end, bounded := req.Context().Deadline()
		if routeOf(req) == routeCallback || !bounded {
			all.ServeHTTP(w, req)
			return
		}
		ctx, cancel := context.WithDeadline(context.WithoutCancel(req.Context()), end)
		defer cancel()
		all.ServeHTTP(w, req.WithContext(ctx))
	})
}

// accepting fails once the process is stopping, so that a load balancer turns
// away before the port closes.
func (p *Process) accepting(context.Context) error {
	if p.stopping.Load() {
		return errors.New("stopping")
	}
	return nil
}

// Listen takes the ports.
func (p *Process) Listen(ctx context.Context) (err error) {
	if p.public, err = Listen(ctx, p.cfg.Public); err != nil {
		return err
	}
	if p.cfg.Admin.Addr == "" {
		return nil
	}
	if p.admin, err = Listen(ctx, p.cfg.Admin); err != nil {
		return errors.Join(err, p.public.Close())
	}
	return nil
}

// Close gives up the ports of a process that is not going to run.
func (p *Process) Close() error {
	err := p.public.Close()
	if p.admin != nil {
		err = errors.Join(err, p.admin.Close())
	}
	return err
}

// PublicAddr is where callbacks are served, after Listen.
func (p *Process) PublicAddr() net.Addr { return p.public.Addr() }

// AdminAddr is where operators are served, after Listen; nil if nowhere.
func (p *Process) AdminAddr() net.Addr {
	if p.admin == nil {
		return nil
	}
	return p.admin.Addr()
}

// Run serves and works until ctx ends, or a part of it fails. Then it stops: the
// public port first, so that nothing more comes in and what is being stored is
// stored and answered; then the steps; then the batcher; and the
// administrators' port last. It needs Listen.
func (p *Process) Run(ctx context.Context) error {
	if p.public == nil {
		return errors.New("live: Run needs Listen")
	}
	p.metrics.Watch(context.WithoutCancel(ctx), p.cfg.Store, p.cfg.Receiver.Clock, p.cfg.Pool)
	p.metrics.WatchBooks(context.WithoutCancel(ctx), p.cfg.Store, p.cfg.Receiver.Clock, p.cfg.Receiver.Endpoints)
	all := p.parts()
	failed := make(chan struct{}, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		all[i].start(context.WithoutCancel(ctx), failed)
	}
	select {
	case <-ctx.Done():
	case <-failed:
	}
	p.stopping.Store(true)
	p.cfg.Log.Info("stopping")
	var errs []error
	for _, part := range all {
		errs = append(errs, part.stop())
	}
	return errors.Join(errs...)
}
