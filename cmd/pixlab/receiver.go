package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pixlab/pixlab/receiver/live"
)

const receiverDoc = `Run the reference receiver as a process: it takes the PSP's callbacks, books them, asks
the PSP about what it cannot take a callback's word for, and reconciles its ledger with the
account statement. Several processes on one database are the normal case.

Every flag can be given in the environment, --psp-url as PIXLAB_PSP_URL and so on; the flag
goes first. Secrets come from the environment alone and have no default:

  PIXLAB_CALLBACK_SECRET   id:base64, the key that callbacks are signed with (16 bytes or more)
  PIXLAB_CALLBACK_SECRETS  two of them with a comma between, while one replaces the other
  PIXLAB_CLIENT_SECRET     goes with --client-id, where there is a --token-url
  PIXLAB_ENDPOINT_SECRET   id:base64, signs what is sent to --endpoint-url
  PIXLAB_ENDPOINT_SECRETS  NAME=id:base64 of each of --endpoints, with commas between
  PIXLAB_API_TOKEN         bearer token of the merchant's API, 16 characters or more
  PIXLAB_API_TOKENS        consumer:token, with commas between: several consumers, each with
                           charges, refunds and idempotency keys of its own
  PIXLAB_ADMIN_TOKEN       bearer token of --admin-listen, 16 characters or more

--listen serves the callbacks ({callback-url}/pix, signed) and the merchant's API (/charges,
/refunds and /memos, by token). --admin-listen serves /healthz, /readyz, /metrics and what
operators need: /admin/quarantine, /admin/cases, /admin/attach,
/admin/payouts, /admin/outbox, /admin/reconcile, /admin/report and /admin/records.

The settings, without secrets, are the first line on standard error, as JSON; a log follows.
SIGTERM or SIGINT stops: what was taken is stored and answered first; a second one kills.`

func (c *cli) receiverCommand() *cobra.Command {
	s := newReceiverSettings()
	cmd := &cobra.Command{
		Use: "receiver [--store memory]", Short: "Run the receiver as a process", Long: receiverDoc, Args: noArgs,
		Example: "  pixlab receiver --store memory --open-api --psp-url http://127.0.0.1:9080 \\\n" +
			"      --callback-url http://127.0.0.1:8080 --pix-keys loja@example.com",
	}
	s.addTo(cmd.Flags())
	cmd.RunE = func(*cobra.Command, []string) error {
		if err := s.fromEnvironment(cmd.Flags()); err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		// Once the first signal has come, the next one acts as if nobody listened.
		context.AfterFunc(ctx, stop)
		return c.serveReceiver(ctx, cmd.Flags(), s)
	}
	return cmd
}

// serveReceiver runs one receiver process until ctx ends.
func (c *cli) serveReceiver(ctx context.Context, flags *pflag.FlagSet, s *receiverSettings) error {
	if err := s.validate(); err != nil {
		return err
	}
	cfg, err := s.process()
	if err != nil {
		return err
	}
	if err := c.printSettings(flags, s, cfg.Receiver.Name, cfg.Receiver.Secrets); err != nil {
		return err
	}
	cfg.Log = c.log()
	s.tuneRuntime()
	hook, err := c.attach(ctx, s.pspURL, &cfg)
	if err != nil {
		return err
	}
	store, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.close()
	store.Store = hook(store.Store)
	if s.store == storeMemory {
		cfg.Log.Warn("--store memory FORGETS EVERYTHING when this process ends: for trials only, never for money")
	}
	cfg.Store, cfg.Checks, cfg.Pool = store.Store, store.checks, store.pool
	p, err := live.NewProcess(cfg)
	if err != nil {
		return usagef("%v", err)
	}
	if err := p.Listen(ctx); err != nil {
		return environmentError{"start the receiver", err}
	}
	if err := s.tellAddresses(p, cfg.Log); err != nil {
		return errors.Join(err, p.Close())
	}
	if err := p.Run(ctx); err != nil {
		return environmentError{"run the receiver", err}
	}
	cfg.Log.Info("stopped")
	return nil
}

// tuneRuntime has Go's runtime collect seldom while there is room, since most
// of what a callback leaves behind is garbage at once. What the environment
// says goes first.
func (s *receiverSettings) tuneRuntime() {
	collectSeldom()
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(s.memory.n) << 20)
	}
}

// receiverAddresses are the URLs of both ports; of the second only where it is.
type receiverAddresses struct {
	Public string `json:"public"`
	Admin  string `json:"admin,omitempty"`
}

// tellAddresses says where the ports are, which may have been for the machine
// to choose.
func (s *receiverSettings) tellAddresses(p *live.Process, log *slog.Logger) error {
	scheme := "http://"
	if s.tlsCert != "" {
		scheme = "https://"
	}
	at := receiverAddresses{Public: scheme + p.PublicAddr().String()}
	if a := p.AdminAddr(); a != nil {
		at.Admin = "http://" + a.String()
	}
	if s.addrFile != "" {
		if err := writeFile("--addr-file", s.addrFile, encodeJSON(at)); err != nil {
			return err
		}
	}
	log.Info("listening", "public", at.Public, "admin", at.Admin)
	return nil
}

// log is text for a person who looks on, and JSON otherwise.
func (c *cli) log() *slog.Logger {
	if onTerminal(c.err) {
		return slog.New(slog.NewTextHandler(c.err, nil))
	}
	return slog.New(slog.NewJSONHandler(c.err, nil))
}
