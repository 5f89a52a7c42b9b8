package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// eventView is an event as an operator sees it.
type eventView struct {
	ID         int64                   `json:"id"`
	Source     string                  `json:"source"`
	Key        string                  `json:"key"`
	Channel    receiver.Channel        `json:"channel"`
	State      receiver.EventState     `json:"state"`
	Kind       receiver.QuarantineKind `json:"kind,omitempty"`
	Reason     string                  `json:"reason,omitempty"`
	EndToEndID pix.EndToEndID          `json:"endToEndId,omitempty"`
	TxID       pix.TxID                `json:"txid,omitempty"`
	RefundID   pix.RefundID            `json:"refundId,omitempty"`
	Amount     pix.Amount              `json:"amount,omitempty"`
	Confirmed  bool                    `json:"confirmed"`
	Attempts   int                     `json:"attempts"`
	ReceivedAt time.Time               `json:"received_at"`
	// Raw are the bytes as received, in base64, where one event was asked for.
	Raw []byte `json:"raw,omitempty"`
}

func viewOf(e receiver.Event) eventView {
	v := eventView{
		ID: e.ID, Source: e.Source, Key: e.Key, Channel: e.Channel, State: e.State, Kind: e.Quarantine, Reason: e.Reason,
		EndToEndID: e.EndToEndID(), Confirmed: e.Confirmed, Attempts: e.Attempts, ReceivedAt: e.ReceivedAt.UTC(),
	}
	if e.Credit != nil {
		v.TxID, v.Amount = e.Credit.TxID, e.Credit.Amount
	}
	if e.Refund != nil {
		v.RefundID, v.Amount = e.Refund.ID, e.Refund.Amount
	}
	return v
}

func (a *admin) listQuarantine(w http.ResponseWriter, req *http.Request) {
	q, err := quarantineQuery(req)
	if err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	events, err := a.Store.ListEvents(req.Context(), q)
	if err != nil {
		unavailable(w, err)
		return
	}
	page := struct {
		Events []eventView `json:"events"`
		// Next is the after of the page that follows, where there may be one.
		Next int64 `json:"next,omitempty"`
	}{Events: make([]eventView, len(events))}
	for i, e := range events {
		page.Events[i] = viewOf(e)
	}
	if len(events) == q.Limit {
		page.Next = events[len(events)-1].ID
	}
	answer(w, http.StatusOK, page)
}

func quarantineQuery(req *http.Request) (receiver.EventQuery, error) {
	given := req.URL.Query()
	q := receiver.EventQuery{State: receiver.EventQuarantined, Quarantine: receiver.QuarantineKind(given.Get("kind"))}
	switch q.Quarantine {
	case "", receiver.QuarantineWaiting, receiver.QuarantineBad:
	default:
		return q, errors.New("kind: want waiting or bad")
	}
	var err error
	q.AfterID, q.Limit, err = pageOf(req, "an event")
	return q, err
}

// eventID is the {id} of the path; it answers 404 where it is none.
func eventID(w http.ResponseWriter, req *http.Request) (int64, bool) {
	id, err := strconv.ParseInt(req.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		problem(w, http.StatusNotFound, pix.ProblemNotFound, fmt.Sprintf("no event %q", req.PathValue("id")))
		return 0, false
	}
	return id, true
}

// showEvent shows an event that is, or was, in quarantine.
func (a *admin) showEvent(w http.ResponseWriter, req *http.Request) {
	id, ok := eventID(w, req)
	if !ok {
		return
	}
	events, err := a.Store.ListEvents(req.Context(), receiver.EventQuery{ID: id, Limit: 1})
	switch {
	case err != nil:
		unavailable(w, err)
	case len(events) == 0:
		problem(w, http.StatusNotFound, pix.ProblemNotFound, fmt.Sprintf("no event %d", id))
	default:
		v := viewOf(events[0])
		v.Raw = events[0].Raw
		answer(w, http.StatusOK, v)
	}
}

// decide carries out an operator's word on one event.
func (a *admin) decide(command func(context.Context, []receiver.Decision) ([]bool, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		id, ok := eventID(w, req)
		var said word
		if !ok || !read(w, req, &said) {
			return
		}
		now, err := a.Store.Now(req.Context())
		if err != nil {
			unavailable(w, err)
			return
		}
		out, err := command(req.Context(), []receiver.Decision{{EventID: id, Operator: said.Operator, Note: said.Note, Now: now}})
		done(w, len(out) == 1 && out[0], fmt.Sprintf("event %d is not in quarantine", id), err)
	}
}
