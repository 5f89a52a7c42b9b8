package fakepsp

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// groupOfThree lets p2 and p3 ride in p1's callback, five seconds late.
func groupOfThree() chaos.Deviation {
	return callback(1, chaos.Change{DelayMS: 5000, With: []string{"p2", "p3"}})
}

// settle makes charge n and pays it.
func (l *lab) settle(n int) {
	l.t.Helper()
	l.charge(n, "10.00")
	l.pay(order(n, "10.00"))
}

// subjects are the Pix that a body tells of.
func (l *lab) subjects(a *Attempt) []pix.EndToEndID {
	l.t.Helper()
	var out []pix.EndToEndID
	for _, item := range l.items(a) {
		out = append(out, item.Payment.EndToEndID)
	}
	return out
}

func TestGroups(t *testing.T) {
	t.Parallel()
	group := groupOfThree()
	t.Run("ride in the lowest one's body", func(t *testing.T) {
		l := newLab(t, group)
		l.register()
		l.settle(3)
		l.at(time.Second)
		l.settle(1)
		l.at(2 * time.Second)
		l.settle(2)
		if l.psp.Take() != nil || l.psp.Quiet() {
			t.Fatal("sent before the leader, or quiet with riders waiting")
		}
		l.at(6 * time.Second)
		a := l.take()
		want := []pix.EndToEndID{e2eOf(1), e2eOf(2), e2eOf(3)}
		if got := l.subjects(a); !slices.Equal(got, want) || l.fired() != 1 {
			t.Errorf("got %v, fired %d", got, l.fired())
		}
		l.psp.Done(a, Answer{Status: 500})
		l.at(7 * time.Second)
		if got := l.subjects(l.take()); !slices.Equal(got, want) {
			t.Errorf("the retry has %v", got)
		}
	})
	t.Run("who settles later goes alone", func(t *testing.T) {
		l := newLab(t, group)
		l.register()
		l.settle(1)
		l.settle(3)
		l.at(5 * time.Second)
		if got := l.subjects(l.take()); len(got) != 2 {
			t.Errorf("got %v", got)
		}
		l.settle(2)
		if got := l.subjects(l.take()); !slices.Equal(got, []pix.EndToEndID{e2eOf(2)}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("all go alone if the lowest is void", func(t *testing.T) {
		l := newLab(t, group)
		l.register()
		l.settle(2)
		l.at(time.Second)
		if _, err := l.psp.Pay(order(1, "10.00")); err == nil {
			t.Fatal("paid a charge that is not there")
		}
		l.settle(3)
		for _, n := range []int{2, 3} {
			if got := l.subjects(l.take()); !slices.Equal(got, []pix.EndToEndID{e2eOf(n)}) {
				t.Errorf("got %v", got)
			}
		}
		if l.fired() != 0 {
			t.Error("fired without a group")
		}
	})
}

func TestGroupEdges(t *testing.T) {
	t.Parallel()
	group := groupOfThree()
	t.Run("nobody rides under another key", func(t *testing.T) {
		l := newLab(t, callback(1, chaos.Change{With: []string{"p2"}}))
		l.register()
		l.want(200, "PUT", "/v2/webhook/"+string(ourKey2), `{"webhookUrl":"https://b.example.com"}`, nil)
		l.pay(PayOrder{Payment: "p2", EndToEndID: e2eOf(2), TxID: "S", Static: true, PixKey: ourKey2, Amount: 1})
		l.settle(1)
		if a, b := l.take(), l.take(); len(l.items(a)) != 1 || len(l.items(b)) != 1 || b.URL != "https://b.example.com/pix" {
			t.Errorf("got %s and %s", a.Body, b.Body)
		}
		if l.fired() != 0 {
			t.Error("fired without a group")
		}
	})
	t.Run("a rider's frozen copy is what it would have been", func(t *testing.T) {
		l := newLab(t, group, callbackAt(2, "credit", 1, 1, chaos.Change{CopyAfterMS: 3_600_000, Frozen: true}))
		l.register()
		l.settle(1)
		l.settle(2)
		l.at(5 * time.Second)
		l.ack(l.take())
		l.at(time.Hour)
		a := l.take()
		if err := l.verdict(a); !errors.Is(err, pix.ErrSignatureExpired) {
			t.Errorf("signature: %v", err)
		}
	})
}
