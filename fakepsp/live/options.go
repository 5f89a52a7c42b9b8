package live

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// Options are what a [Server] is told. The listeners, PixKeys, Secret, Clients
// and LabToken have no default.
type Options struct {
	// API and Lab are the two ports, open already. The server closes them.
	API, Lab net.Listener
	// APITLS serves the API over TLS, with client certificates where it demands
	// them; nil serves it plain.
	APITLS *tls.Config
	// CallbackTLS says whom callbacks trust and with which certificate they
	// come; nil trusts the machine's authorities and shows none.
	CallbackTLS *tls.Config

	// PixKeys are the account's keys; the payers of a plan pay to the first.
	PixKeys []pix.PixKey
	// Secret signs callbacks.
	Secret pix.Secret
	// Clients may ask for tokens at POST /oauth/token.
	Clients []fakepsp.Client
	// LabToken opens the lab port.
	LabToken string

	// Retry says when callbacks are tried again; default [Retry].
	Retry chaos.RetryTable
	// CallbackTimeout is how long an attempt waits; default that of Retry.
	CallbackTimeout time.Duration
	// StatementLag, TokenTTL and RefundRepeat are as in [fakepsp.Config].
	StatementLag, TokenTTL time.Duration
	RefundRepeat           string
	// PayoutIDs and PayoutKeyTTL are as in [fakepsp.Config]; a plan's settings
	// take their place.
	PayoutIDs    string
	PayoutKeyTTL time.Duration

	// Senders is how many callbacks are on their way at once; default 32.
	Senders int
	// Grace is how long calls and callbacks on their way may take when the
	// server stops; default 5 s.
	Grace time.Duration

	// WebhookURL is registered for all keys before anything else; "" registers
	// none, and the receiver does it.
	WebhookURL string
	// Plan is applied when the server starts; nil is none. MakeCharges has the
	// lab make its charges at the PSP, see [Client.Apply].
	Plan        *chaos.Plan
	MakeCharges bool

	// Log takes what goes wrong with connections; nil takes nothing.
	Log *log.Logger
}

// Retry is the table of live runs. It ends within a minute, so that a run that
// somebody waits for does.
func Retry() chaos.RetryTable { return chaos.LiveRetry() }

// insider is the client under whose name the lab itself calls the API.
const insider = "pixlab.lab"

// maxSenders bounds Options.Senders: each may hold a connection.
const maxSenders = 4096

func (o Options) withDefaults() Options {
	if o.Retry.Name == "" && len(o.Retry.Delays) == 0 {
		o.Retry = Retry()
	}
	if o.CallbackTimeout == 0 {
		o.CallbackTimeout = o.Retry.Timeout
	}
	if o.Senders == 0 {
		o.Senders = 32
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = log.New(io.Discard, "", 0)
	}
	return o
}

// validate refuses what [fakepsp.New] does not look at.
func (o Options) validate() error {
	switch {
	case o.API == nil || o.Lab == nil:
		return errors.New("live options: API, Lab: want a listener each")
	case len(o.Clients) == 0:
		return errors.New("live options: Clients: want at least one")
	case o.LabToken == "":
		return errors.New("live options: LabToken: want one")
	case o.CallbackTimeout <= 0:
		return errors.New("live options: CallbackTimeout: want more than zero")
	case o.Senders < 1 || o.Senders > maxSenders:
		return fmt.Errorf("live options: Senders: want 1 to %d", maxSenders)
	case o.Grace < 0:
		return errors.New("live options: Grace: want no negative one")
	}
	if o.Plan != nil {
		return CheckPlan(o.Plan)
	}
	return nil
}
