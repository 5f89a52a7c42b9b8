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

With --talk it plays scenes, each with a plan of its own and a line to say; PageUp,
PageDown and the arrow keys go from one to the next. With --talk --html it writes every
scene into a folder instead: its plan, and a page for each of the two receivers.

With --live it shows no simulation but processes: two receivers on a PostgreSQL and a PSP, under
load, and buttons that kill them. Everything it starts ends and is removed with it.

Off loopback the page wants a token, which is printed with its address.`

type demoFlags struct {
	seed     seedFlag
	profile  string
	receiver string
	listen   string
	html     string
	talk     bool
	live     bool
	database string
	rate     countFlag
	copies   percentFlag
	endless  bool
	noOpen   bool
}

func (c *cli) demoCommand() *cobra.Command {
	f := demoFlags{rate: countFlag{n: 100, most: liveMostRate}, copies: 30}
	cmd := &cobra.Command{
		Use: "demo", Short: "Show it live: two receivers, one plan, buttons that break things", Long: demoDoc, Args: noArgs,
		Example: "  pixlab demo\n  pixlab demo --seed 7 --receiver check-then-insert\n  pixlab demo --live --rate 200",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return c.demo(cmd.Context(), &f)
		},
	}
	flags := cmd.Flags()
	f.seed.seed = 42
	flags.Var(&f.seed, "seed", "draw the plan from seed `N`")
	flags.StringVar(&f.profile, "profile", "stage", "draw the plan by profile `NAME`")
	flags.StringVar(&f.receiver, "receiver", "naive", "put the receiver called `NAME` on the left")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "serve the page on `ADDRESS` (port 0: any free one)")
	flags.BoolVar(&f.talk, "talk", false, "play the scenes of a talk")
	flags.StringVar(&f.html, "html", "", "with --talk, write the scenes to folder `DIR` and serve nothing")
	flags.BoolVar(&f.live, "live", false, "show real processes under load, on a PostgreSQL")
	flags.Var(&f.rate, "rate", "with --live, have `N` Pix paid a second")
	flags.Var(&f.copies, "copies", "with --live, send so many of a hundred callbacks twice at once, as `30%`")
	flags.StringVar(&f.database, "database-url", "", "with --live, on the PostgreSQL server at `URL`, which is then not ours to stop")
	flags.BoolVar(&f.endless, "endless", false, "go on with the next seed where a run ends")
	flags.BoolVar(&f.noOpen, "no-open", false, "open no browser, even where there is a screen")
	return cmd
}

// check refuses flags that do not go together.
func (f *demoFlags) check(cmd *cobra.Command) error {
	given := func(names ...string) string {
		for _, n := range names {
			if cmd.Flag(n).Changed {
				return "--" + n
			}
		}
		return ""
	}
	alone := given("rate", "copies", "database-url")
	model := given("profile", "receiver", "talk", "html", "endless")
	switch {
	case !f.live && alone != "":
		return usagef("%s goes with --live", alone)
	case f.live && model != "":
		return usagef("%s is the simulation's; --live has the reference receiver and no plan", model)
	case cmd.Flag("html").Changed && f.html == "":
		return usageError{"--html is empty; want --html DIR"}
	case f.html != "" && !f.talk:
		return usageError{"--html goes with --talk; pixlab run --html writes the page of one run"}
	case f.talk && f.endless:
		return usageError{"--talk and --endless exclude each other: a scene has an end"}
	}
	return nil
}

func (c *cli) demo(ctx context.Context, f *demoFlags) error {
	collectSeldom()
	switch {
	case f.live:
		return c.demoLive(ctx, f)
	case f.html != "":
		return c.writeScenes(f.html)
	}
	if err := pspAddress("--listen", f.listen); err != nil {
		return err
	}
	session, err := c.demoSession(f)
	if err != nil {
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
	c.tellAddress(f, address)
	fmt.Fprintln(c.err, "Space plays, 1 to 5 break callbacks, 6 to 8 take things down, H heals, ? lists the keys. Ctrl-C ends.")
	return serveUntilSignal(ctx, listener, server.Handler())
}

// tellAddress says where the page is, and opens it where there is a screen.
func (c *cli) tellAddress(f *demoFlags, address string) {
	verb := "open "
	if !f.noOpen && openBrowser(address) {
		verb = "opening "
	}
	fmt.Fprintln(c.out, "pixlab demo: "+verb+address)
}

// demoSession opens what is to be shown.
func (c *cli) demoSession(f *demoFlags) (*demo.Session, error) {
	left, err := c.receiverNamed(f.receiver)
	if err != nil {
		return nil, err
	}
	session, err := demo.New(chaos.Options{Seed: f.seed.seed, Profile: f.profile}, c.receivers)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	if f.endless {
		session.GoOn()
	}
	if f.talk {
		scenes, err := demo.Scenes()
		if err != nil {
			return nil, err
		}
		return session, session.Talk(scenes)
	}
	return session, session.Face(left.Name)
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
