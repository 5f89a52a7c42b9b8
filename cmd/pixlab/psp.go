package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pixlab/pixlab/fakepsp/live"
)

const pspDoc = `Run the fake PSP as a process, for a receiver that is reached over the network.

It keeps one account in memory and forgets it at its end. The API port serves API Pix (/v2),
/oauth/token and /extrato; the lab port takes payments, plans and questions from whoever
has its token. Its addresses are told on standard error, and in --addr-file once both ports
are open. SIGTERM and SIGINT end it: what is on its way may finish within --grace.

Secrets come from the environment alone, and none has a default:
  PIXLAB_CALLBACK_SECRET  ID:BASE64, the key that signs callbacks (16 bytes or more)
  PIXLAB_CLIENT_SECRET    what --client-id shows to get an access token
  PIXLAB_LAB_TOKEN        the bearer token of the lab port (16 characters or more)

A plan (--plan, or POST /lab/plan) runs in real time from the moment at which it is applied,
once in the life of the process. Its last action has to come within 20 s. Its settings stay
behind: retries, time-out and lag are those of the flags here.

  POST /lab/payments   [{"end_to_end_id","txid","amount_cents"}]   GET /lab/truth
  POST /lab/refunds    {"end_to_end_id","id","amount_cents"}       GET /lab/statement
  POST /lab/disputes   {"id","end_to_end_id","nature","outcome"}   GET /lab/check
  POST /lab/charges    [{"txid","amount_cents","expires_in_s"}]    GET /lab/faults
  POST /lab/plan       a plan file, ?charges=make
  POST /lab/heal       GET /lab/plan                               GET /lab/deliveries
  GET  /healthz        (without the token)                         … /acknowledged`

// pspFlags are the flags of "psp".
type pspFlags struct {
	listen, labListen, addrFile string
	retry                       pspRetry
	callbackTimeout, lag        pspSpan
	tokenTTL, grace             pspSpan
	repeat                      string
	senders                     countFlag
	plan                        string
	makeCharges                 bool
	webhook                     string
	pixKeys, clientID           string
	tls                         pspTLS
}

func newPSPFlags() *pspFlags {
	return &pspFlags{
		retry: pspRetry{live.Retry()}, callbackTimeout: pspSpan{least: time.Millisecond}, grace: pspSpan{least: time.Millisecond},

		tokenTTL: pspSpan{least: time.Second}, senders: countFlag{n: 32, most: 4096},
	}
}

func (f *pspFlags) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "serve the API at `ADDR` (port 0: a free one)")
	flags.StringVar(&f.labListen, "lab-listen", "127.0.0.1:0", "serve the lab port at `ADDR`")
	flags.StringVar(&f.addrFile, "addr-file", "", "write the URLs of both ports to `FILE`, as JSON, when they are open")
	flags.StringVar(&f.pixKeys, "pix-keys", "", "keep the account of these `KEYS`, with commas between them (or PIXLAB_PIX_KEYS)")
	flags.StringVar(&f.clientID, "client-id", "", "let `ID` ask for access tokens (or PIXLAB_CLIENT_ID)")
	flags.StringVar(&f.webhook, "webhook", "", "register `URL` for all keys, for a receiver that does not do so itself")
	flags.StringVar(&f.plan, "plan", "", "apply the plan in `FILE` at the start (-: from standard input)")
	flags.BoolVar(&f.makeCharges, "make-charges", false, "make the charges of --plan at the PSP too, for a receiver that nobody drives")
	flags.Var(&f.retry, "retry", "try callbacks again by `TABLE`: a name, or pauses such as 200ms,1s,5s")
	flags.Var(&f.callbackTimeout, "callback-timeout", "wait `TIME` for a callback's answer (default: as the retry table has it)")
	flags.Var(&f.senders, "senders", "have at most `N` callbacks on their way at once")
	flags.Var(&f.lag, "statement-lag", "keep a settled Pix out of lists and statement for `TIME` (default: 0s)")
	flags.Var(&f.tokenTTL, "token-ttl", "let an access token be good for `TIME` (default: 1h)")
	flags.StringVar(&f.repeat, "refund-repeat", "same", "answer a refund's id that is used again with `HOW`: same, 400 or 409")
	flags.Var(&f.grace, "grace", "let what is on its way finish within `TIME` at the end (default: 5s)")
	f.tls.addTo(flags)
}

func (c *cli) pspCommand() *cobra.Command {
	f := newPSPFlags()
	cmd := &cobra.Command{
		Use: "psp", Short: "Run the fake PSP as a process", Long: pspDoc, Args: noArgs,
		Example: "  pixlab psp --listen 127.0.0.1:7070 --lab-listen 127.0.0.1:7071\n" +
			"  pixlab psp --webhook http://127.0.0.1:8080 --plan plan.json --make-charges",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return c.psp(cmd.Context(), f)
		},
	}
	f.addTo(cmd.Flags())
	return cmd
}

// psp opens the ports last, when nothing is left that could be wrong.
func (c *cli) psp(ctx context.Context, f *pspFlags) error {
	o, err := f.options(os.Getenv)
	if err != nil {
		return err
	}
	if f.plan != "" {
		source, err := readPlan(f.plan, c.in)
		if err != nil {
			return err
		}
		if err := live.CheckPlan(source.plan); err != nil {
			return usagef("--plan %s: %s", f.plan, err)
		}
		o.Plan = source.plan
	}
	o.Log = log.New(c.err, "pixlab psp: ", 0)
	if o.API, err = pspListen(f.listen); err != nil {
		return err
	}
	if o.Lab, err = pspListen(f.labListen); err != nil {
		o.API.Close()
		return err
	}
	return c.servePSP(ctx, f, o)
}

// pspListen opens a port. What the address looks like was checked before.
func pspListen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, environmentError{"listen at " + addr, err}
	}
	return l, nil
}

// servePSP runs the server until a signal ends it. A second signal ends it at
// once.
func (c *cli) servePSP(ctx context.Context, f *pspFlags, o live.Options) error {
	server, err := live.New(o)
	if err != nil {
		return errors.Join(err, o.API.Close(), o.Lab.Close())
	}
	c.leash()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	at := server.Addresses()
	if f.addrFile != "" {
		if err := writeFile("--addr-file", f.addrFile, encodeJSON(at)); err != nil {
			return errors.Join(err, o.API.Close(), o.Lab.Close())
		}
	}
	fmt.Fprintf(c.err, "pixlab psp: API %s, lab %s, %s\n", at.API, at.Lab, f.told(o))
	if err := server.Run(ctx); err != nil {
		return environmentError{"run the PSP", err}
	}
	fmt.Fprintln(c.err, "pixlab psp: stopped")
	return nil
}
