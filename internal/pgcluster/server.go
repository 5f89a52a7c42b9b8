package pgcluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	loopback  = "127.0.0.1"
	superuser = "pixlab"

	// startLimit bounds a start, recovery included.
	startLimit = 2 * time.Minute
	// readyPoll is how often a starting server is asked whether it is ready.
	readyPoll = 5 * time.Millisecond
	// startTries is how many ports a start tries.
	startTries = 5

	// fastLimit is how long a fast stop may take before an immediate one.
	fastLimit = 5 * time.Second
	// immediateLimit is more than the five seconds after which the server
	// itself kills those of its processes that do not answer.
	immediateLimit = 8 * time.Second
)

// server is a PostgreSQL of our own, running or stopped. It is not safe for
// concurrent use; its cluster sees to that.
type server struct {
	binaries binaries
	account  *account
	folder   *folder
	options  Options
	log      *serverLog
	password string
	port     int
	process  *process // nil before the first start
}

// initialise fills the data directory by initdb.
func (s *server) initialise(ctx context.Context) error {
	s.password = rand.Text()
	secret := filepath.Join(s.folder.run(), "password")
	if err := os.WriteFile(secret, []byte(s.password+"\n"), 0o600); err != nil {
		return fmt.Errorf("write password: %w", err)
	}
	if s.account != nil {
		if err := os.Chown(secret, int(s.account.uid), int(s.account.gid)); err != nil {
			return fmt.Errorf("write password: %w", err)
		}
	}
	s.log.forget()
	// Nothing in a throwaway folder has to outlive a power cut: --no-sync.
	cmd := s.command(s.binaries.initdb, "-D", s.folder.data(), "--no-sync",
		"--username="+superuser, "--pwfile="+secret, "--auth-local=trust", "--auth-host=scram-sha-256",
		"--encoding=UTF8", "--locale=C")
	cmd.SysProcAttr = attributes(s.account, syscall.SIGKILL)
	if err := run(ctx, cmd); err != nil {
		return fmt.Errorf("run initdb: %w: %s", err, s.log.reason())
	}
	if err := os.Remove(secret); err != nil {
		return fmt.Errorf("remove password: %w", err)
	}
	return nil
}

// startAnywhere starts the server at a free port, at another one if somebody
// was faster.
func (s *server) startAnywhere(ctx context.Context, ports func() (int, error)) (Version, error) {
	var last error
	for range startTries {
		port, err := ports()
		if err != nil {
			return Version{}, err
		}
		s.port = port
		v, err := s.start(ctx)
		if !errors.Is(err, errPortTaken) {
			return v, err
		}
		last = err
	}
	return Version{}, last
}

// start starts the server at its port and returns once it answers.
func (s *server) start(ctx context.Context) (Version, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	s.log.forget()
	cmd := s.command(s.binaries.postgres, s.arguments()...)
	// An immediate stop is what the server's other processes understand too.
	cmd.SysProcAttr = attributes(s.account, syscall.SIGQUIT)
	p, err := launch(cmd)
	if err != nil {
		return Version{}, fmt.Errorf("start server: %w", err)
	}
	s.process = p
	if !diesWithOwner {
		if err := guard(p); err != nil {
			return Version{}, errors.Join(err, s.stop(syscall.SIGQUIT))
		}
	}
	v, err := s.untilReady(ctx)
	if err != nil {
		return Version{}, errors.Join(fmt.Errorf("start server: %w", err), s.stop(syscall.SIGQUIT))
	}
	return v, nil
}

// untilReady asks the server until it lets us in, or ends.
func (s *server) untilReady(ctx context.Context) (Version, error) {
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for {
		v, err := askVersion(ctx, s.socketURL("postgres").String())
		if err == nil {
			return v, nil
		}
		select {
		case <-s.process.done:
			if s.log.contains("could not bind") {
				return Version{}, fmt.Errorf("%w: %d on %s", errPortTaken, s.port, loopback)
			}
			return Version{}, fmt.Errorf("it ended (%v): %s", s.process.err, s.log.reason())
		case <-ctx.Done():
			return Version{}, fmt.Errorf("it does not answer: %w: %w", ctx.Err(), err)
		case <-tick.C:
		}
	}
}

// stop ends the server, by the signal given first and by harder ones after.
func (s *server) stop(first syscall.Signal) error {
	if s.process == nil {
		return nil
	}
	if first == syscall.SIGINT && s.process.stop(syscall.SIGINT, fastLimit) {
		return nil
	}
	if s.process.stop(syscall.SIGQUIT, immediateLimit) || s.process.stop(syscall.SIGKILL, immediateLimit) {
		return nil
	}
	return fmt.Errorf("stop server: process %d does not end", s.process.cmd.Process.Pid)
}

// running tells whether the server's process is there.
func (s *server) running() bool {
	return s.process != nil && s.process.running()
}

// command is a program of the server's, run in its folder and by its user.
// What the environment says to PostgreSQL's programs is meant for others.
func (s *server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.folder.run()
	cmd.Stdout, cmd.Stderr = s.log, s.log
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	return cmd
}

// url is the server's address on the loopback interface.
func (s *server) url(database string) *url.URL {
	return &url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, s.password),
		Host:     net.JoinHostPort(loopback, strconv.Itoa(s.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
}

// socketURL is the server's address on its Unix socket.
func (s *server) socketURL(database string) *url.URL {
	q := url.Values{"host": {s.folder.run()}, "port": {strconv.Itoa(s.port)}, "sslmode": {"disable"}}
	return &url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database, RawQuery: q.Encode()}
}
