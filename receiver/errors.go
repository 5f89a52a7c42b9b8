package receiver

import "errors"

// Errors that a [Store] answers with.
var (
	// ErrUnavailable means that the store could not be reached and the command
	// did nothing.
	ErrUnavailable = errors.New("store unavailable")
	// ErrCommitUnknown means that the command may have committed. Repeating it
	// is safe: every command is keyed.
	ErrCommitUnknown = errors.New("commit outcome unknown")
)

// Retryable says whether repeating the same call later may succeed.
func Retryable(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrCommitUnknown)
}
