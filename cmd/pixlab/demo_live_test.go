package main

import (
	"testing"
	"time"

	"github.com/pixlab/pixlab/demo"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios/live"
)

// TestLiveBooksFindWrongMoney puts lines of the ledger to three Pix that were
// paid, one way or another, and adds up: the gap is what no Pix accounts for.
func TestLiveBooksFindWrongMoney(t *testing.T) {
	t.Parallel()
	line := func(n int64, id pix.EndToEndID, cents int64) live.Booked {
		return live.Booked{Transaction: n, EndToEndID: id, Cents: cents}
	}
	for name, c := range map[string]struct {
		lines []live.Booked
		want  demo.Books
	}{
		"all booked":      {[]live.Booked{line(1, "a", 100), line(2, "b", 200)}, demo.Books{Entries: 2, Credited: 2, LedgerCents: 300}},
		"one on its way":  {[]live.Booked{line(1, "a", 100)}, demo.Books{Entries: 1, Credited: 1, LedgerCents: 100}},
		"credited twice":  {[]live.Booked{line(1, "a", 100), line(2, "a", 100)}, demo.Books{Entries: 2, Credited: 1, LedgerCents: 200, TwiceCents: 100}},
		"too much of one": {[]live.Booked{line(1, "a", 130)}, demo.Books{Entries: 1, Credited: 1, LedgerCents: 130, InventedCents: 30}},
		"nobody paid it":  {[]live.Booked{line(1, "z", 70)}, demo.Books{Entries: 1, LedgerCents: 70, InventedCents: 70}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newLiveBooks(&liveLoad{pix: map[pix.EndToEndID]*livePix{"a": {paid: 100}, "b": {paid: 200}, "c": {}}})
			now := time.Unix(1000, 0)
			for _, l := range c.lines {
				b.take(l, now)
			}
			b.recognise(now.Add(2 * liveCommit))
			if b.books != c.want {
				t.Errorf("%+v, want %+v", b.books, c.want)
			}
		})
	}
}

// TestLiveBooksWaitForThePayersAnswer books a Pix before the payers hear that it
// settled, as a sweep may: it is no invented money once they do.
func TestLiveBooksWaitForThePayersAnswer(t *testing.T) {
	t.Parallel()
	l := &liveLoad{pix: map[pix.EndToEndID]*livePix{}}
	b, now := newLiveBooks(l), time.Unix(1000, 0)
	b.take(live.Booked{Transaction: 1, EndToEndID: "a", Cents: 100}, now)
	b.recognise(now.Add(time.Second))
	if b.books != (demo.Books{}) {
		t.Errorf("%+v before the payers know", b.books)
	}
	l.known("a").paid = 100
	b.recognise(now.Add(2 * time.Second))
	if want := (demo.Books{Entries: 1, Credited: 1, LedgerCents: 100}); b.books != want {
		t.Errorf("%+v, want %+v", b.books, want)
	}
}

// TestLiveBooksReadAgainWhatMayStillCommit keeps a look back over the numbers
// that transactions may have taken and not committed.
func TestLiveBooksReadAgainWhatMayStillCommit(t *testing.T) {
	t.Parallel()
	b, now := newLiveBooks(nil), time.Unix(1000, 0)
	for second := range 60 {
		at := now.Add(time.Duration(second) * time.Second)
		back := int64(liveCommit / time.Second)
		if got, want := b.from(at), max(0, int64(second)-back-1); got != want {
			t.Errorf("after %d s it reads from %d, want %d", second, got, want)
		}
		b.marks = append(b.marks, liveMark{at, int64(second)})
	}
	if len(b.marks) > 13 {
		t.Errorf("%d marks are kept", len(b.marks))
	}
}

func TestLiveDemoFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--rate", "10"}, {"--copies", "5%"}, {"--database-url", "x"},
		{"--live", "--talk"}, {"--live", "--profile", "stage"}, {"--live", "--receiver", "naive"}, {"--live", "--rate", "0"}, {"--live", "--rate", "501"},
	} {
		pixlab("", append([]string{"demo"}, args...)...).want(t, 2)
	}
}
