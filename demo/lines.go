package demo

import (
	"net/http"

	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// right says where the reference receiver does what those on the left do not.
const right = `receiver/callback.go    checks the signature over the raw bytes, stores, answers 200
receiver/store.go       AppendInbox: one row for each Pix, whoever tells of it how often
receiver/event.go       a refund that comes first waits for its credit
receiver/sweep.go       GET /pix brings in what no callback told
receiver/reconcile.go   at night every line of the statement meets its line of the ledger
`

// lines shows the code of one receiver.
func (s *Server) lines(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("receiver")
	text, err := right, error(nil)
	if name != scenarios.Reference().Name {
		text, err = broken.Source(name)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(text))
}

func (s *Server) profiles(w http.ResponseWriter, _ *http.Request) {
	names := []string{}
	for _, p := range s.Profiles {
		names = append(names, p.Name)
	}
	answer(w, names)
}
