package pgcluster

import (
	"io"
	"os"
)

// EnvURL is the environment variable that names a server to use instead of one
// of our own.
const EnvURL = "PIXLAB_DATABASE_URL"

// oldest is the oldest major version that the lab's SQL runs on.
const oldest = 14

// Options say which server to start. The zero value is a durable one, as live
// runs need it.
type Options struct {
	// URL names a server that runs already, as
	// postgres://user:password@host:port/database. Default: what
	// PIXLAB_DATABASE_URL says; if that is empty too, a server is started.
	URL string

	// Fast turns fsync, synchronous_commit and full_page_writes off, and puts
	// the folder into memory where there is room. It is for tests that never
	// kill the server: commits can be lost by [Cluster.Kill].
	Fast bool

	// Settings are server parameters by name, as in postgresql.conf. They win
	// over the package's own, save for the addresses, and over ALTER SYSTEM. A
	// server that was given ignores them.
	Settings map[string]string

	// MinVersion is the oldest major version to accept; 14 if it is less.
	MinVersion int

	// Dir is the folder to make the throwaway folder in. Other users must be
	// able to enter it if we are root. A socket's path may have 103 bytes, so
	// it should be short. Default: [os.TempDir], or /tmp where that is too long;
	// with Fast, /dev/shm if it is there and has a gigabyte free.
	Dir string

	// StopOnSignal closes the cluster on SIGINT and SIGTERM and then lets the
	// signal end the process. It is for programs that handle no signals; others
	// end the context of [Start].
	StopOnSignal bool

	// Log gets what the server writes, and a line for each leftover removed. It
	// is written to from one goroutine at a time. Default: nowhere.
	Log io.Writer

	from string // who gave URL, for errors
}

// withDefaults fills what the caller left open, from the environment too.
func (o Options) withDefaults() Options {
	if o.from = "the given URL"; o.URL == "" {
		o.URL, o.from = os.Getenv(EnvURL), EnvURL
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Dir == "" {
		o.Dir = defaultDir(o.Fast)
	}
	o.MinVersion = max(o.MinVersion, oldest)
	return o
}

// defaultDir is where throwaway folders are made if nobody says where.
func defaultDir(fast bool) string {
	switch dir := os.TempDir(); {
	case fast && memoryHasRoom():
		return memoryDir
	case socketPathTooLong(dir):
		return "/tmp"
	default:
		return dir
	}
}
