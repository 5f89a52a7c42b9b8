package live_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestRequestsAreReadStrictly wants each fault of a merchant's body named in the
// caller's terms.
func TestRequestsAreReadStrictly(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	for _, c := range []struct {
		route, body string
		status      int
		says        string
	}{
		{"/charges", `{"reference":"s1","kind":"static","expires":60}`, 400, `\"expires\": this request has no such member`},
		{"/refunds", `{"reference":"s1","amount":"1.00","endToEndID":"E1","reason":"x"}`, 400, `\"reason\": this request has no such member`},
		{"/payouts", `{"reference":"s1","amount":"1.00","key":"x"}`, 400, `\"key\": this request has no such member`},
		{"/charges", `[]`, 400, "the body is of type array; want a JSON object"},
		{"/charges", `{"reference":7}`, 400, "reference: a number does not fit"},
		{"/charges", ``, 400, "the body is empty"},
		{"/charges", `{"reference":"s1"`, 400, "the body ends early"},
		{"/charges", `{"reference":"s1","kind":"static"} {}`, 400, "one JSON object and nothing after it"},
		{"/charges", strings.Repeat(" ", 1<<17), 413, "the body is too large"},
	} {
		status, text, _ := exchange(t, "POST", r.public+c.route, keyed(apiToken, "key-1"), []byte(c.body))
		if status != c.status || !strings.Contains(string(text), c.says) {
			t.Errorf("%s %.60q: %d %s, want %d and %q", c.route, c.body, status, text, c.status, c.says)
		}
	}
	zipped := keyed(apiToken, "key-1")
	zipped.Set("Content-Encoding", "gzip")
	if status, text, _ := exchange(t, "POST", r.public+"/charges", zipped, []byte(`{"reference":"s1","kind":"static"}`)); status != 415 {
		t.Errorf("compressed: %d %s", status, text)
	}
}

// TestAnotherMethodIsToldTheRightOnes wants 405 with Allow, and only where
// somebody is let in.
func TestAnotherMethodIsToldTheRightOnes(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	for _, c := range []struct{ method, path, allow string }{
		{"DELETE", "/charges", "POST"}, {"PUT", "/charges/s1", "DELETE, GET"}, {"POST", "/refunds/s1", "GET"}, {"GET", "/payouts", "POST"},
	} {
		status, _, header := exchange(t, c.method, r.public+c.path, shown(apiToken), nil)
		if got := header.Get("Allow"); status != 405 || got != c.allow {
			t.Errorf("%s %s: %d, Allow %q; want 405, %q", c.method, c.path, status, got, c.allow)
		}
		if status, _, header := exchange(t, c.method, r.public+c.path, nil, nil); status != 401 || header.Get("Allow") != "" {
			t.Errorf("%s %s of a stranger: %d, Allow %q; want 401 and no more", c.method, c.path, status, header.Get("Allow"))
		}
	}
}

// TestAdminPathsAreTakenAsTheyStand wants no redirect to what the caller did not
// ask for.
func TestAdminPathsAreTakenAsTheyStand(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	for _, path := range []string{"//admin/cases", "/admin//cases", "/admin/./cases", "/admin/x/../cases"} {
		if status, text, _ := exchange(t, "GET", r.admin+path, shown(adminToken), nil); status != 404 {
			t.Errorf("%s: %d %s, want 404", path, status, text)
		}
		if status, _, _ := exchange(t, "GET", r.admin+path, nil, nil); status != 401 {
			t.Errorf("%s of a stranger: %d, want 401", path, status)
		}
	}
}

// TestARefusalReachesWhoIsStillSending sends a whole body, larger than what lies
// ready between two ends of a connection, before it looks for the answer.
func TestARefusalReachesWhoIsStillSending(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) }, nil)
	c := dial(t, addr)
	const size = 8 << 20
	if _, err := io.WriteString(c, "POST /pix HTTP/1.1\r\nHost: us\r\nContent-Length: 8388608\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if n, err := io.WriteString(c, strings.Repeat("x", size)); err != nil {
		t.Fatalf("after %d bytes: %v", n, err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %+v, %v; want 413", resp, err)
	}
}
