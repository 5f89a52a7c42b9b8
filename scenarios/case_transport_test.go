package scenarios_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// manyPix pays so many Pix and returns them with the items that tell of them.
func (l *lab) manyPix(n int) ([]pix.Payment, []string) {
	l.t.Helper()
	paid := l.twins(l.code("BALCAO", ""), n)
	items := make([]string, n)
	for i, p := range paid {
		items[i] = l.itemOf(p)
	}
	return paid, items
}

// From the field: a body larger than a default limit of the framework was
// answered with an error for ever, or cut and half of it booked.

func TestCallbackOfAThousandPixIsTakenWhole(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	paid, items := l.manyPix(1000)
	l.callback(http.StatusOK, body(items...))
	l.rest()
	l.settled("BALCAO", "1000.00", false)
	booked := map[pix.EndToEndID]pix.Amount{}
	for _, c := range l.mem.Dump().Payments {
		booked[c.After.EndToEndID] = c.After.Amount
	}
	for _, p := range paid {
		if booked[p.EndToEndID] != p.Amount {
			t.Fatalf("Pix %s is booked with %s, want %s", p.EndToEndID, booked[p.EndToEndID], p.Amount)
		}
	}
}

// What is over a limit is refused as a whole with 413, and comes by the sweep.
func TestCallbackOverALimitIsRefusedAndItsPixAreSwept(t *testing.T) {
	for name, n := range map[string]int{"too many items": 1001, "too many bytes": 10_000} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{psp: noRetries})
			_, items := l.manyPix(n)
			l.callback(http.StatusRequestEntityTooLarge, body(items...))
			l.untouched()
			l.sweep()
			l.settled("BALCAO", pix.Amount(100*n).String(), false)
			l.ledgerIsStatement()
		})
	}
}

// The same size in spaces: the limit counts bytes, not Pix.
func TestCallbackPaddedOverTheLimitIsRefused(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries, receiver: func(c *receiver.Config) { c.MaxBody = 4096 }})
	p := l.pay(l.sale("PED-1", "10.00"), "10.00")
	said := body(l.itemOf(p))
	pad := func(size int) string { return said + strings.Repeat(" ", size-len(said)) }
	l.callback(http.StatusRequestEntityTooLarge, pad(4097))
	l.untouched()
	l.callback(http.StatusOK, pad(4096))
	l.rest()
	l.credited(p.EndToEndID, "10.00")
}

// untouched wants an empty inbox and ledger.
func (l *lab) untouched() {
	l.t.Helper()
	l.rest()
	if n := len(l.events()); n != 0 {
		l.t.Errorf("%d events, want none", n)
	}
	l.holds(receiver.AccountSettlement, "0.00")
}

func TestCallbackCutInTheMiddleCreditsNothing(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	_, items := l.manyPix(1000)
	whole := body(items...)
	cut := whole[:strings.Index(whole, items[499])+len(items[499])/2]
	l.callback(http.StatusBadRequest, cut)
	l.callback(http.StatusBadRequest, whole[:len(whole)-1])
	l.untouched()
	l.endOfDay()
	l.settled("BALCAO", "1000.00", false)
}

// wirePost sends a request over a socket, byte for byte as given, and returns
// the status. hangUp closes the sending side behind it, as a sender does that
// dies; the server takes that for the end of its interest.
func wirePost(t *testing.T, h http.Handler, request string, hangUp bool) int {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if hangUp {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// rawRequest is a callback as it goes over the wire, of the length announced.
func (l *lab) rawRequest(target string, length int, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: receiver.lab\r\nContent-Length: %d\r\n%s: %s\r\nConnection: close\r\n\r\n%s",
		target, length, pix.SignatureHeader, pix.Sign(labSecret(), l.clock.Now(), []byte(body)), body)
}

// A length that is not the body's: too large a one leaves the body short, 400;
// of too small a one only the first bytes are the body, and those are not what
// was signed, 401.
func TestCallbackOfAnotherLengthThanAnnouncedCreditsNothing(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	p := l.pay(l.sale("PED-1", "10.00"), "10.00")
	said := body(l.itemOf(p))
	request := func(length int) string { return l.rawRequest("/pix", length, said) }
	for _, c := range []struct{ length, want int }{
		{len(said) + 1, http.StatusBadRequest}, {len(said) + 100_000, http.StatusBadRequest},
		{len(said) - 1, http.StatusUnauthorized}, {10, http.StatusUnauthorized}, {0, http.StatusUnauthorized},
		{1 << 30, http.StatusRequestEntityTooLarge},
	} {
		if got := wirePost(t, l.receivers[0].Handler(), request(c.length), c.length > len(said)); got != c.want {
			t.Errorf("Content-Length %d of %d bytes: got %d, want %d", c.length, len(said), got, c.want)
		}
	}
	l.untouched()
	if got := wirePost(t, l.receivers[0].Handler(), request(len(said)), false); got != http.StatusOK {
		t.Errorf("the right length: got %d, want 200", got)
	}
	l.rest()
	l.credited(p.EndToEndID, "10.00")
}

// An announced length that the handler itself finds untrue.
func TestBodyShorterThanAnnouncedIsRefusedByTheHandlerToo(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	p := l.pay(l.sale("PED-1", "10.00"), "10.00")
	l.callback(http.StatusBadRequest, body(l.itemOf(p)), func(req *http.Request) { req.ContentLength++ })
	l.callback(http.StatusBadRequest, body(l.itemOf(p)), func(req *http.Request) { req.ContentLength-- })
	l.untouched()
}

// endless is a body without an end that counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, "\n \t ")
	for n < len(b) {
		n += copy(b[n:], b[:n])
	}
	e.read += int64(len(b))
	return len(b), nil
}

// From the field: a few kilobytes unpacked to a gigabyte, in memory. A compressed body is
// refused unread, one that only looks like it is no JSON, and one without an
// end is read up to the limit.
func TestMemoryStaysBoundedWhateverIsSent(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(z, &endless{}, 16<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, encoding := range []string{"gzip", "deflate", "br", "gzip, gzip", "GZIP"} {
		body := &endless{}
		l.callback(http.StatusUnsupportedMediaType, bomb.String(), func(req *http.Request) {
			req.Header.Set("Content-Encoding", encoding)
			req.Body, req.ContentLength = io.NopCloser(body), -1
		})
		if body.read != 0 {
			t.Errorf("%d bytes of a body in %s were read", body.read, encoding)
		}
	}
	l.callback(http.StatusBadRequest, bomb.String())

	forever := &endless{}
	l.callback(http.StatusRequestEntityTooLarge, "", func(req *http.Request) {
		req.Body, req.ContentLength = io.NopCloser(forever), -1
	})
	if most := int64(2 << 20); forever.read > most {
		t.Errorf("%d bytes of an endless body were read, want at most %d", forever.read, most)
	}
	l.untouched()
}

// From the field: the PSP appends /pix to the URL it was given, whatever that
// looks like, and the server answered with a redirect that no PSP follows.
func TestNoFormOfTheCallbackURLLosesAnEvent(t *testing.T) {
	for _, target := range []string{
		"/pix", "/pix/", "//pix", "//pix/", "///pix", "/pix//", "/%70ix",
		"/", "//", "/?x=1", "/?x=1/pix", "/pix?x=1", "/pix?x=1/pix", "/?hmac=abc&ignorar=/pix", "/callbacks?x=1/pix",
	} {
		t.Run(target, func(t *testing.T) {
			l := newLab(t, labOptions{psp: noRetries})
			one, two := l.pay(l.sale("PED-1", "10.00"), "10.00"), l.pay(l.sale("PED-2", "20.00"), "20.00")
			if rec := l.send(0, target, body(l.itemOf(one))); rec.Code != http.StatusOK {
				t.Errorf("in process: got %d %q, want 200", rec.Code, rec.Header().Get("Location"))
			}
			said := body(l.itemOf(two))
			request := l.rawRequest(target, len(said), said)
			if got := wirePost(t, l.receivers[0].Handler(), request, false); got != http.StatusOK {
				t.Errorf("over a socket: got %d, want 200", got)
			}
			l.rest()
			l.credited(one.EndToEndID, "10.00")
			l.credited(two.EndToEndID, "20.00")
		})
	}
}

// Other methods and other paths take nothing, and redirect nobody either.
func TestOtherRequestsAreAnsweredWithoutARedirect(t *testing.T) {
	l := newLab(t, labOptions{})
	for _, c := range []struct {
		method, target string
		want           int
	}{
		{http.MethodGet, "/pix", http.StatusMethodNotAllowed}, {http.MethodPut, "/pix/", http.StatusMethodNotAllowed},
		{http.MethodGet, "/", http.StatusMethodNotAllowed}, {http.MethodPost, "/pixx", http.StatusNotFound},
		{http.MethodPost, "/a/../b", http.StatusNotFound}, {http.MethodPost, "/charges/", http.StatusNotFound},
	} {
		if rec := l.call(c.method, c.target, ""); rec.Code != c.want {
			t.Errorf("%s %s: got %d, want %d", c.method, c.target, rec.Code, c.want)
		}
	}
}
