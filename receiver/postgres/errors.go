package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pixlab/pixlab/receiver"
)

// The SQLSTATEs that are told apart by more than their class.
const (
	codeUniqueViolation = "23505"
	codeSerialization   = "40001"
	codeDeadlock        = "40P01"
	codeUndefinedTable  = "42P01"
	codeLockTimeout     = "55P03"
	codeQueryCanceled   = "57014"
)

// referenceConstraint is the one unique key whose violation is a refusal: a
// fact was booked before. All others mean that another transaction was faster.
const referenceConstraint = "ledger_transaction_reference"

// errRaced says that what was read is no more: the command begins again.
var errRaced = errors.New("another transaction was faster")

// sqlState is an error's SQLSTATE, empty if it did not come from the server.
func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// transient says whether the same command may succeed when it begins again.
func transient(err error) bool {
	if errors.Is(err, errRaced) {
		return true
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case codeSerialization, codeDeadlock:
		return true
	case codeUniqueViolation:
		return e.ConstraintName != referenceConstraint
	}
	return false
}

// refusal says whether the database will not have some row: a constraint, a
// trigger, a value that its column does not take, a row too large.
func refusal(err error) bool {
	if transient(err) {
		return false
	}
	switch class(sqlState(err)) {
	case "22", "23", "54":
		return true
	}
	return false
}

// unreachable says whether a server's error means that it was not there to
// carry out the command, or gave up waiting.
func unreachable(err error) bool {
	switch sqlState(err) {
	case codeLockTimeout, codeQueryCanceled:
		return true
	}
	switch class(sqlState(err)) {
	case "08", "53", "57":
		return true
	}
	return false
}

func class(code string) string {
	if len(code) < 2 {
		return ""
	}
	return code[:2]
}

// stage is how far a command had come when it failed.
type stage int

const (
	reads  stage = iota // nothing can have been committed
	writes              // the statement that commits was on its way
)

// explain makes a command's error one that the receiver knows. lost says that
// the connection is gone. A server that answers with an error, and goes on
// listening, has not committed.
func explain(ctx context.Context, command string, at stage, err error, lost bool) error {
	if at == writes && lost && !pgconn.SafeToRetry(err) {
		return fmt.Errorf("%s: %w: %w", command, receiver.ErrCommitUnknown, err)
	}
	if lost || ctx.Err() != nil || transient(err) || unreachable(err) {
		return unavailable(ctx, command, err)
	}
	return fmt.Errorf("%s: %w", command, err)
}

// unavailable is the error of a command that did nothing: because its context
// is over, or because the database was not to be had.
func unavailable(ctx context.Context, command string, err error) error {
	if over := ctx.Err(); over != nil {
		return fmt.Errorf("%s: %w", command, errors.Join(over, err))
	}
	return fmt.Errorf("%s: %w: %w", command, receiver.ErrUnavailable, err)
}

// words is the server's message about a refusal, for an outcome's reason. It
// names the constraint.
func words(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
