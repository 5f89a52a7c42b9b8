package live

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// caseView is a case as an operator sees it.
type caseView struct {
	ID         string             `json:"id"`
	EndToEndID pix.EndToEndID     `json:"endToEndId,omitempty"`
	Account    receiver.Account   `json:"account,omitempty"`
	Cents      int64              `json:"cents"`
	Reasons    []string           `json:"reasons"`
	State      receiver.CaseState `json:"state"`
	OpenedAt   time.Time          `json:"opened_at"`
	ClosedAt   *time.Time         `json:"closed_at,omitempty"`
	Note       string             `json:"note,omitempty"`
}

func caseViewOf(c receiver.Case) caseView {
	v := caseView{
		ID: c.ID, EndToEndID: c.EndToEndID, Account: c.Account, Cents: int64(c.Amount), Reasons: c.Reasons,
		State: c.State, OpenedAt: c.OpenedAt.UTC(), Note: c.Note,
	}
	if !c.ClosedAt.IsZero() {
		at := c.ClosedAt.UTC()
		v.ClosedAt = &at
	}
	return v
}

func (a *admin) listCases(w http.ResponseWriter, req *http.Request) {
	given := req.URL.Query()
	q := receiver.CaseQuery{State: receiver.CaseState(given.Get("state")), AfterID: given.Get("after")}
	limit, err := pageSize(req)
	if q.State != "" && q.State != receiver.CaseOpen && q.State != receiver.CaseClosed {
		err = errors.New("state: want open or closed")
	}
	if err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	q.Limit = limit
	cases, err := a.Store.ListCases(req.Context(), q)
	if err != nil {
		unavailable(w, err)
		return
	}
	page := struct {
		Cases []caseView `json:"cases"`
		// Next is the after of the page that follows, where there may be one.
		Next string `json:"next,omitempty"`
	}{Cases: make([]caseView, len(cases))}
	for i, c := range cases {
		page.Cases[i] = caseViewOf(c)
	}
	if len(cases) == limit {
		page.Next = cases[len(cases)-1].ID
	}
	answer(w, http.StatusOK, page)
}

func (a *admin) showCase(w http.ResponseWriter, req *http.Request) {
	id := req.PathValue("id")
	cases, err := a.Store.ListCases(req.Context(), receiver.CaseQuery{ID: id, Limit: 1})
	switch {
	case err != nil:
		unavailable(w, err)
	case len(cases) == 0:
		problem(w, http.StatusNotFound, pix.ProblemNotFound, fmt.Sprintf("no case %q", id))
	default:
		answer(w, http.StatusOK, caseViewOf(cases[0]))
	}
}

// closing is an operator's word on a case. To takes what the case holds in
// suspense; a case that holds nothing needs none.
type closing struct {
	word
	To receiver.Account `json:"to"`
}

func (c closing) validate() error {
	switch c.To {
	case "", receiver.AccountRevenue, receiver.AccountToReturn:
		return c.word.validate()
	}
	return fmt.Errorf("to %q: want %s or %s", c.To, receiver.AccountRevenue, receiver.AccountToReturn)
}

func (a *admin) closeCase(w http.ResponseWriter, req *http.Request) {
	var said closing
	if !read(w, req, &said) {
		return
	}
	now, err := a.Store.Now(req.Context())
	if err != nil {
		unavailable(w, err)
		return
	}
	id := req.PathValue("id")
	out, err := a.Store.CloseCases(req.Context(), []receiver.CaseClosing{{
		CaseID: id, To: said.To, Operator: said.Operator, Note: said.Note, Now: now,
	}})
	done(w, len(out) == 1 && out[0], fmt.Sprintf("case %q is not open, or its money needs an account to go to", id), err)
}

// attachment is an operator's word that a Pix is for a charge.
type attachment struct {
	word
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	Reference  string         `json:"reference"`
	Consumer   string         `json:"consumer"`
}

func (t attachment) validate() error {
	if t.EndToEndID == "" || t.Reference == "" {
		return errors.New("want endToEndId and reference")
	}
	return t.word.validate()
}

func (a *admin) attach(w http.ResponseWriter, req *http.Request) {
	said := attachment{Consumer: a.Consumer}
	if !read(w, req, &said) {
		return
	}
	now, err := a.Store.Now(req.Context())
	if err != nil {
		unavailable(w, err)
		return
	}
	out, err := a.Store.AttachPayments(req.Context(), []receiver.Attachment{{
		EndToEndID: said.EndToEndID, Charge: receiver.ChargeRef{Consumer: said.Consumer, Reference: said.Reference},
		Operator: said.Operator, Note: said.Note, Now: now,
	}})
	if err != nil || len(out) != 1 {
		done(w, false, "no answer", err)
		return
	}
	done(w, out[0].Attached, out[0].Reason, nil)
}
