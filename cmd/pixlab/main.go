// Command pixlab is the lab's one binary: it draws plans from seeds, runs them
// on the model world, and says what held.
//
// Every command writes its result to standard output and nothing else; what
// goes wrong is one line on standard error. A run that breaks an invariant
// writes its plan to a file, and its last line is the command that repeats it.
//
//	main.go    the process's edge          exit.go   errors → exit codes
//	cli.go     the root command            flags.go  values and misuse of flags
//	drawing.go seed, profile → plan        drive.go  one run under a watchdog
//	run*.go    the command "run"; the other commands have a file of their name
//
// This is the only package of the model's that may look at the wall clock: how
// long a run took is told beside the report and is no part of it.
package main

import (
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program: arguments and streams in, exit code out.
func run(args []string, in io.Reader, out, err io.Writer) int {
	return newCLI(in, out, err).execute(args)
}
