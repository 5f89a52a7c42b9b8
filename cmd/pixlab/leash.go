package main

import (
	"os"
	"runtime/pprof"
	"strings"

	"github.com/spf13/cobra"
)

// envProfile names the file that a leashed process writes a CPU profile to.
const envProfile = "PIXLAB_CPU_PROFILE"

// leashCommand is any other command, run by a parent process: its input is
// held open by the parent, and when that ends the child does too, however the
// parent ended.
func (c *cli) leashCommand() *cobra.Command {
	return &cobra.Command{
		Use: "leash COMMAND", Short: "Run a command that ends with its parent", Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			go endWith(c.in)
			if name := os.Getenv(envProfile); name != "" {
				end, err := profileInto(name)
				if err != nil {
					return err
				}
				defer end()
			}
			if code := newCLI(strings.NewReader(""), c.out, c.err).execute(args); code != exitHeld {
				return outcome{code}
			}
			return nil
		},
	}
}

// profileInto writes a CPU profile to a file until its end is asked for.
func profileInto(name string) (end func(), err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, environmentError{"write a CPU profile", err}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, environmentError{"write a CPU profile", err}
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
