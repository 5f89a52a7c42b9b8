package main

import (
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

// validate names the first thing that is wrong, in one line.
func (s *receiverSettings) validate() error {
	if err := s.validateWhat(); err != nil {
		return err
	}
	if err := s.validateWhere(); err != nil {
		return err
	}
	if err := s.validateConsumers(); err != nil {
		return err
	}
	if s.adminListen != adminOff {
		return token("PIXLAB_ADMIN_TOKEN", s.secrets.admin, "or --admin-listen off to go without")
	}
	return nil
}

// validateWhat looks at what has to be said and what goes together.
func (s *receiverSettings) validateWhat() error {
	var missing []string
	for _, f := range []struct{ name, value string }{{"psp-url", s.pspURL}, {"callback-url", s.callbackURL}, {"pix-keys", s.pixKeys}} {
		if f.value == "" {
			missing = append(missing, "--"+f.name+" ("+environmentName(f.name)+")")
		}
	}
	switch {
	case len(missing) > 0:
		return usagef("missing: %s; pixlab receiver --help tells of each", strings.Join(missing, ", "))
	case s.store != storePostgres && s.store != storeMemory:
		return usagef("--store is %q; want %s or %s", s.store, storePostgres, storeMemory)
	case s.store == storePostgres && s.databaseURL == "":
		return usagef("--store postgres needs PIXLAB_DATABASE_URL (or --database-url); for a trial that forgets everything: --store memory")
	case s.tokenURL != "" && (s.clientID == "" || s.secrets.client == ""):
		return usagef("--token-url needs --client-id and PIXLAB_CLIENT_SECRET")
	case s.endpointURL != "" && s.secrets.endpoint == "":
		return usagef("--endpoint-url needs PIXLAB_ENDPOINT_SECRET: id:base64, the key that signs what is sent there")
	case s.lease < 3*s.callTimeout:
		return usagef("--lease is %s; want three times --call-timeout (%s) or more", s.lease, s.callTimeout)
	}
	return nil
}

// validateWhere looks at URLs and addresses.
func (s *receiverSettings) validateWhere() error {
	for _, f := range []struct{ name, value string }{
		{"psp-url", s.pspURL}, {"callback-url", s.callbackURL}, {"token-url", s.tokenURL}, {"endpoint-url", s.endpointURL},
	} {
		if f.value == "" {
			continue
		}
		if err := usableURL("--"+f.name, f.value); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, value string }{{"listen", s.listen}, {"admin-listen", s.adminListen}} {
		if _, port, err := net.SplitHostPort(f.value); (err != nil || !isPort(port)) && f.value != adminOff {
			return usagef("--%s is %q; want host:port", f.name, f.value)
		}
	}
	if s.listen == adminOff {
		return usagef("--listen cannot be off; want host:port")
	}
	return nil
}

// usableURL wants a URL to call.
func usableURL(what, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Fragment != "" {
		return usagef("%s is no URL to use; want http:// or https://, a host, and no password in it", what)
	}
	return nil
}

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n <= 65535
}

// process is the process that the settings describe, without its store.
func (s *receiverSettings) process() (live.ProcessConfig, error) {
	var none live.ProcessConfig
	own, err := s.receiver()
	if err != nil {
		return none, err
	}
	tls, err := live.ServerTLS(live.TLSFiles{Cert: s.tlsCert, Key: s.tlsKey, CA: s.clientCA})
	if err != nil {
		return none, usagef("--tls-cert, --tls-key, --tls-client-ca: %v", err)
	}
	if own.HTTP, err = s.clients(); err != nil {
		return none, err
	}
	tokens, err := s.secrets.consumerTokens()
	if err != nil {
		return none, err
	}
	if err := s.fits(own, tokens); err != nil {
		return none, err
	}
	cfg := live.ProcessConfig{
		Receiver: own,
		Loops: live.Options{
			Workers: s.workers.n, Senders: s.senders.n, Poll: s.poll, Gather: s.gather, Grace: s.stopGrace, MaxPause: min(s.backoffCap, 30*time.Second),
			GiveWay: &live.GiveWay{Limit: s.giveWayAt.n, Pause: s.giveWay},
		},
		Batch:    receiver.BatchConfig{Items: s.flushItems.n, Delay: s.flushDelay, Waiting: s.flushWaiting.n},
		Flushers: s.flushers.n,
		Public:   live.ServerConfig{Addr: s.listen, TLS: tls, MaxConns: s.maxConns.n, Grace: s.stopGrace},
		Admin:    live.ServerConfig{Grace: s.stopGrace, MaxConns: 32},
		Tokens:   tokens, APIToken: s.secrets.api, AdminToken: s.secrets.admin, OpenAPI: s.openAPI,
	}
	// A charge is answered after up to three calls to the PSP, each made again
	// where it wants another token.
	cfg.Public.HandlerTimeout = max(25*time.Second, 7*s.callTimeout)
	cfg.Public.WriteTimeout = cfg.Public.HandlerTimeout + 5*time.Second
	if s.adminListen != adminOff {
		cfg.Admin.Addr = s.adminListen
	}
	return cfg, nil
}

// receiver is the receiver's own configuration, without its client.
func (s *receiverSettings) receiver() (receiver.Config, error) {
	cfg := receiver.Config{
		Name: s.name, Source: s.source, Consumer: s.consumer,
		PSPURL: strings.TrimRight(s.pspURL, "/"), TokenURL: s.tokenURL, ClientID: s.clientID, ClientSecret: s.secrets.client,
		CallbackURL: s.callbackURL,
		Tolerance:   s.tolerance, MaxBody: int64(s.maxBody.n), MaxItems: s.maxItems.n,
		Batch: s.batch.n, Lease: s.lease, CallTimeout: s.callTimeout, MaxAttempts: s.maxAttempts.n,
		BackoffBase: s.backoffBase, BackoffCap: s.backoffCap,
		SweepEvery: s.sweepEvery, Overlap: s.overlap, SweepBack: s.sweepBack, PageSize: s.pageSize.n, ChangedEvery: s.changedEvery,
		ReconcileEvery: s.reconcileEvery, Grace: s.reconcileGrace, ProofAfter: s.proofAfter,
		PayoutAttempts: s.payoutAttempts.n, AskEvery: s.askEvery, PayoutKeyTTL: s.payoutKeyTTL, PayoutLookup: s.payoutLookup,
		KeyWindow: s.keyWindow, KeyTTL: s.keyTTL, KeyPurgeEvery: s.keyPurgeEvery,
		Clock: live.Clock{}, Jitter: live.Jitter, NewID: live.NewID,
	}
	var err error
	if cfg.PixKeys, err = s.keys(); err != nil {
		return cfg, err
	}
	if cfg.Secrets, err = s.secrets.callbackSecrets(); err != nil {
		return cfg, err
	}
	if cfg.Endpoints, err = s.endpoints(); err != nil {
		return cfg, err
	}
	if cfg.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "receiver"
		}
		cfg.Name = host + "-" + strconv.Itoa(os.Getpid())
	}
	return cfg, nil
}

func (s *receiverSettings) keys() ([]pix.PixKey, error) {
	var keys []pix.PixKey
	for text := range strings.SplitSeq(s.pixKeys, ",") {
		key, err := pix.ParsePixKey(strings.TrimSpace(text))
		if err != nil {
			return nil, usagef("--pix-keys: %v", err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// clients make calls: those to the PSP show our certificate, others do not.
func (s *receiverSettings) clients() (receiver.Doer, error) {
	toPSP, err := live.ClientTLS(live.TLSFiles{Cert: s.pspCert, Key: s.pspKey, CA: s.pspCA})
	if err != nil {
		return nil, usagef("--psp-ca, --psp-cert, --psp-key: %v", err)
	}
	var hosts []string
	for _, text := range []string{s.pspURL, s.tokenURL} {
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	others, err := live.ClientTLS(live.TLSFiles{})
	if err != nil {
		return nil, err
	}
	return live.Split{Hosts: hosts, To: live.NewClient(toPSP), Others: live.NewClient(others)}, nil
}
