package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pixlab/pixlab/scenarios"
)

// The exit codes, for scripts to tell the outcomes apart.
const (
	exitHeld             = 0
	exitBroke            = 1
	exitUsage            = 2
	exitNotConverged     = 3
	exitNotDeterministic = 4
	exitEnvironment      = 5
	exitInternal         = 6
)

// usageError is a wrong use of the command line: it says what is wrong and
// what would be right.
type usageError struct{ text string }

// Error is that line.
func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// environmentError is something that the machine refused, such as a full disk.
type environmentError struct {
	doing string
	cause error
}

// Error says what was being done and why it could not be.
func (e environmentError) Error() string { return e.doing + ": " + reason(e.cause) }

// Unwrap gives the cause.
func (e environmentError) Unwrap() error { return e.cause }

// outcome ends a command whose report is written and whose news are not good.
type outcome struct{ code int }

// Error is there for errors.As; nobody prints it.
func (o outcome) Error() string { return fmt.Sprintf("exit code %d", o.code) }

// verdictOutcome is the outcome of a run, nil if everything held.
func verdictOutcome(v scenarios.Verdict) error {
	switch v {
	case scenarios.Held:
		return nil
	case scenarios.NotConverged:
		return outcome{exitNotConverged}
	case scenarios.NotDeterministic:
		return outcome{exitNotDeterministic}
	}
	return outcome{exitBroke}
}

// exitCode is the one place where an error becomes the process's exit code and
// the line on standard error. The line is empty where the report has said all.
func exitCode(err error) (code int, line string) {
	var usage usageError
	var told outcome
	var environment environmentError
	var path *fs.PathError // a stream or a file that the machine would not write
	switch {
	case err == nil:
		return exitHeld, ""
	case errors.As(err, &told):
		return told.code, ""
	case errors.As(err, &usage):
		return exitUsage, "pixlab: " + oneLine(usage.text)
	case errors.As(err, &environment):
		return exitEnvironment, "pixlab: " + oneLine(environment.Error())
	}
	if errors.As(err, &path) {
		return exitEnvironment, "pixlab: " + oneLine(err.Error())
	}
	return exitInternal, "pixlab: internal error: " + oneLine(err.Error())
}

// oneLine keeps a message on one line, whatever it quotes.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.TrimSpace(s))
}
