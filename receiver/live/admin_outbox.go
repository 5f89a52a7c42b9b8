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

// letterView is an outbox event as an operator sees it.
type letterView struct {
	ID         int64          `json:"id"`
	Endpoint   string         `json:"endpoint"`
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	Number     int            `json:"number"`
	Kind       string         `json:"kind"`
	Cents      int64          `json:"cents"`
	Charge     string         `json:"charge,omitempty"`
	Refund     pix.RefundID   `json:"refund,omitempty"`
	Payout     string         `json:"payout,omitempty"`
	State      string         `json:"state"`
	Attempts   int            `json:"attempts"`
	At         time.Time      `json:"at"`
	DueAt      time.Time      `json:"due_at"`
}

func letterViewOf(o receiver.OutboxEvent) letterView {
	v := letterView{
		ID: o.ID, Endpoint: o.Endpoint, EndToEndID: o.EndToEndID, Number: o.Number, Kind: o.Kind, Cents: int64(o.Amount),
		Charge: o.Charge, Refund: o.Refund, Payout: o.Payout, State: "waiting", Attempts: o.Attempts, At: o.At.UTC(), DueAt: o.DueAt.UTC(),
	}
	switch {
	case o.Sent:
		v.State = "sent"
	case o.Skipped:
		v.State = "skipped"
	case o.Dead:
		v.State = "dead"
	}
	return v
}

// listOutbox lists dead letters, or with ?all every event.
func (a *admin) listOutbox(w http.ResponseWriter, req *http.Request) {
	given := req.URL.Query()
	q := receiver.OutboxQuery{Endpoint: given.Get("endpoint"), Dead: !given.Has("all")}
	after, limit, err := pageOf(req, "an outbox event")
	if err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	q.AfterID, q.Limit = after, limit
	events, err := a.Store.ListOutbox(req.Context(), q)
	if err != nil {
		unavailable(w, err)
		return
	}
	page := struct {
		Events []letterView `json:"events"`
		// Next is the after of the page that follows, where there may be one.
		Next int64 `json:"next,omitempty"`
	}{Events: make([]letterView, len(events))}
	for i, o := range events {
		page.Events[i] = letterViewOf(o)
	}
	if len(events) == q.Limit {
		page.Next = events[len(events)-1].ID
	}
	answer(w, http.StatusOK, page)
}

// pageOf is where a list goes on, and how long its page is.
func pageOf(req *http.Request, what string) (after int64, limit int, err error) {
	if text := req.URL.Query().Get("after"); text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 0 {
			return 0, 0, errors.New("after: want the id of " + what)
		}
	}
	limit, err = pageSize(req)
	return after, limit, err
}

// decideLetter carries out an operator's word on a dead letter.
func (a *admin) decideLetter(command func(context.Context, []receiver.Decision) ([]bool, error)) http.HandlerFunc {
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
		done(w, len(out) == 1 && out[0], fmt.Sprintf("outbox event %d is no dead letter", id), err)
	}
}

// recordView is a line of the operators' book.
type recordView struct {
	Number   int64     `json:"number"`
	At       time.Time `json:"at"`
	Operator string    `json:"operator"`
	Action   string    `json:"action"`
	Subject  string    `json:"subject"`
	Note     string    `json:"note"`
}

func (a *admin) listRecords(w http.ResponseWriter, req *http.Request) {
	after, limit, err := pageOf(req, "a record")
	if err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	records, err := a.Store.ListRecords(req.Context(), receiver.RecordQuery{After: after, Limit: limit})
	if err != nil {
		unavailable(w, err)
		return
	}
	page := struct {
		Records []recordView `json:"records"`
		Next    int64        `json:"next,omitempty"`
	}{Records: make([]recordView, len(records))}
	for i, r := range records {
		page.Records[i] = recordView{r.Number, r.At.UTC(), r.Operator, r.Action, r.Subject, r.Note}
	}
	if len(records) == limit {
		page.Next = records[len(records)-1].Number
	}
	answer(w, http.StatusOK, page)
}
