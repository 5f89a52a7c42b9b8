package pgcluster

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound says that there is no PostgreSQL to use, and what would help.
	ErrNotFound = errors.New("no PostgreSQL server found: install your distribution's postgresql package" +
		" (or run `make setup`), or point " + EnvURL + " at a server; tests can also use a running Docker")

	// ErrGiven refuses to stop or start a server that is not ours.
	ErrGiven = errors.New("the server was given, so it is not stopped or started: unset " + EnvURL + " for one of the lab's own")

	// ErrClosed refuses what needs a cluster that has not been closed.
	ErrClosed = errors.New("the cluster is closed")

	// errPortTaken tells start that another program took the port.
	errPortTaken = errors.New("port taken")
)

// TooOldError refuses a given server whose version the lab does not run on.
type TooOldError struct {
	Version Version
	Address string // host and port
	Want    int    // the oldest major version accepted
}

// Error names the version found and what would be right.
func (e *TooOldError) Error() string {
	return fmt.Sprintf("PostgreSQL %v at %s is too old: %d or newer is needed (point %s at one, or unset it to start the lab's own)",
		e.Version, e.Address, e.Want, EnvURL)
}
