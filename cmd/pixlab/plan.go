package main

import (
	"bytes"

	"github.com/spf13/cobra"
)

const planDoc = `Draw the plan of a seed and print it: a JSON file that can be read, edited and run.

Running it is the same as running the seed: pixlab plan --seed 42 | pixlab run --plan -`

func (c *cli) planCommand() *cobra.Command {
	var d drawing
	var explain bool
	cmd := &cobra.Command{
		Use: "plan --seed N", Short: "Print the plan of a seed", Long: planDoc, Args: noArgs,
		Example: "  pixlab plan --seed 42 --profile hostile > plan.json\n  pixlab plan --seed 7 --fault duplicate --fault crash --explain",
		RunE: func(*cobra.Command, []string) error {
			plan, err := d.draw()
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
	cmd.Flags().BoolVar(&explain, "explain", false, "tell the plan in words, with the txids that charges will get")
	return cmd
}
