package scenarios_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// pageOf has the receiver ask for so many rows a page.
func pageOf(n int) func(*receiver.Config) {
	return func(c *receiver.Config) { c.PageSize = n }
}

// twins pays so many Pix of one horario to a code, and loses their callbacks.
func (l *lab) twins(code pix.TxID, n int) []pix.Payment {
	l.t.Helper()
	var out []pix.Payment
	for range n {
		out = append(out, l.pay(code, "1.00"))
	}
	l.lose()
	return out
}

// creditedAll wants each Pix to be credited once, with what was paid.
func (l *lab) creditedAll(paid []pix.Payment) {
	l.t.Helper()
	wrong := 0
	for _, p := range paid {
		if got := l.credits(p.EndToEndID); len(got) != 1 || got[0] != p.Amount {
			wrong++
		}
	}
	if wrong > 0 {
		l.t.Errorf("%d of %d Pix are not credited once with what was paid", wrong, len(paid))
	}
}

// onPage runs do once, before the request for a page of the list of Pix leaves,
// and lets bend change the answer.
func (l *lab) onPage(n int, do func(), bend func([]byte) []byte) {
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if req.URL.Path != "/v2/pix" || req.URL.Query().Get("paginacao.paginaAtual") != fmt.Sprint(n) {
			return call()
		}
		l.meet = nil
		do()
		resp, err := call()
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(bytes.NewReader(bend(raw)))
		return resp, err
	}
}

func unbent(raw []byte) []byte { return raw }

// From the field: rows of one instant had no fixed order, and pages that were
// read one after another lost some and showed others twice.
func TestManyPixOfOneInstantAreSweptOnceEach(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries, receiver: pageOf(40)})
	paid := l.twins(l.code("BALCAO", ""), 156)
	l.sweep()
	l.creditedAll(paid)
	l.settled("BALCAO", "156.00", false)
	l.endOfDay()
}

// The PSP's order is total: (horario, endToEndId), on every page alike.
func TestPagesFollowOneTotalOrder(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	l.twins(l.code("BALCAO", ""), 156)
	last, seen := pix.EndToEndID(""), 0
	for page := range 4 {
		for _, p := range l.list(fmt.Sprintf("&paginacao.itensPorPagina=40&paginacao.paginaAtual=%d", page)) {
			if p.EndToEndID <= last {
				t.Errorf("page %d: %s comes after %s", page, p.EndToEndID, last)
			}
			last, seen = p.EndToEndID, seen+1
		}
	}
	if seen != 156 {
		t.Errorf("four pages hold %d rows, want 156", seen)
	}
}

// Five Pix of the same instant arrive between page 0 and page 1: three sort
// before the edge between them and move it, two behind.
func TestPixThatArriveBetweenTwoPagesAreFoundOnce(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries, receiver: pageOf(40)})
	code := l.code("BALCAO", "")
	paid := l.twins(code, 156)
	var late []pix.Payment
	l.onPage(1, func() {
		for _, suffix := range []string{"00000000000", "0000000000A", "0000000000B", "zzzzzzzzzzy", "zzzzzzzzzzz"} {
			id := paid[0].EndToEndID[:21] + pix.EndToEndID(suffix)
			late = append(late, l.pay(code, "1.00", as(id)))
		}
		l.lose()
	}, unbent)
	l.sweep()
	if len(late) != 5 {
		t.Fatal("page 1 was never asked for")
	}
	l.creditedAll(paid)
	for _, p := range late[3:] {
		l.credited(p.EndToEndID, "1.00") // behind the edge: this sweep still sees them
	}
	l.sweep()
	l.creditedAll(late)
	l.settled("BALCAO", "161.00", false)
	l.endOfDay()
}

// A row that leaves the list while it is read pulls another one over the edge,
// onto a page that was read already. The overlap of the next sweep finds it.
func TestPixThatSlippedBetweenTwoPagesIsFoundByTheNextSweep(t *testing.T) {
	const minute = 60 * 1000
	l := newLab(t, labOptions{
		psp: noRetries, receiver: pageOf(40),
		faults: []chaos.Deviation{{
			Kind: "page_shift", Set: chaos.Change{Shift: true},
			Target: chaos.Target{Window: &chaos.Window{Place: chaos.PlaceList, ToMS: minute}},
		}},
	})
	paid := l.twins(l.code("BALCAO", ""), 156)
	l.clock.advance(time.Second)
	l.sweep()
	missed := 0
	for _, p := range paid {
		if len(l.credits(p.EndToEndID)) == 0 {
			missed++
		}
	}
	if missed == 0 {
		t.Error("no row slipped through: this test proves nothing")
	}
	l.sweep()
	l.creditedAll(paid)
	l.endOfDay()
}

// A Pix that stood on page 0 stands on page 1 again, with a refund by now.
func TestPixThatGainsARefundWhileItIsListedIsCreditedOnce(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries, receiver: pageOf(40)})
	paid := l.twins(l.code("BALCAO", ""), 156)
	refunded := l.itemOf(paid[7], `,"devolucoes":[{"id":"D1","rtrId":"D9999900820260302120000000000001",`+
		`"valor":"0.50","status":"EM_PROCESSAMENTO"}]`)
	l.onPage(1, func() {}, func(raw []byte) []byte {
		return bytes.Replace(raw, []byte(`"pix":[`), []byte(`"pix":[`+refunded+`,`), 1)
	})
	l.sweep()
	l.creditedAll(paid)
	l.settled("BALCAO", "156.00", false)
}

// A walk that breaks off begins again and loses nothing: the watermark moves
// after the last page.
func TestSweepThatBreaksOffIsWalkedAgain(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries, receiver: pageOf(40)})
	paid := l.twins(l.code("BALCAO", ""), 156)
	l.clock.advance(time.Second)
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if strings.Contains(req.URL.RawQuery, "paginaAtual=2") {
			l.meet = nil
			return nil, errCut
		}
		return call()
	}
	if err := l.step("sweep"); err == nil {
		t.Fatal("a sweep that was cut counts as done")
	}
	l.sweep()
	l.creditedAll(paid)
	l.endOfDay()
}

// The statement is walked by a cursor, which lines that arrive neither move nor
// repeat.
func TestStatementPagesNeitherLoseNorRepeatLines(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	code := l.code("BALCAO", "")
	l.twins(code, 25)
	seen, cursor := map[pix.EndToEndID]int{}, ""
	for page := 0; ; page++ {
		var got pix.StatementPage
		reply := l.ask(http.MethodGet, "/extrato?limit=10&cursor="+cursor, "")
		if err := got.UnmarshalJSON(reply.Body); err != nil {
			t.Fatal(err)
		}
		for _, line := range got.Lines {
			seen[line.EndToEndID]++
		}
		if page == 0 {
			l.pay(code, "1.00", func(o *fakepsp.PayOrder) { o.EndToEndID = "E" + o.EndToEndID[1:21] + "00000000000" })
		}
		if cursor = got.Next; cursor == "" {
			break
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("line %s came %d times", id, n)
		}
	}
	if len(seen) < 25 {
		t.Errorf("%d lines, want at least the 25 that were there", len(seen))
	}
}
