package main

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver/live"
)

// The secrets of the tests, which must be seen nowhere.
const (
	testKeyA  = "0123456789abcdef-a"
	testKeyB  = "0123456789abcdef-b"
	testAdmin = "operators-only-please"
	testAPI   = "merchants-only-please"
)

func encodedSecret(id, key string) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(key))
}

// receiverEnvironment sets what a receiver needs to be told, and nothing else.
func receiverEnvironment(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PIXLAB_") {
			t.Setenv(name, "")
		}
	}
	for name, value := range map[string]string{
		"PIXLAB_STORE":            "memory",
		"PIXLAB_PSP_URL":          "http://127.0.0.1:1", // nobody is there
		"PIXLAB_CALLBACK_URL":     "http://127.0.0.1/hook",
		"PIXLAB_PIX_KEYS":         "loja@example.com, +5511999990000",
		"PIXLAB_CALLBACK_SECRETS": encodedSecret("a", testKeyA) + "," + encodedSecret("b", testKeyB),
		"PIXLAB_ADMIN_TOKEN":      testAdmin,
		"PIXLAB_API_TOKEN":        testAPI,
		"PIXLAB_LISTEN":           "127.0.0.1:0",
		"PIXLAB_ADMIN_LISTEN":     "127.0.0.1:0",
	} {
		t.Setenv(name, value)
	}
}

// watched is a stream that a test can wait on.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	lines chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.text.Write(p)
	select {
	case w.lines <- struct{}{}:
	default:
	}
	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// startedReceiver is "pixlab receiver", running in this process.
type startedReceiver struct {
	err *watched
	at  receiverAddresses
	end chan int
}

func startReceiver(t *testing.T, args ...string) *startedReceiver {
	t.Helper()
	file := filepath.Join(t.TempDir(), "addresses.json")
	s := &startedReceiver{err: &watched{lines: make(chan struct{}, 1)}, end: make(chan int, 1)}
	args = append([]string{"receiver", "--addr-file", file}, args...)
	go func() { s.end <- run(args, strings.NewReader(""), io.Discard, s.err) }()
	deadline := time.After(30 * time.Second)
	for !strings.Contains(s.err.String(), `"listening"`) {
		select {
		case <-s.err.lines:
		case code := <-s.end:
			t.Fatalf("exit code %d: %s", code, s.err)
		case <-deadline:
			t.Fatalf("it does not listen: %s", s.err)
		}
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &s.at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stop sends the signal that a supervisor sends.
func (s *startedReceiver) stop(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-s.end:
		if code != 0 {
			t.Errorf("exit code %d: %s", code, s.err)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("it does not stop: %s", s.err)
	}
}

func callbackTo(t *testing.T, client *http.Client, url, id, key string) (int, error) {
	t.Helper()
	body := []byte(`{"pix":[{"endToEndId":"E1234567820260102120012345678901","valor":"1.00","horario":"2026-01-02T12:00:00.000Z"}]}`)
	req, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(pix.SignatureHeader, pix.Sign(pix.Secret{ID: id, Key: []byte(key)}, time.Now(), body))
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return resp.StatusCode, err
}

func TestReceiverRunsAndStops(t *testing.T) {
	receiverEnvironment(t)
	s := startReceiver(t)
	for _, c := range []struct {
		id, key string
		status  int
	}{{"a", testKeyA, 200}, {"b", testKeyB, 200}, {"a", testKeyB, 401}, {"c", testKeyA, 401}} {
		if got, err := callbackTo(t, http.DefaultClient, s.at.Public+"/hook/pix", c.id, c.key); err != nil || got != c.status {
			t.Errorf("signed by %s: %d %v, want %d", c.id, got, err, c.status)
		}
	}
	req, err := http.NewRequest("GET", s.at.Admin+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdmin)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("/readyz: %d", resp.StatusCode)
	}
	s.stop(t)
	first, _, _ := strings.Cut(s.err.String(), "\n")
	var told map[string]any
	if err := json.Unmarshal([]byte(first), &told); err != nil || told["store"] != "memory" || told["workers"] != "4" {
		t.Errorf("the settings: %v in %s", err, first)
	}
	contains(t, s.err.String(), "FORGETS EVERYTHING", `"stopped"`, `["a","b"]`)
	for _, secret := range []string{testKeyA, testKeyB, testAdmin, testAPI, base64.StdEncoding.EncodeToString([]byte(testKeyA))} {
		if strings.Contains(s.err.String(), secret) {
			t.Errorf("a secret is shown: %s", s.err)
		}
	}
}

func TestReceiverRefusesToStart(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		args []string
		code int
		says string
	}{
		"without a callback secret":                         {set: map[string]string{"PIXLAB_CALLBACK_SECRETS": ""}, code: 2, says: "PIXLAB_CALLBACK_SECRET is missing"},
		"with a secret of no form":                          {set: map[string]string{"PIXLAB_CALLBACK_SECRETS": testKeyA}, code: 2, says: "want id:base64"},
		"with a secret of no base64":                        {set: map[string]string{"PIXLAB_CALLBACK_SECRETS": "a:" + testKeyA + "!"}, code: 2, says: "no base64"},
		"with a short secret":                               {set: map[string]string{"PIXLAB_CALLBACK_SECRET": encodedSecret("c", "short")}, code: 2, says: "16 or more"},
		"with three secrets":                                {set: map[string]string{"PIXLAB_CALLBACK_SECRET": encodedSecret("c", testKeyA)}, code: 2, says: "two at most"},
		"with one id twice":                                 {set: map[string]string{"PIXLAB_CALLBACK_SECRET": encodedSecret("b", testKeyA)}, code: 2, says: "twice"},
		"without the admin token":                           {set: map[string]string{"PIXLAB_ADMIN_TOKEN": ""}, code: 2, says: "PIXLAB_ADMIN_TOKEN"},
		"without the API's token":                           {set: map[string]string{"PIXLAB_API_TOKEN": ""}, code: 2, says: "PIXLAB_API_TOKEN"},
		"with payouts sent after the PSP forgot their keys": {args: []string{"--payout-key-ttl", "1m"}, code: 2, says: "remembers a payout's key"},
		"with a short TTL of keys":                          {args: []string{"--key-ttl", "23h"}, code: 2, says: "--key-ttl"},
		"with a consumer unnamed":                           {set: map[string]string{"PIXLAB_API_TOKENS": testAPI}, code: 2, says: "want consumer:token"},
		"with a consumer twice":                             {set: map[string]string{"PIXLAB_API_TOKENS": "a:" + testAPI + ",a:" + testAPI}, code: 2, says: "twice"},
		"with two of one token":                             {set: map[string]string{"PIXLAB_API_TOKENS": "a:" + testAPI + ",b:" + testAPI}, code: 2, says: "a token of each one's own"},
		"with short keys' windows":                          {args: []string{"--key-window", "5s"}, code: 2, says: "key window"},
		"without a PSP":                                     {set: map[string]string{"PIXLAB_PSP_URL": "", "PIXLAB_PIX_KEYS": ""}, code: 2, says: "--psp-url (PIXLAB_PSP_URL), --pix-keys (PIXLAB_PIX_KEYS)"},
		"with half an OAuth2 client":                        {args: []string{"--token-url", "http://127.0.0.1:1/t", "--client-id", "x"}, code: 2, says: "PIXLAB_CLIENT_SECRET"},
		"with an endpoint unsigned":                         {args: []string{"--endpoint-url", "http://127.0.0.1:1/e"}, code: 2, says: "PIXLAB_ENDPOINT_SECRET"},
		"with a nameless endpoint":                          {args: []string{"--endpoints", "http://127.0.0.1:1/e"}, code: 2, says: "want NAME=VALUE"},
		"with an unsigned endpoint":                         {args: []string{"--endpoints", "books=http://127.0.0.1:1/e"}, code: 2, says: "PIXLAB_ENDPOINT_SECRETS"},
		"without an endpoint as off":                        {args: []string{"--endpoints-off", "books"}, code: 2, says: "no endpoint"},
		"with a URL of no host":                             {args: []string{"--psp-url", "psp"}, code: 2, says: "--psp-url"},
		"with a port of no number":                          {args: []string{"--listen", "here"}, code: 2, says: "--listen"},
		"with an odd time":                                  {set: map[string]string{"PIXLAB_LEASE": "soon"}, code: 2, says: `PIXLAB_LEASE is "soon"`},
		"with an odd number":                                {set: map[string]string{"PIXLAB_WORKERS": "many"}, code: 2, says: `PIXLAB_WORKERS is "many"`},
		"with an odd flag":                                  {set: map[string]string{"PIXLAB_MIGRATE": "perhaps"}, code: 2, says: "true or false"},
		"with a short lease":                                {args: []string{"--lease", "6s"}, code: 2, says: "--lease"},
		"with no such store":                                {args: []string{"--store", "paper"}, code: 2, says: "--store"},
		"without a database":                                {args: []string{"--store", "postgres"}, code: 2, says: "PIXLAB_DATABASE_URL"},
		"with no certificate there":                         {args: []string{"--tls-cert", "nowhere.pem", "--tls-key", "nowhere.pem"}, code: 2, says: "nowhere.pem"},
		"with a CA and no key":                              {args: []string{"--tls-client-ca", "nowhere.pem"}, code: 2, says: "--tls-client-ca"},
	} {
		t.Run(name, func(t *testing.T) {
			receiverEnvironment(t)
			for k, v := range c.set {
				t.Setenv(k, v)
			}
			got := pixlab("", append([]string{"receiver"}, c.args...)...).want(t, c.code)
			contains(t, got.err, c.says)
			if lines := strings.Count(got.err, "\n"); lines != 1 || got.out != "" {
				t.Errorf("%d lines on stderr, %q on stdout:\n%s", lines, got.out, got.err)
			}
			if strings.Contains(got.err, testKeyA) || strings.Contains(got.err, testAdmin) {
				t.Errorf("a secret is shown: %s", got.err)
			}
		})
	}
}

func TestReceiverNeedsItsPort(t *testing.T) {
	receiverEnvironment(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	got := pixlab("", "receiver", "--listen", taken.Addr().String()).want(t, 5)
	if last := lastLine(got.err); !strings.HasPrefix(last, "pixlab: ") || !strings.Contains(last, "in use") {
		t.Errorf("the last line is %q", last)
	}
}

func TestDatabaseNameHidesTheRest(t *testing.T) {
	for url, want := range map[string]string{
		"": "", "postgres://me:secret@db:5432/pix?sslmode=disable&password=x": "db:5432/pix",
		"host=db password=secret": "given", "postgresql://db/pix": "db/pix",
	} {
		if got := databaseName(url); got != want {
			t.Errorf("%q is shown as %q", url, got)
		}
	}
}

func TestMutualTLS(t *testing.T) {
	receiverEnvironment(t)
	certs, others := filepath.Join(t.TempDir(), "certs"), filepath.Join(t.TempDir(), "others")
	for _, dir := range []string{certs, others} {
		pixlab("", "certs", "--dir", dir).want(t, 0).quiet(t)
	}
	in := func(dir, name string) string { return filepath.Join(dir, name) }
	s := startReceiver(t, "--tls-cert", in(certs, "server.pem"), "--tls-key", in(certs, "server-key.pem"), "--tls-client-ca", in(certs, "ca.pem"))
	defer s.stop(t)
	for name, c := range map[string]struct {
		files live.TLSFiles
		in    bool
	}{
		"its client":          {live.TLSFiles{CA: in(certs, "ca.pem"), Cert: in(certs, "client.pem"), Key: in(certs, "client-key.pem")}, true},
		"no certificate":      {live.TLSFiles{CA: in(certs, "ca.pem")}, false},
		"another CA's client": {live.TLSFiles{CA: in(certs, "ca.pem"), Cert: in(others, "client.pem"), Key: in(others, "client-key.pem")}, false},
		"a server as client":  {live.TLSFiles{CA: in(certs, "ca.pem"), Cert: in(certs, "server.pem"), Key: in(certs, "server-key.pem")}, false},
		"another CA trusted":  {live.TLSFiles{CA: in(others, "ca.pem"), Cert: in(certs, "client.pem"), Key: in(certs, "client-key.pem")}, false},
	} {
		config, err := live.ClientTLS(c.files)
		if err != nil {
			t.Fatal(err)
		}
		client := live.NewClient(config)
		status, err := callbackTo(t, client, s.at.Public+"/hook/pix", "a", testKeyA)
		if ok := err == nil && status == 200; ok != c.in {
			t.Errorf("%s: %d, %v", name, status, err)
		}
		client.CloseIdleConnections()
	}
	old := live.NewClient(&tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11})
	if _, err := callbackTo(t, old, s.at.Public+"/hook/pix", "a", testKeyA); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
}
