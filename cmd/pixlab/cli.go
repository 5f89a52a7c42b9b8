package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// cli is the program with all that it touches, so that tests can put other
// things in their place.
type cli struct {
	in  io.Reader
	out io.Writer
	err io.Writer

	receivers []scenarios.Receiver // the reference first
	psps      []broken.PSP
	scenarios []scenarios.Scenario
	// patience is how long a run may stand still, in real time, before it is
	// called hung.
	patience time.Duration
}

func newCLI(in io.Reader, out, err io.Writer) *cli {
	return &cli{
		in: in, out: out, err: err,
		receivers: append([]scenarios.Receiver{scenarios.Reference()}, broken.Receivers()...),
		psps:      broken.PSPs(), scenarios: scenarios.Named(),
		patience: 30 * time.Second,
	}
}

// execute runs one command line and gives its exit code.
func (c *cli) execute(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(c.err, "pixlab: internal error: panic: %v\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	root := c.root()
	root.SetArgs(args)
	code, line := exitCode(root.Execute())
	if line != "" {
		fmt.Fprintln(c.err, line)
	}
	return code
}

const rootDoc = `pixlab is a deterministic chaos lab for Pix payments. One seed draws a fake PSP that
misbehaves on purpose; a receiver has to survive it; the verdict can be replayed.

Exit codes: 0 held · 1 an invariant broke · 2 wrong usage · 3 did not converge
4 not deterministic · 5 the environment refused · 6 an error of the lab itself`

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use: "pixlab", Short: "A deterministic chaos lab for Pix payments", Long: rootDoc,
		Version: version(), SilenceErrors: true, SilenceUsage: true,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("no command; want one of %s (pixlab help tells of each)", commandNames(cmd))
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetVersionTemplate("pixlab {{.Version}}\n")
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpCommand(helpCommand())
	root.SetUsageTemplate(usageTemplate)
	root.AddCommand(
		c.runCommand(), c.planCommand(), c.scenariosCommand(), c.brokenCommand(), c.benchCommand(),
		c.pspCommand(),
		c.profilesCommand(), c.faultsCommand(), c.versionCommand(), c.measureCommand(),
		c.receiverCommand(), c.certsCommand(), c.shrinkCommand(), c.exploreCommand(),
		c.replayCommand(), c.diffCommand(), c.demoCommand(), c.loadCommand(), c.leashCommand(),
		c.quarantineCommand(), c.casesCommand(), c.payoutsCommand(), c.outboxCommand(), c.reconcileCommand(), c.reportCommand(), c.recordsCommand(),
	)
	for _, sub := range root.Commands() {
		sub.DisableFlagsInUseLine = true
		sub.Flags().SortFlags = false
		sub.Flags().BoolP("help", "h", false, "tell of this command")
	}
	root.Flags().BoolP("help", "h", false, "tell of all commands")
	root.Flags().Bool("version", false, "print the version")
	return root
}

// write puts a finished result on a stream, all at once.
func write(to io.Writer, text []byte) error {
	if _, err := to.Write(text); err != nil {
		return environmentError{"write the result", err}
	}
	return nil
}

// onTerminal says whether a person is likely to be looking at the stream.
func onTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// coloured says whether a stream takes colour: a terminal, unless its owner
// has asked for none (https://no-color.org).
func coloured(stream any) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && onTerminal(stream)
}
