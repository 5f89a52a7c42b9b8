package live_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// queuePayouts puts payouts of one cent each into the conciliation queue, out of a
// Pix that is there.
func queuePayouts(t *testing.T, store receiver.Store, refs ...receiver.PayoutRef) {
	t.Helper()
	now, err := store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.RepairEvents(t.Context(), []receiver.Repair{{Item: item(1), Now: now}}); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		out, err := store.ReservePayouts(t.Context(), []receiver.NewPayout{{At: now, Payout: receiver.Payout{
			Consumer: ref.Consumer, Reference: ref.Reference, PixKey: "payee@ex", Amount: 1,
			Key: "key of " + ref.Consumer + ref.Reference, DueAt: now,
		}}})
		if err != nil || out[0].Result != receiver.ReserveDone {
			t.Fatalf("reserve: %+v, error %v", out, err)
		}
		held, err := store.LeasePayouts(t.Context(), receiver.Lease{Now: now, For: time.Hour, Limit: 1})
		if err != nil || len(held) != 1 {
			t.Fatalf("leased %d, error %v", len(held), err)
		}
		if _, err := store.RecordPayouts(t.Context(), []receiver.PayoutCall{{
			Ref: ref, Version: held[0].Version, Queue: true, Now: now, DueAt: now.Add(24 * time.Hour),
		}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnOperatorEndsAPayoutsWaitInTheQueue(t *testing.T) {
	t.Parallel()
	store := newMemory()
	refs := []receiver.PayoutRef{{Consumer: "kiosk 1", Reference: "a/b"}, {Consumer: "merchant", Reference: "a/b"}, {Consumer: "merchant", Reference: "c"}}
	queuePayouts(t, store, refs...)
	r := run(t, store, nil)

	after := ""
	for i, ref := range refs { // a page each
		var page struct {
			Payouts []struct{ Reference, Consumer, Key string }
			Next    string
		}
		text := r.ask(t, "GET", "/admin/payouts?limit=1&after="+url.QueryEscape(after), "", 200)
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Payouts) != 1 || page.Next == "" {
			t.Fatalf("page %d: %s, error %v", i, text, err)
		}
		if got := page.Payouts[0]; got.Consumer != ref.Consumer || got.Reference != ref.Reference || got.Key != "key of "+ref.Consumer+ref.Reference {
			t.Errorf("page %d: got %+v, want %+v", i, got, ref)
		}
		after = page.Next
	}
	for path, status := range map[string]int{
		"/admin/payouts?after=x": 400, "/admin/payouts?limit=0": 400, "/admin/payouts/d": 404, "/admin/payouts/c?consumer=kiosk+1": 404,
	} {
		r.ask(t, "GET", path, "", status)
	}
	said := `{"operator":"ana","note":"the PSP says that it has none"}`
	path := "/admin/payouts/" + url.PathEscape("a/b")
	r.ask(t, "POST", path+"/fail", `{"operator":"ana"}`, 400)
	r.ask(t, "POST", path+"/fail", said, 200)
	r.ask(t, "POST", path+"/fail", said, 409)
	r.ask(t, "POST", "/admin/payouts/d/retry", said, 409)
	if text := r.ask(t, "GET", path, "", 200); !strings.Contains(text, `"state":"failed"`) || !strings.Contains(text, "says that it has none") {
		t.Errorf("given up: %s", text)
	}
	if text := r.ask(t, "GET", path+"?consumer=kiosk+1", "", 200); !strings.Contains(text, `"queued":true`) {
		t.Errorf("another's, under the same reference: %s", text)
	}
	if text := r.ask(t, "GET", "/admin/records", "", 200); !strings.Contains(text, `"subject":"payout a/b of merchant"`) {
		t.Errorf("the book: %s", text)
	}
}
