package live

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// Server is the PSP's process.
type Server struct {
	m        *machine
	api, lab *http.Server
	listen   struct{ api, lab net.Listener }
}

// New makes a server. Nothing runs yet; the ports take connections already.
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	m, err := newMachine(o)
	if err != nil {
		return nil, err
	}
	control := &lab{m: m, token: sha256.Sum256([]byte(o.LabToken))}
	s := &Server{m: m, api: serving(api{m}, o), lab: serving(control.routes(), o)}
	s.listen.api, s.listen.lab = o.API, o.Lab
	if o.APITLS != nil {
		s.listen.api = tls.NewListener(o.API, o.APITLS)
	}
	return s, nil
}

func serving(h http.Handler, o Options) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: o.Log,
	}
}

// Addresses are where the ports listen.
func (s *Server) Addresses() Addresses {
	scheme := "http://"
	if s.m.opt.APITLS != nil {
		scheme = "https://"
	}
	return Addresses{API: scheme + s.listen.api.Addr().String(), Lab: "http://" + s.listen.lab.Addr().String()}
}

// Run makes a server and runs it, see [New] and [Server.Run].
func Run(ctx context.Context, o Options) error {
	s, err := New(o)
	if err != nil {
		return err
	}
	return s.Run(ctx)
}

// Run serves until ctx ends or a port fails. At its end calls and callbacks
// that are on their way have the grace period to finish; it returns when
// nothing of it runs any more, with nil if ctx was the reason.
func (s *Server) Run(ctx context.Context) error {
	if err := s.begin(); err != nil {
		return errors.Join(err, s.listen.api.Close(), s.listen.lab.Close())
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	all.Go(func() { s.serve(s.api, s.listen.api, "API", stop) })
	all.Go(func() { s.serve(s.lab, s.listen.lab, "lab", stop) })
	all.Go(func() { newCourier(s.m).run(ctx) })
	all.Go(func() { s.m.runTimetable(ctx) })
	<-ctx.Done()
	s.shutdown()
	all.Wait()
	var failed portError
	if errors.As(context.Cause(ctx), &failed) {
		return failed
	}
	return nil
}

// begin does what comes before the first call.
func (s *Server) begin() error {
	if to := s.m.opt.WebhookURL; to != "" {
		if err := s.m.registerWebhooks(to); err != nil {
			return err
		}
	}
	if plan := s.m.opt.Plan; plan != nil {
		if _, err := s.m.apply(plan, s.m.opt.MakeCharges); err != nil {
			return fmt.Errorf("apply the plan: %w", err)
		}
	}
	return nil
}

// portError is a port that stopped by itself.
type portError struct {
	port  string
	cause error
}

// Error names the port.
func (e portError) Error() string { return "serve the " + e.port + " port: " + e.cause.Error() }

// Unwrap gives the cause.
func (e portError) Unwrap() error { return e.cause }

func (s *Server) serve(srv *http.Server, on net.Listener, port string, stop context.CancelCauseFunc) {
	if err := srv.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		stop(portError{port, err})
	}
}

// shutdown lets calls finish within the grace period, then cuts them.
func (s *Server) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), s.m.opt.Grace)
	defer cancel()
	var both sync.WaitGroup
	for _, srv := range []*http.Server{s.api, s.lab} {
		both.Go(func() {
			if srv.Shutdown(ctx) != nil {
				srv.Close()
			}
		})
	}
	both.Wait()
}

// runTimetable carries out the plan until ctx ends.
func (m *machine) runTimetable(ctx context.Context) {
	for ctx.Err() == nil {
		next, more := m.keepTimetable()
		if !m.timetableBell.wait(ctx, next, more) {
			return
		}
	}
}
