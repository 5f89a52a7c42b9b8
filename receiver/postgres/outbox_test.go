package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// told books Pix n so that an event about it waits in the outbox.
func told(t testing.TB, s *postgres.Store, n int) {
	t.Helper()
	out, err := s.RepairEvents(t.Context(), []receiver.Repair{{Item: item(n, n), Now: start()}})
	if err != nil || out[0].Result != receiver.ApplyBooked {
		t.Fatalf("repair of Pix %d: %v, %v", n, out, err)
	}
}

// sendDue leases what is due and says that it went out.
func sendDue(ctx context.Context, s *postgres.Store, got map[int64]int) error {
	events, err := s.LeaseOutbox(ctx, lease(100))
	if err != nil {
		return err
	}
	results := make([]receiver.OutboxResult, len(events))
	for i, o := range events {
		got[o.ID]++
		results[i] = receiver.OutboxResult{ID: o.ID, Version: o.Version, Sent: true}
	}
	_, err = s.FinishOutbox(ctx, results)
	return err
}

// From the field: a relay read the outbox from the last number on, and lost the
// event whose number was taken early and committed late. The number of an event
// here is one that nobody reads by: what is there and not out goes.
func TestEventNumberedEarlyAndCommittedLateIsSent(t *testing.T) {
	t.Parallel()
	s, url := openAt(t, postgres.Config{Rules: rules(), MaxConns: 4})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	early, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO outbox_event (id, endpoint, end_to_end_id, number, kind, amount_cents, charge, refund_id, at,
    sent, dead, skipped, attempts, due_at, version, ready)
VALUES (nextval('outbox_event_id'), 'merchant', $1, 1, 'pix.credited', 1, '', '', $2, false, false, false, 0, $2, 0, true) RETURNING id`
	var first int64
	if err := early.QueryRow(t.Context(), insert, string(e2e(900)), start()).Scan(&first); err != nil {
		t.Fatal(err)
	}
	told(t, s, 1)
	got := map[int64]int{}
	if err := sendDue(t.Context(), s, got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[first] != 0 || got[first+1] != 1 {
		t.Fatalf("sent %v while event %d is not committed; want event %d", got, first, first+1)
	}
	if err := early.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sendDue(t.Context(), s, got); err != nil {
		t.Fatal(err)
	}
	if got[first] != 1 || got[first+1] != 1 {
		t.Errorf("sent %v; want both once", got)
	}
}

// Fifty writers at once, and two relays beside them.
func TestFiftyWritersAndNoEventIsSkipped(t *testing.T) {
	t.Parallel()
	const writers, each = 50, 4
	s := open(t, postgres.Config{Rules: rules(), MaxConns: 30})
	ctx := t.Context()
	var writing, relaying sync.WaitGroup
	done := make(chan struct{})
	errs := make(chan error, writers+2)
	for w := range writers {
		writing.Go(func() {
			draw := rand.New(rand.NewPCG(1, uint64(w)))
			for i := range each {
				n := 1 + w*each + i
				batch := []receiver.Repair{{Item: item(n, n), Now: start()}}
				if draw.IntN(2) == 0 { // a second round trip, and a commit that comes later
					batch = append(batch, receiver.Repair{Item: item(100_000+n, n), Now: start()})
				}
				if _, err := s.RepairEvents(ctx, batch); err != nil {
					errs <- fmt.Errorf("writer %d: %w", w, err)
					return
				}
			}
		})
	}
	sent := [2]map[int64]int{{}, {}}
	for r := range sent {
		relaying.Go(func() {
			for {
				if err := sendDue(ctx, s, sent[r]); err != nil {
					errs <- fmt.Errorf("relay %d: %w", r, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	relaying.Wait()
	if err := sendDue(ctx, s, sent[0]); err != nil {
		t.Fatal(err)
	}
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	cs, err := s.Dump(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range cs.Outbox {
		if n := sent[0][o.After.ID] + sent[1][o.After.ID]; n != 1 || !o.After.Sent {
			t.Errorf("event %d of %s was sent %d times, marked as sent: %v", o.After.ID, o.After.EndToEndID, n, o.After.Sent)
		}
	}
	if len(cs.Outbox) < writers*each {
		t.Errorf("%d events; want %d or more", len(cs.Outbox), writers*each)
	}
}

// From the field: the dispatcher held its rows FOR UPDATE while sender threads
// updated the same rows on another connection, and waited for them: a deadlock
// that no database sees. With the lock held the result is never stored; with a
// lease nothing is held, and it is.
func TestDispatcherThatSendsWithItsLockHeldNeverFinishes(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "receiver", postgres.Migrate)
	s := reopen(t, url, postgres.Config{Rules: rules(), MaxConns: 4, LockTimeout: 200 * time.Millisecond})
	told(t, s, 1)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	events, err := s.LeaseOutbox(t.Context(), lease(1))
	if err != nil || len(events) != 1 {
		t.Fatalf("leased %d, %v", len(events), err)
	}
	result := []receiver.OutboxResult{{ID: events[0].ID, Version: events[0].Version, Sent: true}}
	// The dispatcher of the field: a transaction around the sending.
	holding, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holding.Exec(t.Context(), `SELECT FROM outbox_event WHERE id = $1 FOR UPDATE`, events[0].ID); err != nil {
		t.Fatal(err)
	}
	_, err = s.FinishOutbox(t.Context(), result)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "55P03" { // lock_not_available
		t.Fatalf("with the lock held: %v; want to wait until the lock's time-out", err)
	}
	if err := holding.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Ours: a lease, and nothing open while sending.
	done, err := s.FinishOutbox(t.Context(), result)
	if err != nil || !done[0] {
		t.Errorf("with a lease: %v, %v", done, err)
	}
}
