package proptest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// trail is the order of one run: what reached the store, and what came of it,
// one word each. Pix and their refunds go by the number of their first word, so
// that two runs that differ in ids, amounts and instants alone are one order;
// and what told the store nothing new is no word of it.
type trail struct {
	words   []string
	pix     map[pix.EndToEndID]int
	refunds map[pix.EndToEndID]map[string]int
	closed  bool // the day's end is everybody's: it is no part of an order
	// early counts the refunds and returns of MED that came up to be booked
	// before their Pix was, overtaken the Pix whose first word was a refund's.
	early, overtaken int
}

func newTrail() *trail {
	return &trail{pix: map[pix.EndToEndID]int{}, refunds: map[pix.EndToEndID]map[string]int{}}
}

func (t *trail) say(word string, id pix.EndToEndID, refund string) {
	n, known := t.pix[id]
	if !known {
		n = len(t.pix)
		t.pix[id] = n
		t.refunds[id] = map[string]int{}
	}
	if refund == "" {
		t.words = append(t.words, fmt.Sprintf("%s%d", word, n))
		return
	}
	k, known := t.refunds[id][refund]
	if !known {
		k = len(t.refunds[id])
		t.refunds[id][refund] = k
	}
	t.words = append(t.words, fmt.Sprintf("%s%d.%d", word, n, k))
}

// follow takes down one commit.
func (t *trail) follow(cs *receiver.ChangeSet) {
	if t.closed {
		return
	}
	fresh := map[pix.EndToEndID]bool{}
	for _, c := range cs.Events {
		t.event(c, fresh)
	}
	for _, c := range cs.Refunds {
		if c.Before == nil || c.Before.State != c.After.State {
			t.say(string(c.After.State), c.After.EndToEndID, string(c.After.ID))
		}
	}
	for _, tx := range cs.Transactions {
		kind, _, _ := strings.Cut(tx.Reference, ":")
		if kind != "dev" { // its refund says it
			t.say(kind, tx.Entries[0].EndToEndID, "")
		}
	}
}

func (t *trail) event(c receiver.EventChange, fresh map[pix.EndToEndID]bool) {
	id, e := c.After.EndToEndID(), c.After
	refund := ""
	if e.Refund != nil {
		refund = string(e.Refund.ID)
	}
	switch {
	case c.Before == nil && e.Refund == nil:
		fresh[id] = true
		t.say("credit", id, "")
	case c.Before == nil:
		if fresh[id] && e.Channel == receiver.ChannelCallback {
			t.overtaken++
			fresh[id] = false
		}
		t.say(string(e.Refund.Status[:3]), id, refund)
	case e.Reason == receiver.ReasonNoCredit && c.Before.Reason != e.Reason:
		t.early++
		t.say("early", id, refund)
	}
}

// ordersTally counts the orders of many runs.
type ordersTally struct {
	mu                     sync.Mutex
	orders                 map[string]bool
	runs, early, overtaken int
}

func (a *ordersTally) add(t *trail) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs++
	order := strings.Join(t.words, " ")
	if a.orders == nil {
		a.orders = map[string]bool{}
	}
	if _, known := a.orders[order]; known {
		return
	}
	a.orders[order] = true
	if t.early > 0 {
		a.early++
	}
	if t.overtaken > 0 {
		a.overtaken++
	}
}

// The least that a run of the usual size has to show.
const (
	fewestOrders = 1_000
	fewestEarly  = 30 // of a hundred orders
)

// judge tells what was counted, and fails a run of the usual size that shows
// too little. Of a smaller one half the orders have to be new.
func (a *ordersTally) judge(t *testing.T) {
	n := len(a.orders)
	share := 100 * a.early / max(n, 1)
	t.Logf("%d runs, %d orders; in %d of them (%d %%) a refund or a return of MED came up to be booked before its Pix was, in %d the first word of a Pix was its refund's",
		a.runs, n, a.early, share, a.overtaken)
	want := min(fewestOrders, a.runs/2)
	if n < want || n >= 100 && share < fewestEarly {
		t.Errorf("%d orders, %d %% of them with a refund before its Pix; want %d and %d %%", n, share, want, fewestEarly)
	}
}
