package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

func (c *cli) casesCommand() *cobra.Command {
	const long = `Differences that a person has to look at: money in suspense, and contradictions.
Attaching puts unidentified money on a charge; closing sends what a case holds to revenue or back.`
	return parent("cases", "Look at a receiver's cases, and decide", long,
		c.casesList(), c.caseShow(), c.caseAttach(), c.caseClose())
}

func (c *cli) casesList() *cobra.Command {
	o, state := &operator{c: c}, ""
	cmd := &cobra.Command{Use: "list", Short: "List them", Args: noArgs}
	o.flags(cmd, false)
	cmd.Flags().StringVar(&state, "state", "open", "only those in `STATE`: open or closed; all for both")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if state == "all" {
			state = ""
		}
		return o.list(cmd.Context(), "/admin/cases?limit=500&state="+escaped(state), "cases",
			"id", "state", "account", "cents", "opened_at", "reasons")
	}
	return cmd
}

func (c *cli) caseShow() *cobra.Command {
	o := &operator{c: c}
	cmd := &cobra.Command{Use: "show ID", Short: "Show one", Args: oneArg("the id of a case")}
	o.flags(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.show(cmd.Context(), "/admin/cases/"+url.PathEscape(args[0]),
			"id", "state", "endToEndId", "account", "cents", "reasons", "opened_at", "closed_at", "note")
	}
	return cmd
}

func (c *cli) caseAttach() *cobra.Command {
	o, reference, consumer := &operator{c: c}, "", ""
	cmd := &cobra.Command{
		Use: "attach E2E --reference R", Short: "Put unidentified money on a charge", Args: oneArg("the endToEndId of a Pix"),
	}
	o.flags(cmd, true)
	cmd.Flags().StringVar(&reference, "reference", "", "the charge's `REFERENCE`")
	cmd.Flags().StringVar(&consumer, "consumer", "", "the `NAME` of whose charge it is (default: the receiver's)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if reference == "" {
			return usagef("want --reference, the charge that the money is for")
		}
		more := map[string]any{"endToEndId": args[0], "reference": reference}
		if consumer != "" {
			more["consumer"] = consumer
		}
		return o.decide(cmd.Context(), "/admin/attach", "attached "+args[0]+" to "+reference, more)
	}
	return cmd
}

func (c *cli) caseClose() *cobra.Command {
	o, to := &operator{c: c}, ""
	cmd := &cobra.Command{Use: "close ID", Short: "Close one", Args: oneArg("the id of a case")}
	o.flags(cmd, true)
	cmd.Flags().StringVar(&to, "to", "", "the `ACCOUNT` that its money goes to: "+string(receiver.AccountRevenue)+" or "+string(receiver.AccountToReturn))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.decide(cmd.Context(), "/admin/cases/"+url.PathEscape(args[0])+"/close", "closed "+args[0], map[string]any{"to": to})
	}
	return cmd
}

// formatFlag adds the flag that chooses a report's form.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "print as `FORM`: text, json or csv")
}

func (o *operator) format(given string) (string, error) {
	switch {
	case o.json:
		return "json", nil
	case given == "text" || given == "json" || given == "csv":
		return given, nil
	}
	return "", usagef("--format is %q; want text, json or csv", given)
}

func (c *cli) reportCommand() *cobra.Command {
	o, day, format := &operator{c: c}, "", ""
	cmd := &cobra.Command{
		Use: "report --day 2026-03-02", Short: "Print the report of a closed day", Args: noArgs,
		Long: `A day is America/Sao_Paulo's, by settlement. Its report is made once, when the day is over and
the statement whole, and never changes.`,
	}
	o.flags(cmd, false)
	cmd.Flags().StringVar(&day, "day", "", "the `DAY`, such as 2026-03-02")
	formatFlag(cmd, &format)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, _, err := receiver.ParseDay(day); err != nil {
			return usagef("--day: %v", err)
		}
		form, err := o.format(format)
		if err != nil {
			return err
		}
		_, raw, err := o.call(cmd.Context(), http.MethodGet, "/admin/report/"+day+"?format="+form, nil)
		if err != nil {
			return err
		}
		return write(c.out, raw)
	}
	return cmd
}

func (c *cli) reconcileCommand() *cobra.Command {
	o, from, to, format, wait := &operator{c: c}, "", "", "", time.Duration(0)
	cmd := &cobra.Command{
		Use: "reconcile --from T --to T", Short: "Have a receiver reconcile a window, and print its report", Args: noArgs,
		Long: `The window is by settlement; its end is not in it. Whichever process has the reconciliation's turn
walks it, books what is missing and adjusts what differs; the past is not edited.`,
	}
	o.flags(cmd, true)
	cmd.Flags().StringVar(&from, "from", "", "from `TIME` on, such as 2026-03-02T00:00:00-03:00")
	cmd.Flags().StringVar(&to, "to", "", "up to `TIME`")
	cmd.Flags().DurationVar(&wait, "wait", 10*time.Minute, "wait for the report for so `LONG`")
	formatFlag(cmd, &format)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		begin, err := time.Parse(time.RFC3339, from)
		if err != nil {
			return usagef("--from is %q; want a time with its zone, such as 2026-03-02T00:00:00-03:00", from)
		}
		end, err := time.Parse(time.RFC3339, to)
		if err != nil || !begin.Before(end) {
			return usagef("--to is %q; want a time with its zone, after --from", to)
		}
		form, err := o.format(format)
		if err != nil {
			return err
		}
		return o.reconcile(cmd.Context(), begin, end, form, wait)
	}
	return cmd
}

// reconcile asks for a window and waits for its report.
func (o *operator) reconcile(ctx context.Context, from, to time.Time, form string, wait time.Duration) error {
	body, err := o.decision(map[string]any{"from": from, "to": to})
	if err != nil {
		return err
	}
	_, raw, err := o.call(ctx, http.MethodPost, "/admin/reconcile", body)
	if err != nil {
		return err
	}
	var asked struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(raw, &asked); err != nil {
		return environmentError{"read the receiver's answer", err}
	}
	path := "/admin/reconcile/" + strconv.FormatInt(asked.ID, 10) + "?format=" + form
	clock := live.Clock{}
	for deadline := clock.Now().Add(wait); ; {
		status, raw, err := o.call(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if status == http.StatusOK {
			return write(o.c.out, raw)
		}
		if clock.Now().After(deadline) {
			fmt.Fprintf(o.c.err, "pixlab: window %d is not reconciled yet; its report will be at %s%s for whoever shows PIXLAB_ADMIN_TOKEN; "+
				"or ask anew: pixlab reconcile --from %s --to %s --operator %s --note %s --wait 1h\n", asked.ID, strings.TrimRight(o.url, "/"), path,
				from.Format(time.RFC3339), to.Format(time.RFC3339), shellWord(o.name), shellWord(o.note))
			return outcome{exitNotConverged}
		}
		if err := clock.Sleep(ctx, 200*time.Millisecond); err != nil {
			return environmentError{"wait for the report", err}
		}
	}
}
