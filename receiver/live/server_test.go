package live_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver/live"
)

// serve runs a server with a handler until the test's end.
func serve(t *testing.T, handler http.HandlerFunc, change func(*live.ServerConfig)) (addr string) {
	t.Helper()
	cfg := live.ServerConfig{Name: "test", Addr: "127.0.0.1:0", Handler: handler}
	if change != nil {
		change(&cfg)
	}
	s, err := live.Listen(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Serve: %v", err)
		}
	})
	return s.Addr().String()
}

// dial opens a connection that gives up long after any limit.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// answerTo sends raw text and reads all that comes back until the end.
func answerTo(t *testing.T, addr, text string) string {
	t.Helper()
	c := dial(t, addr)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatalf("the server did not close: %v (after %q)", err, got)
	}
	return string(got)
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func TestAHeaderThatNeverEndsIsCutOff(t *testing.T) {
	t.Parallel()
	var served atomic.Bool
	addr := serve(t, func(http.ResponseWriter, *http.Request) { served.Store(true) },
		func(c *live.ServerConfig) { c.ReadHeaderTimeout = 50 * time.Millisecond })
	answerTo(t, addr, "POST /pix HTTP/1.1\r\nHost: us\r\nX-Slow: ")
	if served.Load() {
		t.Error("it was served")
	}
}

func TestABodyThatNeverComesEndsInAnError(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	addr := serve(t, func(_ http.ResponseWriter, req *http.Request) {
		_, err := io.ReadAll(req.Body)
		read <- err
	}, func(c *live.ServerConfig) { c.ReadTimeout = 50 * time.Millisecond })
	answerTo(t, addr, "POST /pix HTTP/1.1\r\nHost: us\r\nContent-Length: 100\r\n\r\n{")
	if err := await(t, read, "the handler"); err == nil {
		t.Error("the body was read")
	}
}

func TestAHeaderTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	addr := serve(t, ok, func(c *live.ServerConfig) { c.MaxHeaderBytes = 1 << 10 })
	got := answerTo(t, addr, "GET / HTTP/1.1\r\nHost: us\r\nX-Large: "+strings.Repeat("x", 16<<10)+"\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("answered %q", got)
	}
}

func TestMoreConnectionsThanTheLimitWaitTheirTurn(t *testing.T) {
	t.Parallel()
	const limit, callers = 3, 20
	var inside, most atomic.Int64
	entered, free := make(chan struct{}, callers), make(chan struct{})
	addr := serve(t, func(http.ResponseWriter, *http.Request) {
		n := inside.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		entered <- struct{}{}
		<-free
		inside.Add(-1)
	}, func(c *live.ServerConfig) { c.MaxConns = limit })
	answers := make(chan error, callers)
	for range callers {
		c := dial(t, addr)
		go func() {
			_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: us\r\nConnection: close\r\n\r\n")
			if err == nil {
				_, err = http.ReadResponse(bufio.NewReader(c), nil)
			}
			answers <- err
		}()
	}
	for range limit {
		await(t, entered, "a request within the limit")
	}
	close(free)
	for range callers {
		if err := await(t, answers, "an answer"); err != nil {
			t.Error(err)
		}
	}
	if most.Load() != limit {
		t.Errorf("%d connections at once, want %d", most.Load(), limit)
	}
}

func TestAPanicOfAHandlerIsA500(t *testing.T) {
	t.Parallel()
	var told atomic.Int64
	addr := serve(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/half" {
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write([]byte("half of"))
		}
		panic("out of order")
	}, func(c *live.ServerConfig) { c.Panicked = func() { told.Add(1) } })
	// A POST, since a client may repeat a GET whose connection broke.
	resp, err := http.Post("http://"+addr+"/", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 500 || strings.Contains(string(body), "out of order") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	// A half answer must not look like a whole one.
	if resp, err := http.Post("http://"+addr+"/half", "", nil); err == nil {
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("half an answer was taken for a whole one")
		}
		resp.Body.Close()
	}
	if told.Load() != 2 {
		t.Errorf("told of %d panics", told.Load())
	}
}

func TestAHandlerHasADeadline(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(w http.ResponseWriter, req *http.Request) {
		<-req.Context().Done()
		fmt.Fprint(w, req.Context().Err())
	}, func(c *live.ServerConfig) { c.HandlerTimeout = 10 * time.Millisecond })
	resp, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != context.DeadlineExceeded.Error() {
		t.Errorf("the handler ended with %q", body)
	}
}

func TestStoppingAServerLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	entered, free := make(chan struct{}), make(chan struct{})
	s, err := live.Listen(t.Context(), live.ServerConfig{Addr: "127.0.0.1:0", Grace: patience, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			close(entered)
			<-free
			fmt.Fprint(w, "whole")
		})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan string, 1)
	go func() { ended <- s.Serve(ctx) }()
	go func() {
		resp, err := http.Get("http://" + s.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answered <- string(body)
	}()
	await(t, entered, "the request")
	stop()
	close(free)
	if got := await(t, answered, "the answer"); got != "whole" {
		t.Errorf("answered %q", got)
	}
	if err := await(t, ended, "the end of Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestAPortThatIsTakenIsAnError(t *testing.T) {
	t.Parallel()
	addr := serve(t, ok, nil)
	if s, err := live.Listen(t.Context(), live.ServerConfig{Addr: addr}); err == nil {
		t.Errorf("listens at %s", s.Addr())
	} else if !strings.Contains(err.Error(), addr) {
		t.Error(err)
	}
}
