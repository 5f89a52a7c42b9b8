package pgcluster

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"syscall"
)

// Cluster is a PostgreSQL server: one of our own, or one that was given. It is
// safe for concurrent use.
type Cluster struct {
	base    *url.URL // to the maintenance database
	socket  *url.URL // the same by the socket; of a given server, base
	version Version
	release func() // stops watching the context and the signals

	mu     sync.Mutex // held while the server starts or stops
	server *server    // nil if it was given
	closed bool
}

// Start gives a running server, from where the package comment says, and
// returns once it answers. It lives until Close, or until ctx ends.
//
// Errors: [ErrNotFound] if there is no PostgreSQL, [*TooOldError] for a given
// one that is too old, else what went wrong with the folder, initdb or the
// server, in its own words.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	o = o.withDefaults()
	if o.URL != "" {
		return open(ctx, o)
	}
	return startOwn(ctx, o, systemPlaces(), freePort)
}

// startOwn starts a server of our own.
func startOwn(ctx context.Context, o Options, from places, ports func() (int, error)) (*Cluster, error) {
	found, err := from.find(ctx, o.MinVersion)
	if err != nil {
		return nil, err
	}
	as, err := ordinaryAccount()
	if err != nil {
		return nil, err
	}
	log := &serverLog{to: o.Log}
	sweep(ctx, o.Dir, log)
	if o.Dir != memoryDir {
		sweep(ctx, memoryDir, log) // leftovers there are dear
	}
	ctx, cancel := watch(ctx, o.StopOnSignal)
	place, err := makeFolder(o.Dir, as)
	if err != nil {
		cancel()
		return nil, err
	}
	c := &Cluster{server: &server{binaries: found, account: as, folder: place, options: o, log: log}}
	if err := c.firstStart(ctx, ports); err != nil {
		_ = place.remove()
		passOn(ctx)
		cancel()
		return nil, err
	}
	c.closeAtEnd(ctx, cancel)
	return c, nil
}

// firstStart makes the data directory and starts the server on it.
func (c *Cluster) firstStart(ctx context.Context, ports func() (int, error)) error {
	err := c.server.initialise(ctx)
	if err != nil {
		return err
	}
	c.version, err = c.server.startAnywhere(ctx, ports)
	c.base, c.socket = c.server.url("postgres"), c.server.socketURL("postgres")
	return err
}

// Given tells whether the server was there before us. Then it is not ours to
// kill, and its Close closes nothing.
func (c *Cluster) Given() bool { return c.server == nil }

// Version is the server's version.
func (c *Cluster) Version() Version { return c.version }

// URL is the connection string of a database, over TCP.
func (c *Cluster) URL(database string) string { return at(c.base, database) }

// SocketURL is the connection string of a database by the Unix socket: faster,
// and without a password. For a server that was given it is what URL says.
func (c *Cluster) SocketURL(database string) string { return at(c.socket, database) }

// at points a URL at another database.
func at(base *url.URL, database string) string {
	u := *base
	u.Path, u.RawPath = "/"+database, ""
	return u.String()
}

// Dir is the server's data directory, or "" if it was given.
func (c *Cluster) Dir() string {
	if c.Given() {
		return ""
	}
	return c.server.folder.data()
}

// Close stops the server and removes its folder. A second Close does nothing.
func (c *Cluster) Close() error {
	if c.Given() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.release()
	if err := c.server.stop(syscall.SIGINT); err != nil {
		return fmt.Errorf("close cluster: %w", err)
	}
	if err := c.server.folder.remove(); err != nil {
		return fmt.Errorf("close cluster: %w", err)
	}
	return nil
}
