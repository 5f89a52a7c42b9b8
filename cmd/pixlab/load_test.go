package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
)

// TestSmallLoadCountsEveryCredit builds the binary, since a load starts
// processes of it. It looks at counts alone.
func TestSmallLoadCountsEveryCredit(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, c := range map[string]struct {
		args                    []string
		distinct, least, copies int
	}{
		"on schedule": {[]string{"--rows", "200", "--rate", "200", "--items", "3", "--redeliver", "30%", "--duration", "500ms"}, 300, 130, 30},
		"saturated":   {[]string{"--saturate", "--stock", "300", "--redeliver", "100%", "--duration", "1m", "--receivers", "2", "--connections", "8"}, 300, 600, 300},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(binary, append([]string{"load", "--json"}, c.args...)...)
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if strings.Contains(errs.String(), pgcluster.ErrNotFound.Error()) && os.Getenv(pgtest.EnvRequire) == "" {
				t.Skip(errs.String())
			}
			var got loadReport
			if err != nil || json.Unmarshal(out, &got) != nil {
				t.Fatalf("%v: %s\n%s", err, errs.String(), out)
			}
			if got.Distinct != c.distinct || got.Credits != c.distinct || got.Sent != c.least || got.Accepted != c.least ||
				got.Redelivered != c.copies || got.Errors != 0 || got.Ack == nil || !got.held() {
				t.Errorf("%s", out)
			}
		})
	}
}

// TestSlowPSPDebitsNoPayoutTwice has a few payouts made by a PSP that answers no
// call before the receiver has given up, and looks at counts alone.
func TestSlowPSPDebitsNoPayoutTwice(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const n = 12
	cmd := exec.Command(binary, "load", "--json", "--payouts", strconv.Itoa(n), "--receivers", "2", "--connections", "4", "--redeliver", "50%")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if strings.Contains(errs.String(), pgcluster.ErrNotFound.Error()) && os.Getenv(pgtest.EnvRequire) == "" {
		t.Skip(errs.String())
	}
	var got payoutReport
	if err != nil || json.Unmarshal(out, &got) != nil {
		t.Fatalf("%v: %s\n%s", err, errs.String(), out)
	}
	if got.Accepted != n || got.Repeated != n/2 || got.Confirmed != n || got.Debits != n || got.Late != n/2 || got.Unanswered < n || !got.held() {
		t.Errorf("%s", out)
	}
}

func TestPayoutAuditFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	line := func(id pix.EndToEndID, cents int64) pix.StatementLine {
		return pix.StatementLine{Kind: pix.KindPixOut, EndToEndID: id, Cents: cents}
	}
	right := []paidOut{{"a", "confirmed", 100, "A", loadPayee}, {"b", "confirmed", 200, "B", loadPayee}}
	for name, c := range map[string]struct {
		all    []paidOut
		lines  []pix.StatementLine
		broken string
	}{
		"nothing":            {right, []pix.StatementLine{line("A", 100), line("B", 200)}, ""},
		"a debit twice":      {right, []pix.StatementLine{line("A", 100), line("A", 100), line("B", 200)}, "twice"},
		"under another key":  {right, []pix.StatementLine{line("A", 100), line("B", 200), line("C", 200)}, "nobody knows"},
		"another amount":     {right, []pix.StatementLine{line("A", 101), line("B", 200)}, "of its amount"},
		"confirmed, not out": {right, []pix.StatementLine{line("A", 100)}, "of its amount"},
		"lost":               {right[:1], []pix.StatementLine{line("A", 100)}, "is kept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &payoutReport{Payouts: 2, Accepted: 2}
			r.Checks = r.audit(c.all, c.lines)
			if r.held() != (c.broken == "") {
				t.Errorf("%+v", r.Checks)
			}
			if c.broken != "" && !slices.ContainsFunc(r.Checks, func(k loadCheck) bool { return !k.Held && strings.Contains(k.Name, c.broken) }) {
				t.Errorf("none of %+v is about %q", r.Checks, c.broken)
			}
		})
	}
}

// stocked is n Pix, and the traffic that has sent all of them.
func stocked(n int) (*traffic, *fired) {
	t := &traffic{items: 1}
	f := &fired{}
	for i := range n {
		t.stock = append(t.stock, loadPix{e2e: pix.EndToEndID(rune('a' + i)), cents: 100})
		f.due = append(f.due, time.Unix(1000, 0))
		f.accepted = append(f.accepted, true)
	}
	return t, f
}

func TestAuditFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	right := func() (map[pix.EndToEndID]*credit, map[pix.EndToEndID]bool) {
		at := time.Unix(1001, 0)
		return map[pix.EndToEndID]*credit{"a": {1, 100, at}, "b": {1, 100, at}}, map[pix.EndToEndID]bool{"a": true, "b": true}
	}
	for name, c := range map[string]struct {
		spoil  func(credits map[pix.EndToEndID]*credit, kept map[pix.EndToEndID]bool)
		broken string
	}{
		"nothing":             {func(map[pix.EndToEndID]*credit, map[pix.EndToEndID]bool) {}, ""},
		"a lost ack":          {func(c map[pix.EndToEndID]*credit, k map[pix.EndToEndID]bool) { delete(k, "a") }, "is in the inbox"},
		"a forgotten credit":  {func(c map[pix.EndToEndID]*credit, k map[pix.EndToEndID]bool) { delete(c, "b") }, "is credited"},
		"a credit twice":      {func(c map[pix.EndToEndID]*credit, k map[pix.EndToEndID]bool) { c["a"].times = 2 }, "credited once"},
		"another amount":      {func(c map[pix.EndToEndID]*credit, k map[pix.EndToEndID]bool) { c["a"].cents = 1 }, "the Pix's amount"},
		"a credit of nothing": {func(c map[pix.EndToEndID]*credit, k map[pix.EndToEndID]bool) { c["z"] = &credit{1, 1, time.Time{}} }, "was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			traffic, sent := stocked(2)
			credits, kept := right()
			c.spoil(credits, kept)
			a := traffic.audit(sent, credits, kept)
			r := &loadReport{Checks: a.checks(0, 0)}
			if r.held() != (c.broken == "") || a.distinct != 2 {
				t.Errorf("%+v", r.Checks)
			}
			for _, check := range r.Checks {
				if !check.Held && !strings.Contains(check.Name, c.broken) {
					t.Errorf("%s: %s", check.Name, check.Detail)
				}
			}
		})
	}
	if r := (&loadReport{Checks: (&audit{}).checks(1, 0)}); r.held() {
		t.Error("an event that is left is no fault")
	}
	if r := (&loadReport{Checks: (&audit{}).checks(0, 1)}); r.held() {
		t.Error("an event in quarantine is no fault")
	}
}

func TestShotsFollowTheSchedule(t *testing.T) {
	t.Parallel()
	f := &traffic{stock: make([]loadPix, 100), items: 2, rate: 100, duration: 400 * time.Millisecond, redeliver: 30}
	shots := f.shots()
	copies := 0
	for i, s := range shots {
		if s.at != time.Duration(s.callback)*10*time.Millisecond {
			t.Errorf("callback %d leaves at %s", s.callback, s.at)
		}
		if s.copy {
			copies++
			if shots[i-1].callback != s.callback || shots[i-1].at != s.at {
				t.Errorf("the copy of callback %d leaves at another instant than its original", s.callback)
			}
		}
	}
	if len(shots) != 52 || copies != 12 {
		t.Errorf("%d shots, %d copies", len(shots), copies)
	}
}

func TestSpreadIsByTheNearestRank(t *testing.T) {
	t.Parallel()
	var samples []time.Duration
	for i := range 1000 {
		samples = append(samples, time.Duration(1000-i)*time.Millisecond)
	}
	if got, want := *spreadOf(samples), (spread{500, 950, 990, 999, 1000}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := *spreadOf(samples[:1]); got != (spread{1, 1, 1, 1, 1}) {
		t.Errorf("of one sample: %+v", got)
	}
	if spreadOf(nil) != nil {
		t.Error("of no sample there is a spread")
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"--rate and --saturate": {"--rate", "5", "--saturate"},
		"--database-url":        {"--receiver-url", "http://127.0.0.1:1/"},
		"--receiver-url":        {"--lab-url", "http://127.0.0.1:1"},
		"--redeliver":           {"--redeliver", "half"},
		"--suite":               {"--suite", "--saturate"},
		"without --saturate":    {"--payouts", "3", "--saturate"},
		"without --rate":        {"--payouts", "3", "--rate", "5"},
		"without --rows":        {"--payouts", "3", "--rows", "5"},
	} {
		got := pixlab("", append([]string{"load"}, args...)...).want(t, exitUsage)
		contains(t, got.err, name)
	}
}
