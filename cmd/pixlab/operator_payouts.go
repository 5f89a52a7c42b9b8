package main

import (
	"net/url"

	"github.com/spf13/cobra"
)

func (c *cli) payoutsCommand() *cobra.Command {
	const long = `The conciliation queue: payouts whose outcome is unknown after all calls, or whose key the PSP may
have forgotten. Their money stays aside, and the receiver goes on asking about them. Ask the PSP
by the key that the list shows; then have it sent again, under the same key and only while the PSP
still knows that key, or put its money back. Every decision is recorded: see pixlab records.`
	return parent("payouts", "Look at payouts that wait for a person, and decide", long,
		c.payoutsList(), c.payoutShow(),
		c.payoutDecision("retry REFERENCE", "Have a payout sent again, under its key", "retry", "to be sent again: "),
		c.payoutDecision("fail REFERENCE", "Put a payout's money back: the PSP has not made it and will not", "fail", "put back: "),
	)
}

func (c *cli) payoutsList() *cobra.Command {
	o, open, all := &operator{c: c}, false, false
	cmd := &cobra.Command{Use: "list", Short: "List them", Args: noArgs}
	o.flags(cmd, false)
	cmd.Flags().BoolVar(&open, "open", false, "every payout whose end is not known")
	cmd.Flags().BoolVar(&all, "all", false, "every payout")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path := "/admin/payouts?limit=500"
		switch {
		case open && all:
			return usagef("want --open or --all, not both")
		case open:
			path += "&open=1"
		case all:
			path += "&all=1"
		}
		return o.list(cmd.Context(), path, "payouts",
			"reference", "consumer", "state", "queued", "cents", "pix_key", "key", "attempts", "requested_at", "problem")
	}
	return cmd
}

// consumerFlag says whose payout is meant.
func consumerFlag(cmd *cobra.Command, consumer *string) {
	cmd.Flags().StringVar(consumer, "consumer", "", "the `NAME` of whose payout it is (default: the receiver's)")
}

func (c *cli) payoutShow() *cobra.Command {
	o, consumer := &operator{c: c}, ""
	cmd := &cobra.Command{Use: "show REFERENCE", Short: "Show one", Args: oneArg("the reference of a payout")}
	o.flags(cmd, false)
	consumerFlag(cmd, &consumer)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.show(cmd.Context(), "/admin/payouts/"+url.PathEscape(args[0])+"?consumer="+escaped(consumer),
			"reference", "consumer", "state", "queued", "cents", "pix_key", "key", "endToEndId", "returned_cents", "problem", "attempts",
			"requested_at", "first_call_at", "last_call_at", "due_at", "finished_at")
	}
	return cmd
}

// payoutDecision is a command that decides about a payout in the queue.
func (c *cli) payoutDecision(use, short, verb, done string) *cobra.Command {
	o, consumer := &operator{c: c}, ""
	cmd := &cobra.Command{Use: use, Short: short, Args: oneArg("the reference of a payout")}
	o.flags(cmd, true)
	consumerFlag(cmd, &consumer)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		more := map[string]any{}
		if consumer != "" {
			more["consumer"] = consumer
		}
		return o.decide(cmd.Context(), "/admin/payouts/"+url.PathEscape(args[0])+"/"+verb, done+args[0], more)
	}
	return cmd
}
