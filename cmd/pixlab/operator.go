package main

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
)

// escaped is a text as part of a URL.
func escaped(text string) string { return url.QueryEscape(text) }

// parent is a command that only holds others.
func parent(use, short, long string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("want one of %s", commandNames(cmd))
		},
	}
	for _, sub := range subs {
		sub.DisableFlagsInUseLine = true
		sub.Flags().SortFlags = false
		sub.Flags().BoolP("help", "h", false, "tell of this command")
		cmd.AddCommand(sub)
	}
	return cmd
}

// oneArg wants the one argument that names what a command is about.
func oneArg(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("want %s, and nothing else; got %d arguments", what, len(args))
		}
		return nil
	}
}

// numberArg is the number that names an event.
func numberArg(text string) (string, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return "", usagef("%q is no id; want a whole number, as the list has it", text)
	}
	return strconv.FormatInt(n, 10), nil
}

func (c *cli) quarantineCommand() *cobra.Command {
	const long = `What the receiver has set aside. Waiting events wake by themselves when what they wait for
comes; bad ones are an operator's. Every decision is recorded: see pixlab records.`
	return parent("quarantine", "Look at what a receiver has set aside, and decide", long,
		c.quarantineList(), c.eventShow(),
		c.eventDecision("requeue ID", "Have an event worked on again", "/admin/quarantine/", "requeue", "woken"),
		c.eventDecision("drop ID", "Close an event for good", "/admin/quarantine/", "drop", "dropped"),
	)
}

func (c *cli) quarantineList() *cobra.Command {
	o, kind := &operator{c: c}, ""
	cmd := &cobra.Command{Use: "list", Short: "List them", Args: noArgs}
	o.flags(cmd, false)
	cmd.Flags().StringVar(&kind, "kind", "", "only `KIND`: waiting or bad")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return o.list(cmd.Context(), "/admin/quarantine?limit=500&kind="+escaped(kind), "events",
			"id", "kind", "key", "amount", "attempts", "received_at", "reason")
	}
	return cmd
}

func (c *cli) eventShow() *cobra.Command {
	o := &operator{c: c}
	cmd := &cobra.Command{Use: "show ID", Short: "Show one, with its bytes in base64", Args: oneArg("the id of an event")}
	o.flags(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := numberArg(args[0])
		if err != nil {
			return err
		}
		return o.show(cmd.Context(), "/admin/quarantine/"+id,
			"id", "key", "state", "kind", "reason", "channel", "endToEndId", "txid", "refundId", "amount", "confirmed", "attempts",
			"received_at", "raw")
	}
	return cmd
}

// eventDecision is a command that decides about what a number names.
func (c *cli) eventDecision(use, short, path, verb, done string) *cobra.Command {
	o := &operator{c: c}
	cmd := &cobra.Command{Use: use, Short: short, Args: oneArg("the id of an event")}
	o.flags(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := numberArg(args[0])
		if err != nil {
			return err
		}
		return o.decide(cmd.Context(), path+id+"/"+verb, done+" "+id, nil)
	}
	return cmd
}

func (c *cli) outboxCommand() *cobra.Command {
	const long = `What the merchant's endpoints are told. An event that failed too often is a dead letter:
nothing of its payment goes to its endpoint until it is replayed or skipped.`
	return parent("outbox", "Look at dead letters, and decide", long,
		c.outboxList(),
		c.eventDecision("replay ID", "Give a dead letter its tries again", "/admin/outbox/", "replay", "replayed"),
		c.eventDecision("skip ID", "Let go what waits behind a dead letter", "/admin/outbox/", "skip", "skipped"),
	)
}

func (c *cli) outboxList() *cobra.Command {
	o, endpoint, all := &operator{c: c}, "", false
	cmd := &cobra.Command{Use: "list", Short: "List dead letters", Args: noArgs}
	o.flags(cmd, false)
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "only those of the endpoint `NAME`")
	cmd.Flags().BoolVar(&all, "all", false, "every event, whatever became of it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path := "/admin/outbox?limit=500&endpoint=" + escaped(endpoint)
		if all {
			path += "&all=1"
		}
		return o.list(cmd.Context(), path, "events", "id", "endpoint", "state", "endToEndId", "payout", "number", "kind", "cents", "attempts", "due_at")
	}
	return cmd
}

func (c *cli) recordsCommand() *cobra.Command {
	o := &operator{c: c}
	cmd := &cobra.Command{Use: "records", Short: "List what operators have done at a receiver", Args: noArgs}
	o.flags(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return o.list(cmd.Context(), "/admin/records?limit=500", "records", "number", "at", "operator", "action", "subject", "note")
	}
	return cmd
}
