package scenarios_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: the offset in a time filter was ignored. One instant, written
// in five ways, asks the same question; without a zone it is no instant, and is
// refused rather than guessed.
func TestOneInstantInAnyOffsetAsksForTheSamePix(t *testing.T) {
	l := newLab(t, labOptions{})
	code := l.code("BALCAO", "")
	before := l.pay(code, "1.00")
	l.clock.advance(time.Second)
	first := l.pay(code, "2.00") // at 12:00:01 UTC
	l.clock.advance(time.Second)
	last := l.pay(code, "3.00")
	ask := func(inicio, fim string) (int, string) {
		reply := l.ask(http.MethodGet, "/v2/pix?inicio="+url.QueryEscape(inicio)+"&fim="+url.QueryEscape(fim), "")
		ids := ""
		if page, _, err := pix.ParsePaymentPage(reply.Body); err == nil {
			for _, p := range page.Payments {
				ids += string(p.EndToEndID) + " "
			}
		}
		return reply.Status, ids
	}
	want := string(first.EndToEndID) + " " + string(last.EndToEndID) + " "
	for _, inicio := range []string{
		"2026-03-02T09:00:01-03:00", "2026-03-02T12:00:01Z", "2026-03-02T12:00:01.000Z",
		"2026-03-02T12:00:01+00:00", "2026-03-02T17:30:01+05:30",
	} {
		for _, fim := range []string{"2026-03-02T12:00:02Z", "2026-03-02T09:00:02-03:00"} {
			if status, ids := ask(inicio, fim); status != http.StatusOK || ids != want {
				t.Errorf("inicio %s, fim %s: got %d %s, want %s (and not %s)", inicio, fim, status, ids, want, before.EndToEndID)
			}
		}
	}
	for _, c := range [][2]string{
		{"2026-03-02T12:00:01", "2026-03-02T12:00:02Z"}, {"2026-03-02T12:00:01Z", "2026-03-02T12:00:02"},
		{"2026-03-02", "2026-03-03"}, {"2026-03-02 12:00:01Z", "2026-03-02T12:00:02Z"},
	} {
		if status, ids := ask(c[0], c[1]); status != http.StatusBadRequest {
			t.Errorf("inicio %s, fim %s: got %d %s, want 400", c[0], c[1], status, ids)
		}
	}
}

// The same at our own door: a horario without a zone says no instant.
func TestHorarioWithoutAZoneIsSetAside(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "10.00"), "10.00")
	l.callback(http.StatusOK, body(strings.Replace(l.itemOf(p), `.000Z"`, `"`, 1)))
	l.rest()
	l.credited(p.EndToEndID)
	if n := len(l.quarantined(receiver.QuarantineBad)); n != 1 {
		t.Errorf("%d events set aside, want 1", n)
	}
	l.endOfDay()
	l.credited(p.EndToEndID, "10.00")
}

// threeHoursEarly is a PSP that writes Brasilia's wall clock with a Z behind
// it, in its lists and in GET of one Pix, and filters its lists by that.
func (l *lab) threeHoursEarly() {
	const shift = 3 * time.Hour
	horario := regexp.MustCompile(`"horario":"([^"]+)"`)
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if !strings.HasPrefix(req.URL.Path, "/v2/pix") {
			return call()
		}
		query := req.URL.Query()
		for _, name := range []string{"inicio", "fim"} {
			if at, err := pix.ParseTime(query.Get(name)); err == nil {
				query.Set(name, pix.FormatTime(at.Add(shift)))
			}
		}
		req.URL.RawQuery = query.Encode()
		resp, err := call()
		if err != nil {
			return resp, err
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		raw = horario.ReplaceAllFunc(raw, func(member []byte) []byte {
			at, err := pix.ParseTime(string(horario.FindSubmatch(member)[1]))
			if err != nil {
				return member
			}
			return fmt.Appendf(nil, `"horario":"%s"`, pix.FormatTime(at.Add(-shift)))
		})
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
		return resp, nil
	}
}

// From the field: a PSP stamped local time with a Z. A sweep whose overlap is
// longer than the shift, as it is unless configured otherwise, finds every Pix,
// once; one whose overlap is shorter misses it, and the account statement brings
// it in. Either way it is noticed that there are two instants.
func TestPixStampedThreeHoursEarlyIsFoundOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		overlap time.Duration // zero: as it is by default
		bySweep bool
	}{
		{"the overlap is longer than the shift", 0, true},
		{"the overlap is shorter than the shift", 2 * time.Hour, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, labOptions{psp: noRetries, receiver: func(r *receiver.Config) { r.Overlap = c.overlap }})
			l.threeHoursEarly()
			l.sweep() // the first one looks a day back; the next only as far as its overlap
			l.clock.advance(5 * time.Minute)
			p := l.pay(l.sale("PED-1", "10.00"), "10.00")
			l.lose()
			l.sweep()
			if c.bySweep {
				l.credited(p.EndToEndID, "10.00")
			} else {
				l.credited(p.EndToEndID)
			}
			l.unmoved("the next sweeps", func() { l.sweep(); l.sweep() })
			l.reconcile()
			l.credited(p.EndToEndID, "10.00")
			if got := l.reasons(receiver.DivergenceCase(p.EndToEndID)); !slices.Equal(got, []string{receiver.ReasonInstantDiffers}) {
				t.Errorf("the case says %q, want %q", got, receiver.ReasonInstantDiffers)
			}
			if want := []string{receiver.DivergenceCase(p.EndToEndID)}; c.bySweep {
				l.openCases(want...)
			} else {
				l.openCases(append(want, receiver.MissedCase(p.EndToEndID))...)
			}
			l.endOfDay()
			l.credited(p.EndToEndID, "10.00")
			l.settled("PED-1", "10.00", true)
		})
	}
}

// The second half of the same case: the PSP's list and its statement tell two
// instants of one Pix, and a case says so. No money moves.
func TestTwoInstantsOfOnePixRaiseADifference(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	l.threeHoursEarly()
	p := l.pay(l.sale("PED-1", "10.00"), "10.00")
	l.lose()
	l.sweep()
	before := l.ledger()
	l.reconcile()
	l.openCases(receiver.DivergenceCase(p.EndToEndID))
	if after := l.ledger(); !slices.Equal(after, before) {
		t.Errorf("it moved money:\n%v\n%v", before, after)
	}
	l.endOfDay()
}

// From the field: daily windows ended at 23:59:59 and began at 00:00:00, and a
// Pix of the second between was in neither.
func TestPixOfADaysLastSecondIsSweptOnce(t *testing.T) {
	midnight := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	l := newLab(t, labOptions{start: midnight.Add(-12 * time.Hour), psp: noRetries})
	code := l.code("BALCAO", "")
	l.clock.until(midnight.Add(-time.Second))
	var all []pix.Payment
	pay := func(at time.Duration) {
		l.clock.until(midnight.Add(at))
		all = append(all, l.pay(code, "10.00"))
	}
	pay(-time.Second)
	l.sweep() // up to 23:59:59.000 sharp
	if !l.clock.Now().Equal(midnight.Add(-time.Second)) {
		t.Fatalf("the sweep ran at %s", l.clock.Now())
	}
	for _, at := range []time.Duration{-642 * time.Millisecond, -time.Microsecond, 0, time.Millisecond} {
		pay(at)
	}
	l.lose()
	// The control: two days as the naive reader asks for them.
	naive := 0
	for _, day := range []string{
		"inicio=2026-03-02T00:00:00Z&fim=2026-03-02T23:59:59Z", "inicio=2026-03-03T00:00:00Z&fim=2026-03-03T23:59:59Z",
	} {
		page, _, err := pix.ParsePaymentPage(l.ask(http.MethodGet, "/v2/pix?"+day, "").Body)
		if err != nil {
			t.Fatal(err)
		}
		naive += len(page.Payments)
	}
	if naive != 3 {
		t.Errorf("two naive days hold %d of the 5 Pix, want 3: this test proves nothing otherwise", naive)
	}
	l.sweep()
	for _, p := range all {
		l.credited(p.EndToEndID, "10.00")
	}
	l.endOfDay()
}

// The sweep's window ends now. On a PSP whose clock is two seconds ahead, now
// is the past: what settled since comes with the next sweep.
func TestPixOfAPspWhoseClockIsAheadIsSweptOnce(t *testing.T) { sweptUnderSkew(t, 2*time.Second) }

// On a PSP whose clock is behind, a Pix that settles after a sweep is stamped as
// if it came before: only the overlap finds it.
func TestPixOfAPspWhoseClockIsBehindIsSweptOnce(t *testing.T) { sweptUnderSkew(t, -2*time.Second) }

func sweptUnderSkew(t *testing.T, ahead time.Duration) {
	l := newLab(t, labOptions{psp: noRetries})
	code := l.code("BALCAO", "")
	l.pspAhead = ahead
	l.sweep()
	var all []pix.Payment
	for range 5 {
		l.clock.advance(time.Second)
		all = append(all, l.pay(code, "10.00"))
	}
	l.lose()
	l.sweep()
	l.sweep()
	l.creditedAll(all)
	l.endOfDay()
}
