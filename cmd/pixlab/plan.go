package main

import (
	"bytes"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
)

const planDoc = `Draw the plan of a seed and print it: a JSON file that can be read, edited and run.

Running it is the same as running the seed: pixlab plan --seed 42 | pixlab run --plan -

With --from, make it of an incident instead: one JSON object a line, as a log has them,
  {"endToEndId": "E9…", "time": "2026-03-10T14:03:11Z", "attempt": 1, "answer": 500}
where answer is a status or "timeout", and "valor": "10.00" may stand too. --seed then only keys
the order of steps (1).`

func (c *cli) planCommand() *cobra.Command {
	var d drawing
	var explain bool
	var from string
	cmd := &cobra.Command{
		Use: "plan --seed N | --from FILE", Short: "Print the plan of a seed, or of an incident", Long: planDoc, Args: noArgs,
		Example: "  pixlab plan --seed 42 --profile hostile > plan.json\n  pixlab plan --seed 7 --fault duplicate --fault crash --explain",
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := c.drawOrRead(cmd, &d, from)
			if err != nil {
				return err
			}
			if !explain {
				return write(c.out, plan.Encode())
			}
			var b bytes.Buffer
			plan.Explain(&b)
			return write(c.out, b.Bytes())
		},
	}
	d.addTo(cmd.Flags())
	cmd.Flags().StringVar(&from, "from", "", "make the plan of the incident in `FILE`: a callback's attempt a line (-: from standard input)")
	cmd.Flags().BoolVar(&explain, "explain", false, "tell the plan in words, with the txids that charges will get")
	return cmd
}

// drawOrRead is the plan of a seed, or that of an incident.
func (c *cli) drawOrRead(cmd *cobra.Command, d *drawing, from string) (*chaos.Plan, error) {
	if !cmd.Flag("from").Changed {
		return d.draw()
	}
	for _, name := range []string{"profile", "payments", "fault"} {
		if cmd.Flag(name).Changed {
			return nil, usagef("--%s and --from exclude each other, since an incident has what it has; want one of them", name)
		}
	}
	if !d.seed.given {
		d.seed.seed = 1
	}
	in := io.Reader(c.in)
	if from != "-" {
		f, err := os.Open(from)
		if err != nil {
			return nil, usagef("--from %s: %s; want a file of JSON lines, or - for standard input", from, reason(err))
		}
		defer f.Close()
		in = f
	}
	plan, err := chaos.ReadIncident(in, d.seed.seed)
	if err != nil {
		return nil, usagef("--from %s: %s", from, reason(err))
	}
	return plan, nil
}
