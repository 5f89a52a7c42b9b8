package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
)

// pspProcess is "pixlab psp" as a process of its own.
func pspProcess(t *testing.T, binary string, args ...string) (at live.Addresses, lab *live.Client) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "addresses.json")
	cmd := exec.Command(binary, append([]string{"psp", "--addr-file", file}, args...)...)
	cmd.Env = append(os.Environ(),
		"PIXLAB_PIX_KEYS=loja@example.com", "PIXLAB_CALLBACK_SECRET="+encodedSecret("a", testKeyA), "PIXLAB_CLIENT_ID=loja",
		"PIXLAB_CLIENT_SECRET=the-secret-of-the-shop", "PIXLAB_LAB_TOKEN=the-token-of-the-lab")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	at = addressesIn(t, file, ended)
	return at, &live.Client{URL: at.Lab, Token: "the-token-of-the-lab"}
}

// Of bodies larger, longer, shorter or other than they may be nothing is
// credited; their Pix come by the sweep. The largest that may be is taken.
func TestBodiesAtAndOverTheLimits(t *testing.T) {
	binary := builtPixlab(t)
	at, lab := pspProcess(t, binary)
	b := besiege(t, binary, at.API, "PIXLAB_TOKEN_URL="+at.API+"/oauth/token", "PIXLAB_CLIENT_ID=loja",
		"PIXLAB_CLIENT_SECRET=the-secret-of-the-shop", "PIXLAB_SWEEP_EVERY=1s", "PIXLAB_PAGE_SIZE=500")
	tooMany, _ := b.items(10_000)
	cut := callbackBody(tooMany[:1000])
	cut = cut[:len(cut)/2]
	for name, c := range map[string]struct {
		body   []byte
		key    string
		status int
	}{
		"10,000 Pix are too many bytes":     {callbackBody(tooMany), testKeyA, http.StatusRequestEntityTooLarge},
		"1,001 Pix are too many":            {callbackBody(tooMany[:1001]), testKeyA, http.StatusRequestEntityTooLarge},
		"JSON cut in the 500th Pix is none": {cut, testKeyA, http.StatusBadRequest},
	} {
		if got, err := b.post(t.Context(), c.body, c.key); err != nil || got != c.status {
			t.Errorf("%s: %d, %v; want %d", name, got, err, c.status)
		}
	}
	whole := callbackBody(tooMany[:3])
	for name, length := range map[string]int{"too long": len(whole) + 100, "too short": len(whole) - 10} {
		if status := b.raw(whole, length, ""); status != "" && !strings.HasPrefix(status, "HTTP/1.1 4") {
			t.Errorf("a body said to be %s: %s", name, status)
		}
	}
	if status := b.raw(gzipBomb(), 0, "Content-Encoding: gzip\r\n"); status != "" && !strings.HasPrefix(status, "HTTP/1.1 4") {
		t.Errorf("a gzip bomb: %s", status)
	}
	if got := len(b.inbox()); got != 0 {
		t.Fatalf("%d events came of it", got)
	}

	b.pixs = 20_000
	items, ids := b.items(2_001)
	orders := make([]live.PayOrder, len(ids))
	for i, id := range ids {
		orders[i] = live.PayOrder{EndToEndID: pix.EndToEndID(id), PixKey: "loja@example.com", AmountCents: 100}
	}
	if _, err := lab.Pay(t.Context(), orders...); err != nil {
		t.Fatal(err)
	}
	if got, err := b.post(t.Context(), callbackBody(items[:1000]), testKeyA); err != nil || got != http.StatusOK {
		t.Errorf("1,000 Pix: %d, %v", got, err)
	}
	if got, err := b.post(t.Context(), callbackBody(items[1000:]), testKeyA); err != nil || got != http.StatusRequestEntityTooLarge {
		t.Errorf("1,001 Pix: %d, %v", got, err)
	}
	eventually(t, "all Pix are credited", func() bool { return b.credited(ids) == len(ids) })
	b.keptWithin()
	b.stop()
}

// credited counts which of the Pix are booked.
func (b *besieged) credited(ids []string) (n int) {
	b.t.Helper()
	in := make([]pix.EndToEndID, len(ids))
	for i, id := range ids {
		in[i] = pix.EndToEndID(id)
	}
	found, err := b.store.FindPayments(b.t.Context(), in)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range found {
		if p != nil {
			n++
		}
	}
	return n
}

// raw sends a signed body under a length of its own choice, and no more; it
// gives the first line of the answer, nothing if the line was cut.
func (b *besieged) raw(body []byte, length int, header string) string {
	b.t.Helper()
	c := b.dial()
	if c == nil {
		b.t.Fatal("the receiver does not take a connection")
	}
	defer c.Close()
	if length == 0 {
		length = len(body)
	}
	signature := pix.Sign(pix.Secret{ID: "a", Key: []byte(testKeyA)}, time.Now(), body)
	_, _ = fmt.Fprintf(c, "POST /hook/pix HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s: %s\r\n%sContent-Length: %d\r\n\r\n",
		pix.SignatureHeader, signature, header, length)
	_, _ = c.Write(body)
	_ = c.(*net.TCPConn).CloseWrite()
	answer := make([]byte, 64)
	n, _ := c.Read(answer)
	first, _, _ := strings.Cut(string(answer[:n]), "\r\n")
	return first
}
