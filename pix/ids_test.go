package pix_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

const (
	testE2E  = "E12345678202009091221kkkkkkkkkkk"
	testRtr  = "D12345678202009091221abcdf098765"
	testTxID = "c3e0e7a4e7f1469a9f782d3d4999343c"
	testKey  = "7d9f0335-8dcc-4054-9bf9-0dbd61d36906"
)

// accepts tells whether a parser takes s, and holds it to giving s back.
func accepts[T ~string](t *testing.T, parse func(string) (T, error), s string) bool {
	t.Helper()
	got, err := parse(s)
	if err == nil && string(got) != s {
		t.Errorf("parsed %q as %q", s, got)
	}
	if err != nil && got != "" {
		t.Errorf("refused %q but gave %q", s, got)
	}
	return err == nil
}

func TestIDsHoldToTheirLengths(t *testing.T) {
	t.Parallel()
	for n := range 80 {
		s := strings.Repeat("a", n)
		for _, c := range []struct {
			name      string
			got, want bool
		}{
			{"endToEndId", accepts(t, pix.ParseEndToEndID, s), n == 32},
			{"rtrId", accepts(t, pix.ParseReturnID, s), n == 32},
			{"txid", accepts(t, pix.ParseTxID, s), n >= 1 && n <= 35},
			{"charge txid", accepts(t, pix.ParseChargeTxID, s), n >= 26 && n <= 35},
			{"refund id", accepts(t, pix.ParseRefundID, s), n >= 1 && n <= 35},
			{"chave", accepts(t, pix.ParsePixKey, s), n >= 1 && n <= 77},
		} {
			if c.got != c.want {
				t.Errorf("%s of %d bytes: accepted %v, want %v", c.name, n, c.got, c.want)
			}
		}
	}
}

func TestEndToEndIDRefusesNearMisses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		" " + testE2E, testE2E + " ", testE2E + "\n", testE2E[:31], testE2E + "k",
		testE2E[:31] + "-", testE2E[:31] + "é"[:1], testE2E[:30] + "é", testE2E[:31] + "\x00", testE2E[:31] + " ",
	} {
		if accepts(t, pix.ParseEndToEndID, s) {
			t.Errorf("accepted %q", s)
		}
	}
	if !accepts(t, pix.ParseEndToEndID, strings.ToLower(testE2E)) {
		t.Error("refused an id the loose rule allows")
	}
}

func TestPixKeyRefusesWhatNoStoreKeeps(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a\x00b", "a\nb", "a\x7fb", "a\xffb", "a\u0085b"} {
		if accepts(t, pix.ParsePixKey, s) {
			t.Errorf("accepted %q", s)
		}
	}
	for _, s := range []string{"+5511999998888", "loja@exemplo.com.br", "12345678901", testKey} {
		if !accepts(t, pix.ParsePixKey, s) {
			t.Errorf("refused %q", s)
		}
	}
}

func TestNewIDsCarryTheUTCMinute(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 9, 9, 9, 21, 59, 0, time.FixedZone("BRT", -3*60*60))
	e2e, err := pix.NewEndToEndID("12345678", at, "kkkkkkkkkkk")
	if err != nil || e2e != testE2E {
		t.Errorf("NewEndToEndID = %q, %v, want %q", e2e, err, testE2E)
	}
	rtr, err := pix.NewReturnID("12345678", at, "abcdf098765")
	if err != nil || rtr != testRtr {
		t.Errorf("NewReturnID = %q, %v, want %q", rtr, err, testRtr)
	}
}

func TestNewIDsRefuseOtherParts(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 9, 9, 12, 21, 0, 0, time.UTC)
	for _, c := range []struct {
		ispb, suffix string
		at           time.Time
	}{
		{"1234567", "kkkkkkkkkkk", at},
		{"1234567a", "kkkkkkkkkkk", at},
		{"12345678", "kkkkkkkkkk", at},
		{"12345678", "kkkkkkkkkk-", at},
		{"12345678", "kkkkkkkkkkk", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if got, err := pix.NewEndToEndID(c.ispb, c.at, c.suffix); err == nil {
			t.Errorf("NewEndToEndID(%q, %v, %q) = %q", c.ispb, c.at, c.suffix, got)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2020-09-09T20:15:00.358Z":            "2020-09-09T20:15:00.358Z",
		"2020-09-09T20:15:00Z":                "2020-09-09T20:15:00.000Z",
		"2020-09-09T17:15:00.358-03:00":       "2020-09-09T20:15:00.358Z",
		"2020-09-09T20:15:00.358999999+00:00": "2020-09-09T20:15:00.358Z",
	} {
		got, err := pix.ParseTime(text)
		if err != nil || pix.FormatTime(got) != want {
			t.Errorf("ParseTime(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "2020-09-09", "2020-09-09T20:15:00", "2020-09-09 20:15:00Z", "2020-09-09T20:15:00,358Z",
		"2020-09-09T3:15:00Z", "2020-09-09T20:15:00.Z",
		"2020-09-09T20:15:00+24:00", "2020-09-09T20:15:00+00:60", "2020-09-09T20:15:00+0000", "2020-09-09T20:15:00.1",
		"2020-09-09T25:15:00Z", "2020-09-09T20:15:60Z", "2020-09-09T20:15:00ZZ", "2020-02-30T20:15:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00",
		"1599682500",
	} {
		if got, err := pix.ParseTime(text); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", text, got)
		}
	}
}
