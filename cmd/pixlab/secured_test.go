package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	receiverlive "github.com/pixlab/pixlab/receiver/live"
)

// passage is a port that is known before whoever stands behind it.
type passage struct {
	port net.Listener
	to   chan string
}

func newPassage(t *testing.T) *passage {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { port.Close() })
	p := &passage{port, make(chan string, 1)}
	go func() {
		to := <-p.to
		for {
			c, err := port.Accept()
			if err != nil {
				return
			}
			go carry(c, to)
		}
	}()
	return p
}

// carry hands bytes on, both ways, until both have said all.
func carry(c net.Conn, to string) {
	defer c.Close()
	behind, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(behind, c)
		behind.Close()
	}()
	_, _ = io.Copy(c, behind)
}

// secured is a PSP and a receiver, each of which shows and wants a certificate.
type secured struct {
	*besieged
	psp    live.Addresses
	lab    *live.Client
	caller *http.Client // with a certificate of theirs
}

func newSecured(t *testing.T) *secured {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "certs")
	pixlab("", "certs", "--dir", dir).want(t, exitHeld).quiet(t)
	binary := builtPixlab(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	s := &secured{}
	s.psp, s.lab = pspProcess(t, binary, "--tls-cert", in("server.pem"), "--tls-key", in("server-key.pem"), "--tls-client-ca", in("ca.pem"),
		"--callback-ca", in("ca.pem"), "--callback-cert", in("client.pem"), "--callback-key", in("client-key.pem"))
	way := newPassage(t)
	s.besieged = besiege(t, binary, s.psp.API, "PIXLAB_TOKEN_URL="+s.psp.API+"/oauth/token", "PIXLAB_CLIENT_ID=loja",
		"PIXLAB_CLIENT_SECRET=the-secret-of-the-shop", "PIXLAB_CALLBACK_URL=https://"+way.port.Addr().String()+"/hook",
		"PIXLAB_TLS_CERT="+in("server.pem"), "PIXLAB_TLS_KEY="+in("server-key.pem"), "PIXLAB_TLS_CLIENT_CA="+in("ca.pem"),
		"PIXLAB_PSP_CA="+in("ca.pem"), "PIXLAB_PSP_CERT="+in("client.pem"), "PIXLAB_PSP_KEY="+in("client-key.pem"))
	way.to <- strings.TrimPrefix(s.at.Public, "https://")
	config, err := receiverlive.ClientTLS(receiverlive.TLSFiles{CA: in("ca.pem"), Cert: in("client.pem"), Key: in("client-key.pem")})
	if err != nil {
		t.Fatal(err)
	}
	s.caller = receiverlive.NewClient(config)
	s.client = s.caller
	return s
}

// call makes a request and reads the answer, if it is JSON.
func (s *secured) call(method, url string, header http.Header, body string) (status int, answer map[string]any) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header = header
	resp, err := s.caller.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = json.Unmarshal(text, &answer)
	return resp.StatusCode, answer
}

func bearing(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// token asks the PSP for one.
func (s *secured) token(header http.Header, body string) (int, string) {
	s.t.Helper()
	status, answer := s.call(http.MethodPost, s.psp.API+"/oauth/token", header, body)
	token, _ := answer["access_token"].(string)
	return status, token
}

// A charge, its BR Code, its payment and the callback about it go through two
// processes that know each other by certificates, tokens and signatures.
func TestPaidOverMutualTLS(t *testing.T) {
	s := newSecured(t)
	codes := map[string]string{}
	for _, kind := range []string{"dynamic", "static"} {
		body := fmt.Sprintf(`{"reference":"PED-%s","kind":%q,"amount":"12.34"}`, kind, kind)
		asked := bearing(testAPI)
		asked.Set(receiver.IdempotencyHeader, "PED-"+kind)
		status, charge := s.call(http.MethodPost, s.at.Public+"/charges", asked, body)
		code, _ := charge["br_code"].(string)
		txid, _ := charge["txid"].(string)
		if status != http.StatusCreated || kind == "dynamic" && code == "" {
			t.Fatalf("a %s charge: %d %v", kind, status, charge)
		}
		if code != "" && (!strings.HasSuffix(code, crc16(code[:len(code)-4])) || !strings.Contains(code, "br.gov.bcb.pix")) {
			t.Errorf("BR Code %s: the CRC is %s", code, crc16(code[:len(code)-4]))
		}
		codes[txid] = code
		if kind == "dynamic" {
			s.charged(txid, code)
			s.settles(txid)
		}
	}
	s.outsiders()
	s.stop()
}

// charged wants the PSP to have the charge with that code, for who may see it.
func (s *secured) charged(txid, code string) {
	s.t.Helper()
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	asJSON := http.Header{"Content-Type": {"application/json"}}
	basic := func(h http.Header) http.Header {
		req := http.Request{Header: h.Clone()}
		req.SetBasicAuth("loja", "the-secret-of-the-shop")
		return req.Header
	}
	for name, c := range map[string]struct {
		header http.Header
		body   string
	}{
		"form, in the body": {form, "grant_type=client_credentials&client_id=loja&client_secret=the-secret-of-the-shop"},
		"form, Basic":       {basic(form), "grant_type=client_credentials"},
		"JSON, in the body": {asJSON, `{"grant_type":"client_credentials","client_id":"loja","client_secret":"the-secret-of-the-shop"}`},
		"JSON, Basic":       {basic(asJSON), `{"grant_type":"client_credentials"}`},
	} {
		status, token := s.token(c.header, c.body)
		if status != http.StatusOK || token == "" {
			s.t.Errorf("a token by %s: %d", name, status)
			continue
		}
		status, charge := s.call(http.MethodGet, s.psp.API+"/v2/cob/"+txid, bearing(token), "")
		if status != http.StatusOK || charge["pixCopiaECola"] != code {
			s.t.Errorf("the charge by a token by %s: %d, code %v, want %s", name, status, charge["pixCopiaECola"], code)
		}
	}
	if status, _ := s.token(form, "grant_type=client_credentials&client_id=loja&client_secret=guessed"); status != http.StatusUnauthorized {
		s.t.Errorf("a token for a guessed secret: %d", status)
	}
	_, narrow := s.token(basic(form), "grant_type=client_credentials&scope=pix.read")
	for token, want := range map[string]int{narrow: http.StatusForbidden, "": http.StatusUnauthorized} {
		if status, _ := s.call(http.MethodGet, s.psp.API+"/v2/cob/"+txid, bearing(token), ""); status != want {
			s.t.Errorf("the charge under another token: %d, want %d", status, want)
		}
	}
}

// settles pays, and wants the receiver to hear of it and book it.
func (s *secured) settles(txid string) {
	s.t.Helper()
	if _, err := s.lab.Pay(s.t.Context(), live.PayOrder{EndToEndID: "E12345678202601021200securepay00", TxID: pix.TxID(txid), AmountCents: 1234}); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, "the charge is settled", func() bool {
		_, charge := s.call(http.MethodGet, s.at.Public+"/charges/PED-dynamic", bearing(testAPI), "")
		return charge["settled"] == "12.34"
	})
	if events := s.inbox(); len(events) != 1 || events[0].Channel != receiver.ChannelCallback {
		s.t.Errorf("it was not heard of by a callback alone: %+v", events)
	}
}

// outsiders are turned away: without a certificate, a token, or a signature of
// these minutes.
func (s *secured) outsiders() {
	s.t.Helper()
	body := callbackBody([]string{`{"endToEndId":"E12345678202601021200replayed0001","valor":"1.00","horario":"2026-01-02T12:00:00.000Z"}`})
	for age, want := range map[time.Duration]int{4 * time.Minute: 200, 6 * time.Minute: 401, -6 * time.Minute: 401} {
		signature := pix.Sign(pix.Secret{ID: "a", Key: []byte(testKeyA)}, time.Now().Add(-age), body)
		if got, _ := s.call(http.MethodPost, s.at.Public+"/hook/pix", http.Header{pix.SignatureHeader: {signature}}, string(body)); got != want {
			s.t.Errorf("a callback signed %s ago: %d, want %d", age, got, want)
		}
	}
	for url, want := range map[string]int{
		s.at.Public + "/charges/PED-dynamic": 401, s.at.Admin + "/metrics": 401, s.at.Admin + "/admin/cases": 401, s.at.Admin + "/readyz": 401,
		s.at.Admin + "/healthz": 200, s.psp.Lab + "/lab/truth": 401, s.psp.Lab + "/healthz": 200,
	} {
		if got, _ := s.call(http.MethodGet, url, http.Header{}, ""); got != want {
			s.t.Errorf("%s without a token: %d, want %d", url, got, want)
		}
	}
	for _, url := range []string{s.at.Public + "/hook/pix", s.psp.API + "/v2/cob"} {
		if _, err := http.Post(url, "application/json", bytes.NewReader(body)); err == nil {
			s.t.Errorf("%s talks to who shows no certificate", url)
		}
	}
}

// crc16 is the checksum of a BR Code: CRC-16/CCITT-FALSE.
func crc16(text string) string {
	crc := uint16(0xFFFF)
	for _, b := range []byte(text) {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return fmt.Sprintf("%04X", crc)
}
