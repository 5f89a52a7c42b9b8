package live

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

// TLSFiles are PEM files. Cert and Key go together; CA are the authorities that
// the other side's certificate has to come from.
type TLSFiles struct{ Cert, Key, CA string }

// ServerTLS is what a port speaks: with CA, only to clients that show a
// certificate of it (mutual TLS). No files at all mean plain HTTP: nil.
func ServerTLS(f TLSFiles) (*tls.Config, error) {
	if f == (TLSFiles{}) {
		return nil, nil
	}
	if f.Cert == "" {
		return nil, errors.New("a CA of clients needs a certificate and a key of ours")
	}
	c, pool, err := f.read()
	if err != nil {
		return nil, err
	}
	if pool != nil {
		c.ClientCAs, c.ClientAuth = pool, tls.RequireAndVerifyClientCert
	}
	return c, nil
}

// ClientTLS is what a client speaks: with CA, only to servers of it and of no
// other; with Cert, showing it. No files at all mean the machine's authorities.
func ClientTLS(f TLSFiles) (*tls.Config, error) {
	c, pool, err := f.read()
	if err != nil {
		return nil, err
	}
	c.RootCAs = pool
	return c, nil
}

func (f TLSFiles) read() (*tls.Config, *x509.CertPool, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if (f.Cert == "") != (f.Key == "") {
		return nil, nil, errors.New("a certificate and its key go together")
	}
	if f.Cert != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s and %s: %w", f.Cert, f.Key, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if f.CA == "" {
		return c, nil, nil
	}
	text, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, nil, fmt.Errorf("read %s: no certificate in it", f.CA)
	}
	return c, pool, nil
}

// NewClient makes a client for calls whose contexts have deadlines. It follows
// no redirect: a PSP's API has none, and a token must not travel to another host.
func NewClient(c *tls.Config) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:           http.ProxyFromEnvironment,
			TLSClientConfig: c, TLSHandshakeTimeout: 5 * time.Second,
			MaxIdleConnsPerHost: 32, MaxConnsPerHost: 64, IdleConnTimeout: time.Minute,
		},
	}
}

// Split sends calls to one set of hosts by its own client and all others by
// another, so that the certificate for the PSP is shown to the PSP alone.
type Split struct {
	Hosts  []string // host or host:port as in the URLs
	To     *http.Client
	Others *http.Client
}

// Do sends one request.
func (s Split) Do(req *http.Request) (*http.Response, error) {
	for _, h := range s.Hosts {
		if req.URL.Host == h {
			return s.To.Do(req)
		}
	}
	return s.Others.Do(req)
}
