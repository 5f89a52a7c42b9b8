package live

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// ServerConfig is one port and its limits. What is zero becomes the default
// named beside it.
type ServerConfig struct {
	// Name is for logs; Addr is host:port, port 0 takes a free one.
	Name    string
	Addr    string
	Handler http.Handler
	// TLS, where set, is what the port speaks; see [ServerTLS].
	TLS *tls.Config

	// ReadHeaderTimeout bounds the TLS handshake and the header (5 s),
	// ReadTimeout header and body (15 s), WriteTimeout all of a request from the
	// end of its header (30 s), IdleTimeout the wait for the next one (20 s: an
	// idle connection holds one of MaxConns).
	ReadHeaderTimeout time.Duration
	ReadTimeout       time.Duration
	WriteTimeout      time.Duration
	IdleTimeout       time.Duration
	// HandlerTimeout ends the context of a handler (25 s): before WriteTimeout,
	// so that there is time to say so.
	HandlerTimeout time.Duration
	// MaxHeaderBytes bounds the header (16 KiB, to which net/http adds 4 KiB),
	// MaxConns the connections open at once (256).
	MaxHeaderBytes int
	MaxConns       int
	// Grace is how long requests may go on after the end was asked for (10 s).
	Grace time.Duration

	Clock receiver.Clock // the machine's
	Log   *slog.Logger   // none
	// Panicked, where set, hears of each panic of a handler.
	Panicked func()
}

func (c *ServerConfig) fill() {
	setDefault(&c.ReadHeaderTimeout, 5*time.Second)
	setDefault(&c.ReadTimeout, 15*time.Second)
	setDefault(&c.WriteTimeout, 30*time.Second)
	setDefault(&c.IdleTimeout, 20*time.Second)
	setDefault(&c.HandlerTimeout, 25*time.Second)
	setDefault(&c.MaxHeaderBytes, 16<<10)
	setDefault(&c.MaxConns, 256)
	setDefault(&c.Grace, 10*time.Second)
	if c.Clock == nil {
		c.Clock = Clock{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Panicked == nil {
		c.Panicked = func() {}
	}
}

// Server is one port. Make it with [Listen].
type Server struct {
	cfg  ServerConfig
	port net.Listener
	http http.Server
}

// Listen takes the port; nothing is served before [Server.Serve]. HTTP/2 is not
// spoken: its streams would go round the limit of connections.
func Listen(ctx context.Context, cfg ServerConfig) (*Server, error) {
	cfg.fill()
	port, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", cfg.Addr, err)
	}
	port = newLimited(port, cfg.MaxConns)
	if cfg.TLS != nil {
		port = tls.NewListener(port, cfg.TLS)
	}
	s := &Server{cfg: cfg, port: port}
	s.http = http.Server{
		Handler:           guarded(cfg),
		ReadHeaderTimeout: cfg.ReadHeaderTimeout, ReadTimeout: cfg.ReadTimeout,
		WriteTimeout: cfg.WriteTimeout, IdleTimeout: cfg.IdleTimeout,
		MaxHeaderBytes: cfg.MaxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(cfg.Log.With("port", cfg.Name).Handler(), slog.LevelWarn),
		Protocols:      new(http.Protocols),
		TLSNextProto:   map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	s.http.Protocols.SetHTTP1(true)
	return s, nil
}

// Addr is where the port listens.
func (s *Server) Addr() net.Addr { return s.port.Addr() }

// Close gives up a port that was never served.
func (s *Server) Close() error { return s.port.Close() }

// Serve serves until ctx ends, lets the requests at hand end within the grace,
// and cuts off those that do not.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.port) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", s.cfg.Name, err)
	case <-ctx.Done():
	}
	ctx, cancel := s.cfg.Clock.WithTimeout(context.WithoutCancel(ctx), s.cfg.Grace)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop serving %s: requests were cut off: %w", s.cfg.Name, err), s.http.Close())
	}
	<-failed
	return err
}
