package fakepsp

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// webhooks are the registered URLs, one for each key.
type webhooks struct {
	byKey map[pix.PixKey]pix.Webhook
	// forgotten has the deviations that took a key's webhook away, until it is
	// registered again.
	forgotten map[pix.PixKey][]int
	seen      int // windows looked at
}

func newWebhooks() webhooks {
	return webhooks{byKey: map[pix.PixKey]pix.Webhook{}, forgotten: map[pix.PixKey][]int{}}
}

// forget takes away all registrations where a window says so, once, at the
// window's start. It is evaluated late, by whoever looks next.
func (h *webhooks) forget(p *PSP, now time.Time) {
	if p.faults == nil {
		return
	}
	windows := p.faults.Windows(chaos.PlaceWebhook)
	for ; h.seen < len(windows) && windows[h.seen].From <= p.instant(now); h.seen++ {
		w := windows[h.seen]
		fresh := freshIn(windows, h.seen)
		if !w.Change.Removed || len(fresh) == 0 {
			continue
		}
		for _, key := range p.cfg.PixKeys {
			if _, ok := h.byKey[key]; ok {
				delete(h.byKey, key)
				h.forgotten[key] = fresh
			}
		}
	}
}

func without(list, gone []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return slices.Contains(gone, i) })
}

// putWebhook registers a URL for a key; another one takes its place.
func putWebhook(p *PSP, c *call) Reply {
	key, err := pix.ParsePixKey(c.vars["chave"])
	if err != nil {
		return invalidWebhook(pix.Violation{Reason: err.Error(), Property: "webhook.chave", Value: c.vars["chave"]})
	}
	if found := p.foreignKey("webhook.chave", key); len(found) > 0 {
		return invalidWebhook(found...)
	}
	r, found := pix.ParseWebhookRequest(c.body)
	if len(found) > 0 {
		return invalidWebhook(found...)
	}
	if p.hooks.byKey[key].URL != r.URL {
		p.hooks.byKey[key] = pix.Webhook{URL: r.URL, PixKey: key, CreatedAt: c.now.UTC().Truncate(time.Millisecond)}
	}
	delete(p.hooks.forgotten, key)
	return Reply{Status: http.StatusOK}
}

// getWebhook shows a key's webhook.
func getWebhook(p *PSP, c *call) Reply {
	hook, ok := p.hooks.byKey[pix.PixKey(c.vars["chave"])]
	if !ok {
		return p.noWebhook(c)
	}
	return answer(http.StatusOK, hook)
}

// deleteWebhook ends a registration; a second time it is not found.
func deleteWebhook(p *PSP, c *call) Reply {
	key := pix.PixKey(c.vars["chave"])
	if _, ok := p.hooks.byKey[key]; !ok {
		return p.noWebhook(c)
	}
	delete(p.hooks.byKey, key)
	return Reply{Status: http.StatusNoContent}
}

// listWebhooks is GET /v2/webhook, by (criacao, chave).
func listWebhooks(p *PSP, c *call) Reply {
	q := readListQuery(c, windowOptional)
	if len(q.found) > 0 {
		return problem(pix.ProblemWebhookQueryInvalid, "", q.found...)
	}
	var match []pix.Webhook
	for _, key := range p.cfg.PixKeys {
		hook, ok := p.hooks.byKey[key]
		if ok && !hook.CreatedAt.Before(q.from) && (q.to.IsZero() || !hook.CreatedAt.After(q.to)) {
			match = append(match, hook)
		}
	}
	slices.SortFunc(match, func(a, b pix.Webhook) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(string(a.PixKey), string(b.PixKey))
	})
	lo, hi := q.cut(len(match))
	return answer(http.StatusOK, pix.WebhookPage{
		From: q.from, To: q.to, Paging: pix.NewPaging(q.page, q.perPage, len(match)), Webhooks: match[lo:hi],
	})
}

func invalidWebhook(v ...pix.Violation) Reply { return problem(pix.ProblemWebhookInvalid, "", v...) }

// noWebhook is the 404 of a key without a webhook. Where a fault took it away,
// here it shows.
func (p *PSP) noWebhook(c *call) Reply {
	if from := p.hooks.forgotten[pix.PixKey(c.vars["chave"])]; len(from) > 0 {
		c.faults.fired = true
		p.fire(from)
	}
	return problem(pix.ProblemWebhookNotFound, "no webhook for this chave")
}
