package live

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// payoutView is a payout as an operator sees it: what to ask the PSP by, and how
// often and how long ago it was asked.
type payoutView struct {
	Reference   string               `json:"reference"`
	Consumer    string               `json:"consumer"`
	PixKey      pix.PixKey           `json:"pix_key"`
	Cents       int64                `json:"cents"`
	State       receiver.PayoutState `json:"state"`
	Queued      bool                 `json:"queued"`
	Key         string               `json:"key"` // at the PSP
	EndToEndID  pix.EndToEndID       `json:"endToEndId,omitempty"`
	Returned    int64                `json:"returned_cents"`
	Problem     string               `json:"problem,omitempty"`
	Attempts    int                  `json:"attempts"`
	RequestedAt time.Time            `json:"requested_at"`
	FirstCallAt *time.Time           `json:"first_call_at,omitempty"`
	LastCallAt  *time.Time           `json:"last_call_at,omitempty"`
	DueAt       *time.Time           `json:"due_at,omitempty"`
	FinishedAt  *time.Time           `json:"finished_at,omitempty"`
}

func payoutViewOf(x receiver.Payout) payoutView {
	v := payoutView{
		Reference: x.Reference, Consumer: x.Consumer, PixKey: x.PixKey, Cents: int64(x.Amount), State: x.State, Queued: x.Queued,
		Key: x.Key, EndToEndID: x.EndToEndID, Returned: int64(x.Returned()), Problem: x.Problem, Attempts: x.Attempts,
		RequestedAt: x.RequestedAt.UTC(), FirstCallAt: known(x.FirstCallAt), LastCallAt: known(x.LastCallAt), FinishedAt: known(x.FinishedAt),
	}
	if !x.State.Final() {
		v.DueAt = known(x.DueAt)
	}
	return v
}

// known is an instant where there is one.
func known(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

// payoutCursor names a payout as the end of a page.
func payoutCursor(x receiver.Payout) string {
	return url.QueryEscape(x.Consumer) + " " + url.QueryEscape(x.Reference)
}

func parsePayoutCursor(text string) (receiver.PayoutRef, error) {
	if text == "" {
		return receiver.PayoutRef{}, nil
	}
	consumer, reference, two := strings.Cut(text, " ")
	c, err := url.QueryUnescape(consumer)
	r, err2 := url.QueryUnescape(reference)
	if !two || err != nil || err2 != nil {
		return receiver.PayoutRef{}, errors.New("after: want the next of the page before")
	}
	return receiver.PayoutRef{Consumer: c, Reference: r}, nil
}

// listPayouts lists the conciliation queue, with ?open what has no known end, or
// with ?all every payout.
func (a *admin) listPayouts(w http.ResponseWriter, req *http.Request) {
	given := req.URL.Query()
	q := receiver.PayoutQuery{Open: given.Has("open"), Queued: !given.Has("open") && !given.Has("all")}
	limit, err := pageSize(req)
	if err == nil {
		q.After, err = parsePayoutCursor(given.Get("after"))
	}
	if err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	q.Limit = limit
	payouts, err := a.Store.ListPayouts(req.Context(), q)
	if err != nil {
		unavailable(w, err)
		return
	}
	page := struct {
		Payouts []payoutView `json:"payouts"`
		// Next is the after of the page that follows, where there may be one.
		Next string `json:"next,omitempty"`
	}{Payouts: make([]payoutView, len(payouts))}
	for i, x := range payouts {
		page.Payouts[i] = payoutViewOf(x)
	}
	if len(payouts) == limit {
		page.Next = payoutCursor(payouts[len(payouts)-1])
	}
	answer(w, http.StatusOK, page)
}

func (a *admin) showPayout(w http.ResponseWriter, req *http.Request) {
	ref := receiver.PayoutRef{
		Consumer: cmp.Or(req.URL.Query().Get("consumer"), a.Consumer), Reference: req.PathValue("reference"),
	}
	found, err := a.Store.FindPayouts(req.Context(), []receiver.PayoutRef{ref})
	switch {
	case err != nil:
		unavailable(w, err)
	case found[0] == nil:
		problem(w, http.StatusNotFound, pix.ProblemNotFound, fmt.Sprintf("no payout %q of %s", ref.Reference, ref.Consumer))
	default:
		answer(w, http.StatusOK, payoutViewOf(*found[0]))
	}
}

// resolution is an operator's word on a payout in the conciliation queue.
type resolution struct {
	word
	Consumer string `json:"consumer"`
}

// resolvePayout ends a payout's wait in the conciliation queue.
func (a *admin) resolvePayout(action string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		said := resolution{Consumer: a.Consumer}
		if !read(w, req, &said) {
			return
		}
		now, err := a.Store.Now(req.Context())
		if err != nil {
			unavailable(w, err)
			return
		}
		ref := receiver.PayoutRef{Consumer: said.Consumer, Reference: req.PathValue("reference")}
		out, err := a.Store.ResolvePayouts(req.Context(), []receiver.PayoutResolution{{
			Ref: ref, Action: action, Operator: said.Operator, Note: said.Note, Now: now,
		}})
		done(w, len(out) == 1 && out[0], fmt.Sprintf("payout %q of %s is not in the conciliation queue", ref.Reference, ref.Consumer), err)
	}
}
