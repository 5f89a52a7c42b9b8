package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/demo"
)

const demoDoc = `Show one plan on two receivers side by side, in a browser: a broken one on the left, the
reference on the right, the same callbacks for both. Buttons add faults to the plan while
it plays; what is saved runs to the same hash by pixlab run --plan.

Off loopback the page wants a token, which is printed with its address.`

type demoFlags struct {
	seed     seedFlag
	profile  string
	receiver string
	listen   string
}

func (c *cli) demoCommand() *cobra.Command {
	f := demoFlags{}
	cmd := &cobra.Command{
		Use: "demo", Short: "Show it live: two receivers, one plan, buttons that break things", Long: demoDoc, Args: noArgs,
		Example: "  pixlab demo\n  pixlab demo --seed 7 --receiver check-then-insert",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.demo(cmd.Context(), &f) },
	}
	flags := cmd.Flags()
	f.seed.seed = 42
	flags.Var(&f.seed, "seed", "draw the plan from seed `N`")
	flags.StringVar(&f.profile, "profile", "stage", "draw the plan by profile `NAME`")
	flags.StringVar(&f.receiver, "receiver", "naive", "put the receiver called `NAME` on the left")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "serve the page on `ADDRESS` (port 0: any free one)")
	return cmd
}

func (c *cli) demo(ctx context.Context, f *demoFlags) error {
	collectSeldom()
	left, err := c.receiverNamed(f.receiver)
	if err != nil {
		return err
	}
	session, err := demo.New(chaos.Options{Seed: f.seed.seed, Profile: f.profile}, c.receivers)
	if err != nil {
		return usageError{err.Error()}
	}
	if err := session.Face(left.Name); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return environmentError{"listen on " + f.listen, err}
	}
	server := &demo.Server{Session: session, Profiles: chaos.Profiles()}
	address := "http://" + listener.Addr().String() + "/"
	if !loopback(listener.Addr()) {
		server.Token = rand.Text()
		address += "?token=" + server.Token
	}
	fmt.Fprintln(c.out, "pixlab demo: open "+address)
	fmt.Fprintln(c.err, "Space plays, 1 to 5 break callbacks, 6 to 8 take things down, H heals, ? lists the keys. Ctrl-C ends.")
	return serveUntilSignal(ctx, listener, server.Handler())
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// serveUntilSignal serves until the process is told to end.
func serveUntilSignal(ctx context.Context, l net.Listener, h http.Handler) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Pages that listen for changes never hang up by themselves.
	if err := server.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
