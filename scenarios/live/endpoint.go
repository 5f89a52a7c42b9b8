package live

import (
	"encoding/json"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// endpoint is the merchant's own webhook.
type endpoint struct {
	referee *referee

	mu  sync.Mutex
	got map[int64]int // by event
}

// ServeHTTP takes one event, or does what the plan's windows say.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	set := e.referee.at(chaos.PlaceEndpoint)
	if set.SlowMS > 0 {
		held := time.NewTimer(time.Duration(set.SlowMS) * time.Millisecond)
		defer held.Stop()
		select {
		case <-held.C:
		case <-r.Context().Done():
			return
		}
	}
	if set.Down {
		panic(http.ErrAbortHandler)
	}
	if set.Status != 0 {
		w.WriteHeader(set.Status)
		return
	}
	var event struct {
		ID int64 `json:"id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.got[event.ID]++
}

func (e *endpoint) arrived() map[int64]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.got)
}
