package live_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

func TestEverythingButHealthNeedsTheAdministratorsToken(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	for _, path := range []string{"/readyz", "/metrics", "/admin/quarantine", "/admin/cases", "/nothing"} {
		for _, header := range []http.Header{
			nil, shown(""), shown("wrong"), shown(adminToken + "x"), shown(adminToken[:5]), shown(apiToken),
			{"Authorization": {"Basic " + adminToken}}, {"Authorization": {adminToken}},
		} {
			if status, _, _ := exchange(t, "GET", r.admin+path, header, nil); status != 401 {
				t.Errorf("%s with %v: %d", path, header, status)
			}
		}
	}
	if status, _, _ := exchange(t, "GET", r.admin+"/healthz", nil, nil); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	r.ask(t, "GET", "/readyz", "", 200)
	r.ask(t, "GET", "/nothing", "", 404)
}

func TestReadyFollowsItsChecks(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	r := run(t, newMemory(), func(c *live.ProcessConfig) {
		c.Checks = []live.Check{{Name: "store", Run: func(context.Context) error {
			if away.Load() {
				return errors.New("it went away")
			}
			return nil
		}}}
	})
	r.ask(t, "GET", "/readyz", "", 200)
	away.Store(true)
	if text := r.ask(t, "GET", "/readyz", "", 503); !strings.Contains(text, "it went away") {
		t.Error(text)
	}
}

func TestAnOperatorLooksAtTheQuarantineAndDecides(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	bad := `{"pix":[{"endToEndId":"E1","valor":"one"}]}`
	r.post(t, signed(secretA(), []byte(bad)), []byte(bad), 200)
	list := r.ask(t, "GET", "/admin/quarantine?kind=bad", "", 200)
	if !strings.Contains(list, `"id":1,`) || !strings.Contains(list, receiver.ReasonUnreadable) {
		t.Fatalf("the quarantine: %s", list)
	}
	if other := r.ask(t, "GET", "/admin/quarantine?kind=waiting", "", 200); other != "{\"events\":[]}\n" {
		t.Errorf("waiting: %s", other)
	}
	raw := base64.StdEncoding.EncodeToString([]byte(`{"endToEndId":"E1","valor":"one"}`))
	if one := r.ask(t, "GET", "/admin/quarantine/1", "", 200); !strings.Contains(one, raw) {
		t.Errorf("the event: %s", one)
	}
	for _, body := range []string{``, `{}`, `{"operator":"ana"}`, `{"operator":"ana","note":"x","more":1}`, `{"operator":"ana","note":"x"}{}`} {
		r.ask(t, "POST", "/admin/quarantine/1/drop", body, 400)
	}
	said := `{"operator":"ana","note":"a test of the PSP's"}`
	r.ask(t, "POST", "/admin/quarantine/1/drop", said, 200)
	r.ask(t, "POST", "/admin/quarantine/2/requeue", said, 409)
	r.ask(t, "POST", "/admin/quarantine/x/requeue", said, 404)
	r.ask(t, "GET", "/admin/quarantine/2", "", 404)
	r.ask(t, "GET", "/admin/quarantine?kind=odd", "", 400)
	r.ask(t, "GET", "/admin/quarantine?limit=0", "", 400)
	r.ask(t, "GET", "/admin/quarantine?after=x", "", 400)
	r.metric(t, `pixlab_receiver_quarantined_total{cause="unreadable"} 1`)
	r.metric(t, `pixlab_receiver_quarantine_depth{kind="bad"} 1`)
}

// unidentified books a Pix of one real under our key that names no charge.
func unidentified(t *testing.T, store receiver.Store, n int) {
	t.Helper()
	it := item(n)
	it.Channel, it.Confirmed = receiver.ChannelSweep, true
	if _, err := store.AppendInbox(t.Context(), []receiver.InboxItem{it}); err != nil {
		t.Fatal(err)
	}
}

func TestAnOperatorAttachesMoneyAndClosesCases(t *testing.T) {
	t.Parallel()
	store := newMemory()
	unidentified(t, store, 1)
	unidentified(t, store, 2)
	r := run(t, store, nil)
	for range 2 {
		await(t, r.booked, "a booking")
	}
	_, text, _ := exchange(t, "POST", r.public+"/charges", keyed(apiToken, "key-1"), []byte(`{"reference":"sale-1","kind":"static"}`))
	open := r.ask(t, "GET", "/admin/cases?state=open", "", 200)
	for n := 1; n <= 2; n++ {
		if id := receiver.UnidentifiedCase(endToEndID(n)); !strings.Contains(open, id) {
			t.Fatalf("no case %s in %s (charge: %s)", id, open, text)
		}
	}
	attach := func(n int, reference string) string {
		return fmt.Sprintf(`{"operator":"ana","note":"the payer called","endToEndId":%q,"reference":%q}`, endToEndID(n), reference)
	}
	r.ask(t, "POST", "/admin/attach", attach(1, "sale-1"), 200)
	r.ask(t, "POST", "/admin/attach", attach(1, "sale-1"), 409)
	r.ask(t, "POST", "/admin/attach", attach(2, "sale-9"), 409)
	r.ask(t, "POST", "/admin/attach", `{"operator":"ana","note":"x"}`, 400)

	path := "/admin/cases/" + url.PathEscape(receiver.UnidentifiedCase(endToEndID(2))) + "/close"
	r.ask(t, "POST", path, `{"operator":"ana","note":"give it back","to":"psp:pix:liquidar"}`, 400)
	r.ask(t, "POST", path, `{"operator":"ana","note":"give it back"}`, 409)
	r.ask(t, "POST", path, `{"operator":"ana","note":"give it back","to":"merchant:credito_a_devolver"}`, 200)
	r.ask(t, "POST", path, `{"operator":"ana","note":"give it back","to":"merchant:credito_a_devolver"}`, 409)
	if open := r.ask(t, "GET", "/admin/cases?state=open", "", 200); open != "{\"cases\":[]}\n" {
		t.Errorf("open cases: %s", open)
	}
	first := r.ask(t, "GET", "/admin/cases?limit=1", "", 200)
	if !strings.Contains(first, `"next":"`) || !strings.Contains(first, "the payer called") {
		t.Errorf("the first page: %s", first)
	}
}
