package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pixlab/pixlab/demo"
	"github.com/pixlab/pixlab/scenarios/live"
)

// liveDown is how long a receiver that was killed stays dead: long enough to be
// seen from the last row.
const liveDown = 3 * time.Second

// demoLive shows real processes under load. All of it ends with the command,
// however that comes about.
func (c *cli) demoLive(ctx context.Context, f *demoFlags) (err error) {
	binary, err := os.Executable()
	if err != nil {
		return environmentError{"find this program", err}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return environmentError{"listen on " + f.listen, err}
	}
	defer listener.Close()
	show := c.progress()
	show.say("starting PostgreSQL, the PSP and two receivers")
	stage, err := live.OpenStage(ctx, live.StageOptions{
		Seed: f.seed.seed, Binary: binary, DatabaseURL: f.database, Down: liveDown, Most: liveMostRate,
	})
	show.clear()
	if err != nil {
		return environmentError{"open the stage", interrupted(ctx, err)}
	}
	defer func() {
		if e := stage.Close(); e != nil && err == nil {
			err = environmentError{"clean up", e}
		}
	}()
	return c.playLive(ctx, f, stage, listener)
}

// playLive loads the stage and serves its page until ctx ends.
func (c *cli) playLive(ctx context.Context, f *demoFlags, stage *live.Stage, listener net.Listener) error {
	load, err := newLiveLoad(stage, f.seed.seed, f.rate.n, int(f.copies))
	if err != nil {
		return err
	}
	show := &liveShow{stage: stage, load: load, books: newLiveBooks(load), board: demo.NewBoard(), began: time.Now()}
	server := &demo.LiveServer{Board: show.board, Do: show.do, Seed: f.seed.seed.String(), CanStop: stage.CanStopDatabase()}
	address := "http://" + listener.Addr().String() + "/"
	if !loopback(listener.Addr()) {
		server.Token = rand.Text()
		address += "?token=" + server.Token
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 2)
	go func() { ended <- load.run(ctx) }()
	go func() {
		show.watch(ctx)
		ended <- nil
	}()
	c.tellAddress(f, address)
	fmt.Fprintln(c.err, "Live: decisions are the seed's, timings this machine's. 1 and 2 kill a receiver, 3 cuts the\ndatabase's connections, 4 stops it, H heals, space holds the load. Ctrl-C ends and removes everything.")
	served := make(chan error, 1)
	go func() { served <- serveUntilSignal(ctx, listener, server.Handler()) }()
	var errs []error
	select {
	case err := <-served: // a signal, or the listener is gone
		errs = append(errs, err)
		stop()
		errs = append(errs, <-ended, <-ended)
	case err := <-ended: // the load gave up
		errs = append(errs, err)
		stop()
		errs = append(errs, <-ended, <-served)
	}
	return errors.Join(errs...)
}
