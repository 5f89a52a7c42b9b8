package fakepsp

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

const hookPath = "/v2/webhook/" + string(ourKey)

func TestWebhookLife(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.problem(pix.ProblemWebhookNotFound, "GET", hookPath, "")
	l.register()
	var hook pix.Webhook
	l.want(http.StatusOK, "GET", hookPath, "", &hook)
	if hook.URL != hookURL || hook.PixKey != ourKey || !hook.CreatedAt.Equal(labStart) {
		t.Errorf("got %+v", hook)
	}
	l.at(time.Minute)
	if reply := l.call("PUT", hookPath, `{"webhookUrl":"https://x.example.com/a"}`); reply.Status != http.StatusOK || len(reply.Body) != 0 {
		t.Errorf("another URL: got %d %s", reply.Status, reply.Body)
	}
	l.want(http.StatusOK, "GET", hookPath, "", &hook)
	if hook.URL != "https://x.example.com/a" {
		t.Errorf("got %+v", hook)
	}
	l.want(http.StatusNoContent, "DELETE", hookPath, "", nil)
	l.problem(pix.ProblemWebhookNotFound, "DELETE", hookPath, "")
}

func TestWebhookViolations(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, tc := range []struct{ target, body, at string }{
		{hookPath, `{"webhookUrl":"loja.example.com"}`, "webhook.webhookUrl"},
		{hookPath, `{"webhookUrl":"ftp://loja.example.com"}`, "webhook.webhookUrl"},
		{hookPath, `{}`, "webhook.webhookUrl"},
		{hookPath, `x`, "webhook"},
		{"/v2/webhook/outra@example.com", `{"webhookUrl":"https://x.example.com"}`, "webhook.chave"},
		{"/v2/webhook/%00", `{"webhookUrl":"https://x.example.com"}`, "webhook.chave"},
	} {
		if at := l.problem(pix.ProblemWebhookInvalid, "PUT", tc.target, tc.body); !slices.Equal(at, []string{tc.at}) {
			t.Errorf("%s %s: violations at %v", tc.target, tc.body, at)
		}
	}
	l.problem(pix.ProblemWebhookQueryInvalid, "GET", "/v2/webhook?inicio=x", "")
}

func TestWebhookList(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.want(http.StatusOK, "PUT", "/v2/webhook/"+string(ourKey2), `{"webhookUrl":"https://b.example.com"}`, nil)
	l.at(time.Minute)
	l.register()
	for query, want := range map[string][]pix.PixKey{
		"":                              {ourKey2, ourKey},
		"?inicio=2026-03-02T12:00:30Z":  {ourKey},
		"?fim=2026-03-02T12:00:00Z":     {ourKey2},
		"?paginacao.itensPorPagina=1":   {ourKey2},
		"?paginacao.paginaAtual=1":      nil,
		"?fim=2026-03-02T11:59:59.999Z": nil,
	} {
		var page pix.WebhookPage
		l.want(http.StatusOK, "GET", "/v2/webhook"+query, "", &page)
		var got []pix.PixKey
		for _, h := range page.Webhooks {
			got = append(got, h.PixKey)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

func TestRemovedWebhookIsForgottenAtTheWindowsStart(t *testing.T) {
	t.Parallel()
	removed := window(chaos.PlaceWebhook, 60_000, 120_000, chaos.Change{Removed: true})
	t.Run("callbacks are lost until it is registered again", func(t *testing.T) {
		l := newLab(t, removed)
		l.register()
		l.charge(1, "10.00")
		l.charge(2, "10.00")
		l.at(70 * time.Second)
		l.pay(order(1, "10.00"))
		if a := l.psp.Take(); a != nil {
			t.Fatalf("sent %s", name(a.Address))
		}
		if l.fired() != 1 || l.log[len(l.log)-1] != "lost p1/credit/0/1" {
			t.Errorf("fired %d, log %v", l.fired(), l.log)
		}
		l.register()
		l.pay(order(2, "10.00"))
		l.ack(l.take())
		l.at(3 * time.Minute)
		l.want(http.StatusOK, "GET", hookPath, "", nil)
	})
	t.Run("a question shows it", func(t *testing.T) {
		l := newLab(t, removed)
		l.register()
		l.at(time.Minute)
		l.problem(pix.ProblemWebhookNotFound, "GET", hookPath, "")
		if l.fired() != 1 {
			t.Errorf("fired %d", l.fired())
		}
	})
	t.Run("nothing shows where nothing was registered", func(t *testing.T) {
		l := newLab(t, removed)
		l.at(time.Minute)
		l.problem(pix.ProblemWebhookNotFound, "GET", hookPath, "")
		if l.fired() != 0 {
			t.Errorf("fired %d", l.fired())
		}
	})
	t.Run("each window once", func(t *testing.T) {
		l := newLab(t, removed, window(chaos.PlaceWebhook, 90_000, 200_000, chaos.Change{Removed: true}))
		for _, s := range []time.Duration{60, 90, 120, 200} {
			l.at((s - 1) * time.Second)
			l.register()
			l.at(s * time.Second)
			reply := l.call("GET", hookPath, "")
			want := http.StatusNotFound
			if s > 90 {
				want = http.StatusOK
			}
			if reply.Status != want {
				t.Errorf("at %d s: got %d, want %d", s, reply.Status, want)
			}
		}
	})
}
