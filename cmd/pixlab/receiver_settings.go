package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// The stores that --store can name.
const (
	storePostgres = "postgres"
	storeMemory   = "memory"
)

// adminOff is the --admin-listen of those who want no such port.
const adminOff = "off"

// receiverSettings are what the command line and the environment say, as said.
type receiverSettings struct {
	store, databaseURL string
	databaseConns      countFlag
	migrate            bool

	listen, adminListen, addrFile string
	openAPI                       bool
	tlsCert, tlsKey, clientCA     string

	pspURL, tokenURL, clientID  string
	pspCA, pspCert, pspKey      string
	callbackURL, pixKeys        string
	endpointURL                 string
	moreEndpoints, endpointsOff string
	name, source, consumer      string

	workers, batch, maxAttempts, pageSize countFlag
	maxBody, maxItems, maxConns           countFlag
	flushItems, flushWaiting, giveWayAt   countFlag
	flushers, memory                      countFlag
	senders, payoutAttempts               countFlag
	payoutLookup                          bool

	flushDelay, giveWay, gather, poll, stopGrace time.Duration
	callTimeout, lease, tolerance                time.Duration
	backoffBase, backoffCap                      time.Duration
	sweepEvery, overlap, sweepBack               time.Duration
	changedEvery                                 time.Duration
	reconcileEvery, reconcileGrace, proofAfter   time.Duration
	keyWindow, keyTTL, keyPurgeEvery             time.Duration
	askEvery, payoutKeyTTL                       time.Duration

	secrets receiverSecrets
}

func newReceiverSettings() *receiverSettings {
	n := func(n, most int) countFlag { return countFlag{n: n, most: most} }
	return &receiverSettings{
		databaseConns: n(16, 1000), workers: n(4, 256), batch: n(128, 1000), giveWayAt: n(48, 1_000_000), maxAttempts: n(10, 1000),
		maxBody: n(1<<20, 64<<20), maxItems: n(1000, 100_000), maxConns: n(256, 65_536),
		flushItems: n(2000, 100_000), flushWaiting: n(20_000, 1_000_000), pageSize: n(100, 1000), memory: n(120, 1_000_000), flushers: n(2, 64),
		senders: n(4, 64), payoutAttempts: n(5, 100),
	}
}

// addTo declares the flags.
func (s *receiverSettings) addTo(f *pflag.FlagSet) {
	f.StringVar(&s.store, "store", storePostgres, "keep the books in `STORE`: postgres, or memory for a trial that forgets everything")
	f.StringVar(&s.databaseURL, "database-url", "", "the PostgreSQL database at `URL`; better given as PIXLAB_DATABASE_URL, since it may hold a password")
	f.Var(&s.databaseConns, "database-conns", "connections to the database at most")
	f.BoolVar(&s.migrate, "migrate", true, "bring the database's schema up to date first")

	f.StringVar(&s.listen, "listen", ":8080", "serve callbacks and the merchant's API at `ADDR`")
	f.StringVar(&s.adminListen, "admin-listen", "127.0.0.1:8081", "serve operators and machines at `ADDR`, or off")
	f.StringVar(&s.addrFile, "addr-file", "", "write the URLs of both ports to `FILE`, as JSON, when they are open")
	f.BoolVar(&s.openAPI, "open-api", false, "let everybody use the merchant's API without a token: for trials only")
	f.StringVar(&s.tlsCert, "tls-cert", "", "speak TLS at --listen, with the certificate in `FILE` (PEM)")
	f.StringVar(&s.tlsKey, "tls-key", "", "with the private key in `FILE`")
	f.StringVar(&s.clientCA, "tls-client-ca", "", "let in at --listen only who shows a certificate by the CA in `FILE` (mutual TLS)")

	f.StringVar(&s.pspURL, "psp-url", "", "the PSP's base `URL`; /v2 follows it")
	f.StringVar(&s.tokenURL, "token-url", "", "the `URL` at which the PSP hands out OAuth2 tokens; without it calls carry none")
	f.StringVar(&s.clientID, "client-id", "", "our OAuth2 client's `ID`")
	f.StringVar(&s.pspCA, "psp-ca", "", "talk only to a PSP with a certificate by the CA in `FILE`")
	f.StringVar(&s.pspCert, "psp-cert", "", "show the PSP the certificate in `FILE` (mutual TLS)")
	f.StringVar(&s.pspKey, "psp-key", "", "with the private key in `FILE`")
	f.StringVar(&s.callbackURL, "callback-url", "", "our `URL` as registered at the PSP, which appends /pix")
	f.StringVar(&s.pixKeys, "pix-keys", "", "the Pix `KEYS` whose money is ours, with commas between")
	f.StringVar(&s.endpointURL, "endpoint-url", "", "the `URL` at which the merchant hears of what was booked; without an endpoint events are kept and wait")
	f.StringVar(&s.moreEndpoints, "endpoints", "", "further endpoints of the merchant's, as `NAME=URL` with commas between; each has a line of its own")
	f.StringVar(&s.endpointsOff, "endpoints-off", "", "the `NAMES` of endpoints whose events are kept and not sent, with commas between")

	f.StringVar(&s.name, "name", "", "the `NAME` that tells this process from its fellows (default: host and process id)")
	f.StringVar(&s.source, "source", "psp", "the `NAME` of the PSP account; the same in all processes")
	f.StringVar(&s.consumer, "consumer", "merchant", "the `NAME` of the consumer that PIXLAB_API_TOKEN belongs to")
	s.addSizes(f)
	s.addTimes(f)
}

func (s *receiverSettings) addSizes(f *pflag.FlagSet) {
	f.Var(&s.workers, "workers", "workers that book side by side")
	f.Var(&s.batch, "batch", "events that a worker takes at once")
	f.Var(&s.senders, "senders", "how many carry charges to the PSP side by side, and as many refunds and payouts")
	f.Var(&s.payoutAttempts, "payout-attempts", "calls that make a payout before it waits for a person")
	f.BoolVar(&s.payoutLookup, "payout-lookup", false, "get a payout's endToEndId at the payee's look-up, from a PSP that hands it out there")
	f.Var(&s.maxAttempts, "max-attempts", "tries of an event before it is set aside")
	f.Var(&s.maxBody, "max-body", "bytes of a callback at most")
	f.Var(&s.maxItems, "max-items", "Pix of a callback at most")
	f.Var(&s.maxConns, "max-conns", "connections to --listen at once")
	f.Var(&s.flushItems, "flush-items", "items of callbacks that share one commit at most")
	f.Var(&s.flushWaiting, "flush-waiting", "items that wait for a commit at most; then callbacks get 503")
	f.Var(&s.flushers, "flushers", "commits of callbacks side by side")
	f.Var(&s.giveWayAt, "give-way-at", "items that wait for a commit before workers step back for them")
	f.Var(&s.memory, "memory", "megabytes that Go's runtime is told to make do with; GOMEMLIMIT goes first")
	f.Var(&s.pageSize, "page-size", "Pix of one page of a sweep")
}

func (s *receiverSettings) addTimes(f *pflag.FlagSet) {
	span := func(at *time.Duration, name string, fallback time.Duration, doc string) {
		*at = fallback
		f.Var(&receiverSpan{at, name == "flush-delay" || name == "give-way" || name == "gather"}, name, doc)
	}
	span(&s.flushDelay, "flush-delay", 0, "how long a callback waits for others to share its commit; 0s: only while another commit runs")
	span(&s.giveWay, "give-way", 250*time.Millisecond, "how long a worker's turn is held up at most while callbacks press; 0s: not at all")
	span(&s.gather, "gather", 10*time.Millisecond, "how long a worker waits for further events to book along; 0s: not at all")
	span(&s.poll, "poll", 100*time.Millisecond, "how often queues are looked at for work that other processes made")
	span(&s.stopGrace, "stop-grace", 10*time.Second, "how long requests and turns may go on after SIGTERM")
	span(&s.callTimeout, "call-timeout", 5*time.Second, "bounds one call to the PSP")
	span(&s.lease, "lease", 30*time.Second, "how long claimed work is held; three times --call-timeout or more")
	span(&s.tolerance, "tolerance", 5*time.Minute, "how far a signature's time may be off")
	span(&s.backoffBase, "backoff-base", time.Second, "the first pause before a retry, doubled each time")
	span(&s.backoffCap, "backoff-cap", 5*time.Minute, "the longest pause before a retry")
	span(&s.sweepEvery, "sweep-every", 15*time.Minute, "the pause between sweeps of GET /v2/pix")
	span(&s.overlap, "overlap", 4*time.Hour, "how far a sweep reaches behind the last; the PSP's largest lag or more")
	span(&s.sweepBack, "sweep-back", 24*time.Hour, "how far back the very first sweep begins")
	span(&s.changedEvery, "changed-every", 6*time.Hour, "the pause between sweeps of what was refunded")
	span(&s.reconcileEvery, "reconcile-every", 6*time.Hour, "the pause between reconciliations with the account statement")
	span(&s.reconcileGrace, "reconcile-grace", time.Hour, "the age under which a difference may still be on its way")
	span(&s.proofAfter, "proof-after", time.Hour, "how long the PSP may hide the effect of a call from a query")
	span(&s.askEvery, "ask-every", 5*time.Minute, "the pause between questions about a payout whose end is not known; an eighth of its age once that is more")
	span(&s.payoutKeyTTL, "payout-key-ttl", 24*time.Hour, "how long the PSP remembers a payout's key; longer than a payout is repeated")
	span(&s.keyWindow, "key-window", time.Minute, "how long a request under an idempotency key may take before a repeat takes it over; six times --call-timeout or more")
	span(&s.keyTTL, "key-ttl", minKeyTTL, "how long the answers of requests are kept for repeats; 24h to 72h")
	span(&s.keyPurgeEvery, "key-purge-every", 10*time.Minute, "the pause between purges of answers kept long enough")
}

// receiverSpan is a flag's duration, more than zero unless zero means something.
type receiverSpan struct {
	at   *time.Duration
	zero bool
}

// Set reads the flag's text.
func (s *receiverSpan) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d == 0 && !s.zero {
		return errors.New("want a time such as 250ms, 30s or 15m")
	}
	*s.at = d
	return nil
}

// String is the duration.
func (s *receiverSpan) String() string {
	if s.at == nil {
		return ""
	}
	return s.at.String()
}

// Type names the value in a usage text.
func (s *receiverSpan) Type() string { return "TIME" }

// environmentName is the variable that a flag can be given by.
func environmentName(flag string) string {
	return "PIXLAB_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment takes from the environment what the command line did not
// say, and the secrets.
func (s *receiverSettings) fromEnvironment(f *pflag.FlagSet) (err error) {
	f.VisitAll(func(flag *pflag.Flag) {
		text := os.Getenv(environmentName(flag.Name))
		if err != nil || flag.Changed || text == "" || flag.Name == "help" {
			return
		}
		if e := flag.Value.Set(text); e != nil {
			if flag.Value.Type() == "bool" {
				e = errors.New("want true or false")
			}
			err = usagef("%s is %q; %v", environmentName(flag.Name), text, e)
		}
	})
	s.secrets = secretsFromEnvironment()
	return err
}
