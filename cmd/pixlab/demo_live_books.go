package main

import (
	"context"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/demo"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios/live"
)

// liveBooks reads the ledger beside the receivers, line by line as it grows, and
// holds each against the Pix that was paid.
type liveBooks struct {
	load *liveLoad

	books   demo.Books
	seen    map[int64]bool         // transactions of the last seconds
	strange map[int64]strangeEntry // of no Pix that is known yet
	marks   []liveMark
}

// liveMark is how far the ledger went at an instant.
type liveMark struct {
	at          time.Time
	transaction int64
}

// strangeEntry is an entry of no known Pix: the receivers may have heard of it
// by a sweep before the payers' answer is in.
type strangeEntry struct {
	live.Booked
	since time.Time
}

// A transaction commits within liveCommit of taking its number, so that lines
// older than that are all there; and payers know of a Pix within as much.
const liveCommit = 10 * time.Second

func newLiveBooks(l *liveLoad) *liveBooks {
	return &liveBooks{load: l, seen: map[int64]bool{}, strange: map[int64]strangeEntry{}}
}

// read brings the books up to date. What was acknowledged is counted before the
// inbox is, so that a callback stored meanwhile is no finding.
func (b *liveBooks) read(ctx context.Context, now time.Time) demo.Books {
	before, _ := b.load.now(now)
	kept, err := b.load.stage.Inbox(ctx)
	if err == nil {
		b.books.Unkept = max(0, before.Distinct-kept)
		err = b.follow(ctx, now)
	}
	b.books.Read = err == nil
	return b.books
}

// follow reads the lines that came since the last look, and those of the last
// seconds again: numbers are handed out before transactions commit.
func (b *liveBooks) follow(ctx context.Context, now time.Time) error {
	after, last := b.from(now), int64(0)
	lines, err := b.load.stage.Ledger(ctx, after)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	for _, line := range lines {
		last, seen[line.Transaction] = line.Transaction, true
		if !b.seen[line.Transaction] {
			b.take(line, now)
		}
	}
	b.seen = seen
	b.marks = append(b.marks, liveMark{now, max(after, last)})
	b.recognise(now)
	b.books.OnWay = b.load.load.Paid - b.books.Credited
	b.books.OnWayCents = b.load.load.PaidCents - (b.books.LedgerCents - b.books.TwiceCents - b.books.InventedCents)
	return nil
}

// from is the transaction after which to read again: the last one of a look
// that is long enough ago.
func (b *liveBooks) from(now time.Time) int64 {
	for len(b.marks) > 1 && now.Sub(b.marks[1].at) > liveCommit {
		b.marks = b.marks[1:]
	}
	if len(b.marks) > 0 && now.Sub(b.marks[0].at) > liveCommit {
		return b.marks[0].transaction
	}
	return 0
}

// take puts one line to its Pix. The load's lock is held.
func (b *liveBooks) take(line live.Booked, now time.Time) {
	x := b.load.pix[line.EndToEndID]
	if x == nil || x.paid == 0 {
		b.strange[line.Transaction] = strangeEntry{line, now}
		return
	}
	b.books.Entries++
	b.books.LedgerCents += line.Cents
	if x.times++; x.times == 1 {
		b.books.Credited++
	}
	before := max(0, x.booked-x.paid)
	x.booked += line.Cents
	more := max(0, x.booked-x.paid) - before
	if x.times > 1 {
		b.books.TwiceCents += more
	} else {
		b.books.InventedCents += more
	}
}

// recognise looks again for the Pix of strange lines; what stays strange is
// money that nobody paid. The load's lock is held.
func (b *liveBooks) recognise(now time.Time) {
	for n, e := range b.strange {
		x := b.load.pix[e.EndToEndID]
		switch {
		case x != nil && x.paid > 0:
			delete(b.strange, n)
			b.take(e.Booked, now)
		case now.Sub(e.since) > liveCommit:
			delete(b.strange, n)
			b.books.Entries++
			b.books.LedgerCents += e.Cents
			b.books.InventedCents += e.Cents
		}
	}
}

// audit compares the whole ledger with the whole account statement, as the PSP
// has it, and says by how many cents they differ, line by line.
func (b *liveBooks) audit(ctx context.Context) (lines int, cents int64, err error) {
	statement, err := b.load.stage.Statement(ctx)
	if err != nil {
		return 0, 0, err
	}
	ledger, err := b.load.stage.Ledger(ctx, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("read the ledger: %w", err)
	}
	open := make(map[pix.EndToEndID]int64, len(statement))
	for _, l := range statement {
		open[l.EndToEndID] += l.Signed()
	}
	for _, l := range ledger {
		open[l.EndToEndID] -= l.Cents
	}
	for _, c := range open {
		cents += max(c, -c)
	}
	return len(statement), cents, nil
}
