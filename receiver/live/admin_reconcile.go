package live

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// windowRequest is an operator's wish to have a window reconciled.
type windowRequest struct {
	word
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

func (q windowRequest) validate() error {
	if q.From.IsZero() || !q.From.Before(q.To) {
		return errors.New("from, to: want two instants, the first before the second")
	}
	return q.word.validate()
}

// windowView is a window as an operator sees it.
type windowView struct {
	ID          int64      `json:"id"`
	From        time.Time  `json:"from"`
	To          time.Time  `json:"to"`
	Operator    string     `json:"operator"`
	Note        string     `json:"note"`
	RequestedAt time.Time  `json:"requested_at"`
	FinishedAt  *time.Time `json:"finished_at,omitempty"`
}

func windowViewOf(w receiver.Window) windowView {
	v := windowView{
		ID: w.ID, From: w.From.UTC(), To: w.To.UTC(), Operator: w.Operator, Note: w.Note, RequestedAt: w.RequestedAt.UTC(),
	}
	if !w.FinishedAt.IsZero() {
		at := w.FinishedAt.UTC()
		v.FinishedAt = &at
	}
	return v
}

// requestWindow notes the wish; whichever process has the reconciliation's turn
// carries it out.
func (a *admin) requestWindow(w http.ResponseWriter, req *http.Request) {
	var said windowRequest
	if !read(w, req, &said) {
		return
	}
	now, err := a.Store.Now(req.Context())
	if err == nil && !said.From.Before(now) {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, "from: want an instant that is over")
		return
	}
	var asked receiver.Window
	if err == nil {
		asked, err = a.Store.RequestWindow(req.Context(), receiver.Window{
			From: said.From, To: said.To, Operator: said.Operator, Note: said.Note, RequestedAt: now,
		})
	}
	if err != nil {
		unavailable(w, err)
		return
	}
	answer(w, http.StatusAccepted, windowViewOf(asked))
}

// showWindow answers 202 until the window is reconciled, and then its report.
func (a *admin) showWindow(w http.ResponseWriter, req *http.Request) {
	id, err := strconv.ParseInt(req.PathValue("id"), 10, 64)
	var found []receiver.Window
	if err == nil && id > 0 {
		if found, err = a.Store.ListWindows(req.Context(), receiver.WindowQuery{ID: id}); err != nil {
			unavailable(w, err)
			return
		}
	}
	switch {
	case len(found) == 0:
		problem(w, http.StatusNotFound, pix.ProblemNotFound, fmt.Sprintf("no window %q", req.PathValue("id")))
	case found[0].FinishedAt.IsZero():
		answer(w, http.StatusAccepted, windowViewOf(found[0]))
	default:
		answerReport(w, req, found[0].Report)
	}
}

// showReport is the report of a closed day.
func (a *admin) showReport(w http.ResponseWriter, req *http.Request) {
	day := req.PathValue("day")
	if _, _, err := receiver.ParseDay(day); err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	body, closed, err := a.Store.FindReport(req.Context(), day)
	switch {
	case err != nil:
		unavailable(w, err)
	case !closed:
		problem(w, http.StatusNotFound, pix.ProblemNotFound,
			"day "+day+" has no report: it is not closed, which takes its end, the statement's lag, and nothing in flight")
	default:
		answerReport(w, req, body)
	}
}

// answerReport is a report as JSON, or as ?format wants it.
func answerReport(w http.ResponseWriter, req *http.Request, body []byte) {
	report, err := receiver.ParseReport(body)
	if err != nil {
		problem(w, http.StatusInternalServerError, pix.ProblemInternal, err.Error())
		return
	}
	kind := "application/json"
	switch req.URL.Query().Get("format") {
	case "", "json":
	case "text":
		kind, body = "text/plain; charset=utf-8", []byte(report.Text())
	case "csv":
		kind, body = "text/csv; charset=utf-8", report.CSV()
	default:
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, "format: want json, text or csv")
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body) // the peer may be gone; there is no one else to tell
}
