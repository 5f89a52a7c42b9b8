package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/spf13/pflag"
)

// pspTLS are the files of both directions: who calls the API, and whom
// callbacks meet.
type pspTLS struct {
	cert, key, clientCA                   string
	callbackCert, callbackKey, callbackCA string
}

func (f *pspTLS) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.cert, "tls-cert", "", "serve the API over TLS with the certificates in `FILE` (PEM)")
	flags.StringVar(&f.key, "tls-key", "", "with the private key in `FILE`")
	flags.StringVar(&f.clientCA, "tls-client-ca", "", "let in only who shows a certificate by an authority in `FILE`")
	flags.StringVar(&f.callbackCA, "callback-ca", "", "send callbacks only to who shows a certificate by an authority in `FILE`")
	flags.StringVar(&f.callbackCert, "callback-cert", "", "show the certificates in `FILE` when a callback is sent")
	flags.StringVar(&f.callbackKey, "callback-key", "", "with the private key in `FILE`")
}

// load reads the files. A direction without any is nil.
func (f *pspTLS) load() (api, callbacks *tls.Config, err error) {
	switch {
	case (f.cert == "") != (f.key == ""):
		return nil, nil, usagef("--tls-cert and --tls-key go together; want both, or none")
	case (f.callbackCert == "") != (f.callbackKey == ""):
		return nil, nil, usagef("--callback-cert and --callback-key go together; want both, or none")
	case f.clientCA != "" && f.cert == "":
		return nil, nil, usagef("--tls-client-ca stands without TLS; want --tls-cert and --tls-key beside it")
	}
	if f.cert != "" {
		if api, err = pspTLSOf("--tls-cert", f.cert, f.key); err != nil {
			return nil, nil, err
		}
		if f.clientCA != "" {
			api.ClientAuth = tls.RequireAndVerifyClientCert
			if api.ClientCAs, err = pspAuthorities("--tls-client-ca", f.clientCA); err != nil {
				return nil, nil, err
			}
		}
	}
	if f.callbackCert != "" {
		if callbacks, err = pspTLSOf("--callback-cert", f.callbackCert, f.callbackKey); err != nil {
			return nil, nil, err
		}
	}
	if f.callbackCA != "" {
		if callbacks == nil {
			callbacks = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		if callbacks.RootCAs, err = pspAuthorities("--callback-ca", f.callbackCA); err != nil {
			return nil, nil, err
		}
	}
	return api, callbacks, nil
}

func pspTLSOf(flag, cert, key string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, usagef("%s %s with %s: %s; want PEM files that belong together", flag, cert, key, reason(err))
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func pspAuthorities(flag, name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usagef("%s %s: %s; want a PEM file of certificates", flag, name, reason(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usagef("%s %s holds no certificate; want a PEM file of certificates", flag, name)
	}
	return pool, nil
}

// told is what callers of the API meet.
func (f *pspTLS) told() string {
	switch {
	case f.clientCA != "":
		return "with client certificates"
	case f.cert != "":
		return "on"
	}
	return "off"
}
