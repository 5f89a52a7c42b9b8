package scenarios

import (
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func givenAt(at time.Time, body string) *apiAnswer {
	return &apiAnswer{
		asking: &asking{route: receiver.RouteCharges, reference: "PED-1"}, at: at, status: 201,
		contentType: "application/json", body: []byte(body),
	}
}

func keyRow(state receiver.KeyState, at time.Time, body string) receiver.KeyChange {
	row := &receiver.Key{
		KeyRef: receiver.KeyRef{Consumer: consumer, Route: receiver.RouteCharges, Key: "PED-1"}, State: state, At: at,
	}
	if state == receiver.KeyAnswered {
		row.Answer = receiver.Answer{Status: 201, ContentType: "application/json", Body: []byte(body)}
	}
	return receiver.KeyChange{After: row}
}

func TestAnswersAreSharedWithTheStoresRow(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		given  string
		shared bool
	}{
		"the same bytes are":  {"{}", true},
		"other bytes are not": {"[]", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, row := newAnswers(), keyRow(receiver.KeyAnswered, start, "{}")
			l.follow(row)
			l.keep(givenAt(start, c.given))
			g, known := l.first(givenAt(start.Add(time.Hour), ""))
			if !known || string(g.Body) != c.given || (g.Answer == &row.After.Answer) != c.shared {
				t.Errorf("got %+v, %t", g, known)
			}
			if len(l.fresh) != 0 {
				t.Errorf("%d rows are waited for", len(l.fresh))
			}
		})
	}
}

// The first answer is compared with for as long as answers are kept, whatever a
// purge did to the row, and no longer.
func TestAnswersAreForgottenWhenTheyAreOver(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		purged, asked time.Duration
		known, held   bool
	}{
		"in time":                      {0, keptFor - time.Nanosecond, true, true},
		"over":                         {0, keptFor, false, true},
		"in time, after a purge":       {time.Hour, keptFor - time.Nanosecond, true, true},
		"over, after a purge in time":  {keptFor, keptFor, false, false},
		"over, after a purge too soon": {time.Hour, keptFor, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newAnswers()
			l.keep(givenAt(start, "{}"))
			if c.purged > 0 {
				l.follow(keyRow(receiver.KeyPurged, start.Add(c.purged), ""))
			}
			if _, known := l.first(givenAt(start.Add(c.asked), "{}")); known != c.known {
				t.Errorf("known %t, want %t", known, c.known)
			}
			if held := len(l.given[receiver.RouteCharges]) > 0; held != c.held {
				t.Errorf("held %t, want %t", held, c.held)
			}
		})
	}
}

func TestCountsTakeAnyNumber(t *testing.T) {
	t.Parallel()
	c, want := counts{}, map[int64]uint32{}
	for _, n := range []int64{1, 2, 1, 255, 256, 257, -1, -256, 1 << 60, 1 << 60, 0} {
		want[n]++
		if got := c.add(n); got != want[n] {
			t.Errorf("add(%d): %d, want %d", n, got, want[n])
		}
	}
	for n, times := range want {
		if got := c.of(n); got != times {
			t.Errorf("of(%d): %d, want %d", n, got, times)
		}
	}
	if got := c.of(3) + c.of(-2) + c.of(1<<50); got != 0 {
		t.Errorf("numbers that never came: %d", got)
	}
}

func TestOutboxViewFindsWhatADeadLetterHoldsUp(t *testing.T) {
	t.Parallel()
	put := func(l *outboxView, events ...receiver.OutboxEvent) {
		for i := range events {
			l.put(&events[i])
		}
	}
	l := newOutboxView()
	put(&l,
		receiver.OutboxEvent{ID: 1, Endpoint: "a", EndToEndID: "E1", Number: 1, Dead: true},
		receiver.OutboxEvent{ID: 2, Endpoint: "b", EndToEndID: "E1", Number: 1, Sent: true},
		receiver.OutboxEvent{ID: 3, Endpoint: "a", EndToEndID: "E1", Number: 2},
		receiver.OutboxEvent{ID: 4, Endpoint: "b", EndToEndID: "E1", Number: 2},
		receiver.OutboxEvent{ID: 6, Endpoint: "a", EndToEndID: "E2", Number: 2})
	for id, want := range map[int64]bool{3: true, 4: false, 6: false} {
		if got := l.behindDead(id); got != want {
			t.Errorf("event %d is held up: %t, want %t", id, got, want)
		}
	}
	put(&l, receiver.OutboxEvent{ID: 1, Endpoint: "a", EndToEndID: "E1", Number: 1, Dead: true, Skipped: true})
	if l.behindDead(3) {
		t.Error("a skipped letter holds an event up")
	}
	var ids []int64
	for id, o := range l.all() {
		ids = append(ids, id)
		if o.sent != (id == 2) || l.to(o) == "" {
			t.Errorf("event %d: %+v to %q", id, o, l.to(o))
		}
	}
	if len(ids) != 5 || ids[4] != 6 {
		t.Errorf("events %v", ids)
	}
}
