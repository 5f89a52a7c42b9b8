package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// shears cuts connections: the write that makes left zero is the last, and is
// sent or not.
type shears struct {
	left atomic.Int64
	sent atomic.Bool
}

func (s *shears) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	return &sheared{c, s}, err
}

// arm cuts the nth write from now on.
func (s *shears) arm(n int64, sent bool) {
	s.sent.Store(sent)
	s.left.Store(n)
}

type sheared struct {
	net.Conn
	shears *shears
}

func (c *sheared) Write(b []byte) (int, error) {
	if c.shears.left.Load() == 0 || c.shears.left.Add(-1) > 0 {
		return c.Conn.Write(b)
	}
	if !c.shears.sent.Load() {
		c.Conn.Close()
		return 0, io.ErrClosedPipe
	}
	// Half of the way stays open: the server gets it all and answers to nobody.
	c.Conn.(interface{ CloseRead() error }).CloseRead()
	return c.Conn.Write(b)
}

// warm makes each connection's statements known, so that a command is a fixed
// number of writes.
func warm(t *testing.T, s *postgres.Store) {
	t.Helper()
	book(t, s, 100)
	book(t, s, 101)
}

func TestAppendCutOff(t *testing.T) {
	t.Parallel()
	for _, sent := range []bool{false, true} {
		var cut shears
		s := open(t, postgres.Config{Rules: rules(), Now: start, MaxConns: 1, Dial: cut.dial})
		warm(t, s)
		cut.arm(1, sent)
		_, err := s.AppendInbox(t.Context(), []receiver.InboxItem{item(1, 1)})
		if !receiver.Retryable(err) || errors.Is(err, receiver.ErrCommitUnknown) != sent {
			t.Errorf("sent %v: got %v", sent, err)
		}
		out := repeat(t, func() ([]receiver.AppendOutcome, error) {
			return s.AppendInbox(t.Context(), []receiver.InboxItem{item(1, 1)})
		})
		// Sent, the first may still be on its way in the server, and lose.
		if !sent && out[0].Result != receiver.AppendNew {
			t.Errorf("not sent, again: got %s, want it new", out[0].Result)
		}
		events, err := s.ListEvents(t.Context(), receiver.EventQuery{State: receiver.EventReceived})
		if must(t, events, err); len(events) != 1 || events[0].ID != out[0].EventID {
			t.Errorf("sent %v: got %d events, want the one that the answer names", sent, len(events))
		}
	}
}

// repeat repeats a command that may find the dead connection first.
func repeat[V any](t *testing.T, command func() (V, error)) V {
	t.Helper()
	v, err := command()
	if errors.Is(err, receiver.ErrUnavailable) {
		v, err = command()
	}
	return must(t, v, err)
}

func TestApplyCutOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		write   int64 // 1 locks, 2 reads, 3 writes and commits
		sent    bool
		unknown bool
	}{
		{"before anything", 1, false, false},
		{"while it reads", 2, true, false},
		{"before it commits", 3, false, false},
		{"while it commits", 3, true, true},
	} {
		var cut shears
		s, url := openAt(t, postgres.Config{Rules: rules(), Now: start, MaxConns: 1, Dial: cut.dial})
		warm(t, s)
		_, err := s.CreateCharges(t.Context(), []receiver.NewCharge{charge(1)})
		must(t, true, err)
		_, err = s.AppendInbox(t.Context(), []receiver.InboxItem{item(1, 1)})
		must(t, true, err)
		events, err := s.ClaimEvents(t.Context(), lease(1))
		apps := applications(must(t, events, err))
		cut.arm(c.write, c.sent)
		_, err = s.ApplyEvents(t.Context(), apps)
		if !receiver.Retryable(err) || errors.Is(err, receiver.ErrCommitUnknown) != c.unknown {
			t.Errorf("%s: got %v", c.name, err)
		}
		out := repeat(t, func() ([]receiver.ApplyOutcome, error) { return s.ApplyEvents(t.Context(), apps) })
		// pgx asks the server to cancel what it does not wait for any more, which
		// may come in time or too late.
		if r := out[0].Result; r != receiver.ApplyBooked && !(c.unknown && r == receiver.ApplyLost) {
			t.Errorf("%s, again: got %+v", c.name, out[0])
		}
		cs, err := s.Dump(t.Context())
		if must(t, cs, err); len(cs.Transactions) != 3 {
			t.Errorf("%s: %d transactions, want 3", c.name, len(cs.Transactions))
		}
		checkBooks(t, connect(t, url))
	}
}

// failing makes inserts into a table fail a number of times.
const failing = `CREATE SEQUENCE fails;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('fails') <= 2 THEN
        RAISE EXCEPTION 'injected' USING ERRCODE = '@';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER fail AFTER INSERT ON outbox_event FOR EACH STATEMENT EXECUTE FUNCTION fail();`

func TestFailuresInsideACommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, code string }{
		{"deadlock", "40P01"}, {"serialization", "40001"}, {"statement timeout", "57014"},
		{"lock timeout", "55P03"}, {"shutdown", "57P01"}, {"disk full", "53100"},
	} {
		s, url := openAt(t, postgres.Config{Rules: rules(), Now: start})
		conn := connect(t, url)
		_, err := conn.Exec(t.Context(), strings.Replace(failing, "@", c.code, 1))
		must(t, true, err)
		_, err = s.CreateCharges(t.Context(), []receiver.NewCharge{charge(1)})
		must(t, true, err)
		_, err = s.AppendInbox(t.Context(), []receiver.InboxItem{item(1, 1)})
		must(t, true, err)
		events, err := s.ClaimEvents(t.Context(), lease(1))
		apps := applications(must(t, events, err))
		out, err := s.ApplyEvents(t.Context(), apps)
		tries := 1
		for ; err != nil && tries < 4; tries++ {
			if !errors.Is(err, receiver.ErrUnavailable) || errors.Is(err, receiver.ErrCommitUnknown) {
				t.Errorf("%s: got %v", c.name, err)
			}
			out, err = s.ApplyEvents(t.Context(), apps)
		}
		if c.code[:2] == "40" && tries != 1 {
			t.Errorf("%s: it took %d commands, want it to begin again by itself", c.name, tries)
		}
		if must(t, out, err)[0].Result != receiver.ApplyBooked {
			t.Errorf("%s: got %+v", c.name, out[0])
		}
		checkBooks(t, conn)
	}
}

// A row that somebody keeps locked is no reason to wait for ever, nor for leases
// to wait at all.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	s, url := openAt(t, postgres.Config{Rules: rules(), Now: start, LockTimeout: 20 * time.Millisecond})
	for n := 1; n <= 2; n++ {
		_, err := s.AppendInbox(t.Context(), []receiver.InboxItem{item(n, n)})
		must(t, true, err)
	}
	events, err := s.ClaimEvents(t.Context(), lease(1))
	must(t, events, err)
	conn := connect(t, url)
	_, err = conn.Exec(t.Context(), `BEGIN; SELECT FROM inbox_event WHERE id = 1 FOR UPDATE`)
	must(t, true, err)
	if _, err := s.ApplyEvents(t.Context(), applications(events)); !errors.Is(err, receiver.ErrUnavailable) {
		t.Errorf("apply: got %v", err)
	}
	again := lease(9)
	again.Now = start().Add(time.Hour)
	events, err = s.ClaimEvents(t.Context(), again)
	if must(t, events, err); len(events) != 1 || events[0].ID != 2 {
		t.Errorf("claim: got %+v, want the event that is free", events)
	}
}

func TestServerGoneAndBack(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t, pgcluster.Options{})
	ctx := t.Context()
	must(t, true, c.CreateDatabase(ctx, "gone"))
	must(t, true, postgres.Migrate(ctx, c.SocketURL("gone")))
	s := reopen(t, c.SocketURL("gone"), postgres.Config{Rules: rules()})
	book(t, s, 1)
	must(t, true, c.Kill(pgcluster.ModeImmediate))
	for range 2 {
		if _, err := s.AppendInbox(ctx, []receiver.InboxItem{item(2, 2)}); !errors.Is(err, receiver.ErrUnavailable) {
			t.Errorf("append: got %v", err)
		}
		if _, err := s.ClaimEvents(ctx, lease(1)); !receiver.Retryable(err) {
			t.Errorf("claim: got %v", err)
		}
	}
	must(t, true, c.Restart(ctx))
	out := repeat(t, func() ([]receiver.AppendOutcome, error) {
		return s.AppendInbox(ctx, []receiver.InboxItem{item(1, 1), item(2, 2)})
	})
	if out[0].Result != receiver.AppendKnown || out[1].Result != receiver.AppendNew {
		t.Errorf("after the restart: got %+v", out)
	}
}
