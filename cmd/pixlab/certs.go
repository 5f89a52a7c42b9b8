package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const certsDoc = `Make certificates for mutual TLS between receiver and PSP, for a trial: good for 7 days.

  ca.pem                       the authority, to be trusted; its key is thrown away
  server.pem, server-key.pem   for a port: localhost, 127.0.0.1, ::1 and each --host
  client.pem, client-key.pem   for whoever calls it

Nothing is overwritten: where one of the files is there already, none is made.`

// certsLife is how long the certificates are good.
const certsLife = 7 * 24 * time.Hour

func (c *cli) certsCommand() *cobra.Command {
	var dir string
	var hosts []string
	cmd := &cobra.Command{
		Use: "certs --dir D", Short: "Make throwaway certificates for mutual TLS", Long: certsDoc, Args: noArgs,
		Example: "  pixlab certs --dir certs\n  pixlab certs --dir certs --host psp --host receiver",
		RunE: func(*cobra.Command, []string) error {
			if dir == "" {
				return usagef("--dir is missing; want the folder that the certificates go to")
			}
			for _, h := range hosts {
				if !hostName(h) {
					return usagef("--host is %q; want a name such as psp.example, or an IP address", h)
				}
			}
			files, err := makeCerts(hosts, time.Now())
			if err != nil {
				return err
			}
			if err := writeCerts(dir, files); err != nil {
				return err
			}
			var said bytes.Buffer
			for _, f := range files {
				fmt.Fprintln(&said, filepath.Join(dir, f.name))
			}
			return write(c.out, said.Bytes())
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the folder to write to; it is made if it is not there")
	cmd.Flags().StringArrayVar(&hosts, "host", nil, "a further name or IP address of the server, repeatable")
	return cmd
}

// hostName says whether a certificate can be made for it: an IP address, or a name
// of letters, digits, hyphens and underscores between single dots, * at most as
// the first of its parts.
func hostName(h string) bool {
	return net.ParseIP(h) != nil || len(h) <= 253 && regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*$`).MatchString(h)
}

// certFile is one file in the making.
type certFile struct {
	name string
	text []byte
	mode fs.FileMode
}

// makeCerts makes an authority, and a server and a client certified by it.
func makeCerts(hosts []string, now time.Time) ([]certFile, error) {
	ca, caKey, err := newCert("pixlab throwaway CA", now, func(t *x509.Certificate) {
		t.IsCA, t.MaxPathLenZero, t.KeyUsage = true, true, x509.KeyUsageCertSign
	}, nil, nil)
	if err != nil {
		return nil, err
	}
	server, serverKey, err := newCert("pixlab server", now, func(t *x509.Certificate) {
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		for _, h := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
			if ip := net.ParseIP(h); ip != nil {
				t.IPAddresses = append(t.IPAddresses, ip)
			} else {
				t.DNSNames = append(t.DNSNames, h)
			}
		}
	}, ca, caKey)
	if err != nil {
		return nil, err
	}
	client, clientKey, err := newCert("pixlab client", now, func(t *x509.Certificate) {
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}, ca, caKey)
	if err != nil {
		return nil, err
	}
	files := []certFile{{"ca.pem", certPEM(ca), 0o644}, {"server.pem", certPEM(server), 0o644}, {"client.pem", certPEM(client), 0o644}}
	for i, key := range []*ecdsa.PrivateKey{serverKey, clientKey} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return nil, fmt.Errorf("encode a key: %w", err)
		}
		name := []string{"server-key.pem", "client-key.pem"}[i]
		files = append(files, certFile{name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600})
	}
	return files, nil
}

// newCert makes a key and a certificate for it, by an authority or, where that
// is nil, by itself.
func newCert(name string, now time.Time, shape func(*x509.Certificate), by *x509.Certificate, byKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key for %s: %w", name, err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, fmt.Errorf("number %s: %w", name, err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		// Clocks differ: an hour's grace before.
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certsLife),
		KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true,
	}
	shape(template)
	if by == nil {
		by, byKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by, &key.PublicKey, byKey)
	if err != nil {
		return nil, nil, fmt.Errorf("make the certificate of %s: %w", name, err)
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, err
}

func certPEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

// writeCerts writes all of the files or none.
func writeCerts(dir string, files []certFile) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--dir %s: %s; want a folder that can be written", dir, reason(err))
	}
	var made []string
	for _, f := range files {
		name := filepath.Join(dir, f.name)
		err := writeNew(name, f)
		if err == nil {
			made = append(made, name)
			continue
		}
		for _, m := range made {
			os.Remove(m)
		}
		if errors.Is(err, fs.ErrExist) {
			return usagef("--dir %s: %s is there already; want a folder without certificates", dir, f.name)
		}
		return usagef("--dir %s: %s; want a folder that can be written", dir, strings.TrimSpace(reason(err)))
	}
	return nil
}

func writeNew(name string, f certFile) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
	if err != nil {
		return err
	}
	_, err = file.Write(f.text)
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}
