package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/pixlab/pixlab/web"
)

// Act is an order to a live stage.
type Act struct {
	// Do is kill, cut, database (stop it, or start it again), heal, load (on or
	// off), rate or copies.
	Do string `json:"do"`
	// N is the receiver to kill, or the new rate or share.
	N  int  `json:"n"`
	On bool `json:"on"`
}

// LiveServer serves the page of a live stage. Orders are taken from the page's
// own origin only; off loopback they need the token as well.
type LiveServer struct {
	Board *Board
	// Do carries an order out; what it refuses is said on the page in one line.
	Do func(ctx context.Context, a Act) error
	// Seed is shown; CanStop is whether the database is ours to stop.
	Seed    string
	CanStop bool
	// Token is that of [Server].
	Token string
}

// Handler is the front door.
func (s *LiveServer) Handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(web.Live())
	})
	m.Handle("GET /assets/", web.Assets())
	m.Handle("GET /fonts/", web.Assets())
	m.HandleFunc("GET /api/stage", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"seed": s.Seed, "canStop": s.CanStop})
	})
	m.HandleFunc("GET /api/readings", s.readings)
	m.HandleFunc("POST /api/act", s.act)
	return guard(s.Token, m)
}

// readings tells of every reading by server-sent events. A page that comes back
// with the number it saw last hears of those it missed, as far as they are kept.
func (s *LiveServer) readings(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "this connection cannot be streamed to", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	seen, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		seen = 0
	}
	fmt.Fprint(w, "retry: 500\n\n")
	flusher.Flush()
	for {
		some, changed := s.Board.Since(seen)
		for _, x := range some {
			raw, err := json.Marshal(x)
			if err != nil {
				return
			}
			seen = x.N
			fmt.Fprintf(w, "id: %d\nevent: reading\ndata: %s\n\n", seen, raw)
		}
		flusher.Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

func (s *LiveServer) act(w http.ResponseWriter, r *http.Request) {
	var a Act
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOrder)).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.Do(r.Context(), a); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
