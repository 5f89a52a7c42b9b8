package receiver

import (
	"errors"
	"net/http"

	"github.com/pixlab/pixlab/pix"
)

// memoRequest is the body of POST /memos: money blocked under MED, or released.
type memoRequest struct {
	ID         string         `json:"id"`
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	Amount     pix.Amount     `json:"amount"`
	Released   bool           `json:"released,omitempty"`
}

func (q memoRequest) validate() error {
	if q.ID == "" || q.Amount < 0 {
		return errors.New("id, amount: want an id and no negative amount")
	}
	return nil
}

// serveMemo takes the PSP's word, from outside API Pix, about blocked money.
func (r *Receiver) serveMemo(w http.ResponseWriter, req *http.Request, _ string) {
	var q memoRequest
	if !readJSON(w, req, &q) {
		return
	}
	memo := Memo{ID: q.ID, EndToEndID: q.EndToEndID, Amount: q.Amount, Released: q.Released, At: r.cfg.Clock.Now()}
	if _, err := r.store.PutMemos(req.Context(), []Memo{memo}); err != nil {
		unavailable(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
