package pix

import (
	"fmt"
	"net/url"
	"time"
)

// WebhookRequest is the body of PUT /v2/webhook/{chave}. A key has one
// webhook; putting another replaces it.
type WebhookRequest struct {
	URL string // webhookUrl; the PSP posts to it with "/pix" appended
}

// MarshalJSON writes r under the names of the standard.
func (r WebhookRequest) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.open("", '{')
	w.text("webhookUrl", r.URL)
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads r from JSON; webhookUrl has to be a string.
func (r *WebhookRequest) UnmarshalJSON(raw []byte) error {
	got, found := readWebhookRequest(raw)
	if err := (&finding{list: found}).err(); err != nil {
		return fmt.Errorf("read webhook request: %w", err)
	}
	*r = got
	return nil
}

// ParseWebhookRequest reads the body of a webhook request and validates it.
// The request is good if there are no violations.
func ParseWebhookRequest(body []byte) (WebhookRequest, []Violation) {
	r, found := readWebhookRequest(body)
	if len(found) > 0 {
		return WebhookRequest{}, found
	}
	return r, r.Validate()
}

// Validate lists what is wrong with r by itself: the URL has to be absolute,
// http or https, with a host and without a fragment. The standard demands
// https; plain http is for a lab on one machine.
func (r WebhookRequest) Validate() []Violation {
	c := check{at: "webhook."}
	u, err := url.Parse(r.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Fragment != "" {
		c.add("webhookUrl", r.URL, "want an absolute http or https URL")
	}
	return c.list
}

func readWebhookRequest(body []byte) (WebhookRequest, []Violation) {
	var r WebhookRequest
	var f finding
	m := [...]member{{name: "webhookUrl"}}
	if valid(body) != nil || !readMembers(body, m[:]) {
		f.add(member{name: "webhook", raw: body}, errNotObject)
		return r, f.list
	}
	f.at = "webhook."
	r.URL = required(&f, m[0], asText)
	return r, f.list
}

// Webhook is WebhookCompleto as PSPs answer it.
type Webhook struct {
	URL       string    // webhookUrl
	PixKey    PixKey    // chave
	CreatedAt time.Time // criacao
}

// MarshalJSON writes h under the names in use.
func (h Webhook) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.webhook(h)
	return w.b, nil
}

// UnmarshalJSON reads h from JSON; all three members are required.
func (h *Webhook) UnmarshalJSON(raw []byte) error {
	if err := valid(raw); err != nil {
		return fmt.Errorf("read webhook: %w", err)
	}
	var f finding
	got := readWebhook(&f, member{name: "webhook", raw: raw})
	if err := f.err(); err != nil {
		return fmt.Errorf("read webhook: %w", err)
	}
	*h = got
	return nil
}

func (w *jsonWriter) webhook(h Webhook) {
	w.open("", '{')
	w.text("webhookUrl", h.URL)
	w.text("chave", string(h.PixKey))
	w.time("criacao", h.CreatedAt)
	w.closing('}')
}

func readWebhook(f *finding, at member) (h Webhook) {
	m := [...]member{{name: "webhookUrl"}, {name: "chave"}, {name: "criacao"}}
	if at.absent() {
		f.add(at, errNotObject)
		return h
	}
	f.within(at, m[:], func() {
		h.URL = required(f, m[0], asText)
		h.PixKey = required(f, m[1], asPixKey)
		h.CreatedAt = required(f, m[2], asTime)
	})
	return h
}

// WebhookPage is WebhooksConsultados, the answer of GET /v2/webhook.
type WebhookPage struct {
	From, To time.Time // inicio and fim; zero if not asked for
	Paging   Paging
	Webhooks []Webhook
}

// MarshalJSON writes wp under the names of the standard.
func (wp WebhookPage) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.open("", '{')
	w.open("parametros", '{')
	w.optTime("inicio", wp.From)
	w.optTime("fim", wp.To)
	w.paging(wp.Paging)
	w.closing('}')
	w.open("webhooks", '[')
	for _, h := range wp.Webhooks {
		w.webhook(h)
	}
	w.closing(']')
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads wp from JSON.
func (wp *WebhookPage) UnmarshalJSON(raw []byte) error {
	var got WebhookPage
	m := [...]member{{name: "parametros"}, {name: "webhooks"}}
	if err := pageMembers(raw, m[:]); err != nil {
		return fmt.Errorf("read page of webhooks: %w", err)
	}
	var f finding
	q := [...]member{{name: "inicio"}, {name: "fim"}, {name: "paginacao"}}
	f.within(m[0], q[:], func() {
		got.From = optional(&f, q[0], asTime)
		got.To = optional(&f, q[1], asTime)
		got.Paging = readPaging(&f, q[2])
	})
	elements(m[1].raw, func(value []byte, _ int) {
		got.Webhooks = append(got.Webhooks, readWebhook(&f, member{name: "webhooks", raw: value}))
	})
	if err := f.err(); err != nil {
		return fmt.Errorf("read page of webhooks: %w", err)
	}
	*wp = got
	return nil
}
