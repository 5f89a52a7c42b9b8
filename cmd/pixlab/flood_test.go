package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// floodFor is how long the flood lasts: three seconds, or PIXLAB_FLOOD.
func floodFor(t *testing.T) time.Duration {
	t.Helper()
	text, ok := os.LookupEnv("PIXLAB_FLOOD")
	if !ok {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > time.Minute {
		t.Fatalf("PIXLAB_FLOOD is %q; want a time such as 30s, a minute at most", text)
	}
	return d
}

// Whatever comes over the wire for a while, the receiver keeps within its
// memory, loses nothing that it acknowledged, and answers honest callbacks as
// soon as it is over.
func TestFlood(t *testing.T) {
	b := besiege(t, builtPixlab(t), "http://127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), floodFor(t))
	defer cancel()
	var all sync.WaitGroup
	counts := map[string]*atomic.Int64{}
	for name, kind := range floods() {
		counts[name] = &atomic.Int64{}
		all.Go(func() {
			for ctx.Err() == nil {
				kind(ctx, b)
				counts[name].Add(1)
			}
		})
	}
	acknowledged, refused := 0, 0
	var ids []string
	for ctx.Err() == nil {
		items, mine := b.items(3)
		if status, err := b.post(ctx, callbackBody(items), testKeyA); err == nil && status == http.StatusOK {
			acknowledged++
			ids = append(ids, mine...)
		} else {
			refused++
		}
	}
	all.Wait()
	for name, n := range counts {
		if n.Load() == 0 {
			t.Errorf("no %s came", name)
		}
		t.Logf("%s: %d", name, n.Load())
	}
	for range 100 {
		items, mine := b.items(3)
		if status, err := b.post(t.Context(), callbackBody(items), testKeyA); err != nil || status != http.StatusOK {
			t.Fatalf("an honest callback after the flood: %d, %v\n%s", status, err, b.said)
		}
		ids = append(ids, mine...)
	}
	t.Logf("honest callbacks during the flood: %d acknowledged, %d not", acknowledged, refused)
	if got := b.stored(ids); got != len(ids) {
		t.Errorf("%d of %d acknowledged Pix are stored", got, len(ids))
	}
	if got := len(b.inbox()); got > b.pixs {
		t.Errorf("%d events of %d Pix: something of the flood was taken in", got, b.pixs)
	}
	b.keptWithin()
	b.stop()
}

// floods are the kinds of a flood: each is called again and again, and ends by
// itself.
func floods() map[string]func(context.Context, *besieged) {
	bomb := gzipBomb()
	return map[string]func(context.Context, *besieged){
		"dropped connection": func(_ context.Context, b *besieged) {
			if c := b.dial(); c != nil {
				_ = c.(*net.TCPConn).SetLinger(0) // a reset, not a good-bye
				c.Close()
			}
		},
		"slow-loris":   slowLoris,
		"body of a GB": func(ctx context.Context, b *besieged) { b.pour(ctx, 1<<30, "") },
		"chunked GB":   func(ctx context.Context, b *besieged) { b.pour(ctx, -1, "") },
		"gzip bomb":    func(ctx context.Context, b *besieged) { b.throw(ctx, bomb, "gzip") },
		"garbage":      garbage,
		"wrong signature": func(ctx context.Context, b *besieged) {
			_, _ = b.post(ctx, callbackBody([]string{`{"endToEndId":"x"}`}), testKeyB)
		},
		"signed nonsense": func(ctx context.Context, b *besieged) { _, _ = b.post(ctx, []byte(`{"pix":[{"valor":[[[[`), testKeyA) },
		"endless header":  endlessHeader,
		"deep nesting":    func(ctx context.Context, b *besieged) { _, _ = b.post(ctx, bytes.Repeat([]byte("["), 1<<19), testKeyA) },
		"half of a request": func(_ context.Context, b *besieged) {
			b.say("POST /hook/pix HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
		},
	}
}

// gzipBomb is a MB that becomes a GB: the members of a file of zeros, one after
// the other.
func gzipBomb() []byte {
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Close()
	return bytes.Repeat(member.Bytes(), 1024)
}

func (b *besieged) dial() net.Conn {
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(b.at.Public, "http://"), 10*time.Second)
	if err != nil {
		return nil
	}
	return c
}

// say sends a text on a connection of its own and goes.
func (b *besieged) say(text string) {
	if c := b.dial(); c != nil {
		_, _ = io.WriteString(c, text)
		c.Close()
	}
}

// slowLoris sends headers on fifty connections, a line each tenth of a second.
func slowLoris(ctx context.Context, b *besieged) {
	var conns []net.Conn
	for range 50 {
		if c := b.dial(); c != nil {
			defer c.Close()
			conns = append(conns, c)
			_, _ = io.WriteString(c, "POST /hook/pix HTTP/1.1\r\nHost: x\r\n")
		}
	}
	line := time.NewTicker(100 * time.Millisecond)
	defer line.Stop()
	for n := range 20 {
		select {
		case <-line.C:
		case <-ctx.Done():
			return
		}
		for _, c := range conns {
			_, _ = fmt.Fprintf(c, "X-%d: a\r\n", n)
		}
	}
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// pour sends zeros until the receiver has enough; -1 sends them in chunks.
func (b *besieged) pour(ctx context.Context, length int64, encoding string) {
	b.request(ctx, io.LimitReader(zeros{}, 1<<30), length, encoding)
}

func (b *besieged) throw(ctx context.Context, body []byte, encoding string) {
	b.request(ctx, bytes.NewReader(body), int64(len(body)), encoding)
}

func (b *besieged) request(ctx context.Context, body io.Reader, length int64, encoding string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.at.Public+"/hook/pix", body)
	if err != nil {
		return
	}
	req.ContentLength = length
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	if resp, err := b.client.Do(req); err == nil {
		resp.Body.Close()
	}
}

// garbage is no HTTP at all.
func garbage(_ context.Context, b *besieged) {
	b.say(strings.Repeat("\x16\x03\x01\xff\x00", 2000))
}

// endlessHeader is a header of ten MB.
func endlessHeader(_ context.Context, b *besieged) {
	b.say("POST /hook/pix HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 10<<20))
}
