package main

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// shot is one request: a callback, or the copy of one that goes out at the same
// instant on another connection.
type shot struct {
	callback int
	copy     bool
	at       time.Duration // since the beginning; in a closed loop when it is sent
}

// traffic is what is sent, and how.
type traffic struct {
	targets     []*url.URL
	secret      pix.Secret
	stock       []loadPix
	items       int // Pix of a callback
	redeliver   int // of a hundred callbacks
	rate        int // callbacks a second; 0 sends as fast as answers come
	connections int
	duration    time.Duration
}

// fired is what came of it.
type fired struct {
	began, ended time.Time // the last answer is in at ended
	sent         int
	redelivered  int
	ack          []time.Duration // of those accepted, in no order
	due          []time.Time     // of each callback, the instant at which it was to go out
	accepted     []bool          // of each callback, by either copy
	refused      map[string]int  // by status or error
	exhausted    bool            // the stock ended before the time
	elsewhere    float64         // of a hundred parts of the processors' time; negative where unknown
}

// shots are all that could be sent, in their order.
func (t *traffic) shots() []shot {
	n := len(t.stock) / t.items
	every := time.Duration(0)
	if t.rate > 0 {
		every = time.Second / time.Duration(t.rate)
		n = min(n, int(t.duration/every))
	}
	out := make([]shot, 0, n+n*t.redeliver/100+1)
	for k := range n {
		s := shot{callback: k, at: time.Duration(k) * every}
		out = append(out, s)
		if (k+1)*t.redeliver/100 > k*t.redeliver/100 {
			s.copy = true
			out = append(out, s)
		}
	}
	return out
}

func (t *traffic) body(callback int) []byte {
	some := t.stock[callback*t.items : (callback+1)*t.items]
	payments := make([]pix.Payment, len(some))
	for i, p := range some {
		payments[i] = p.payment()
	}
	return pix.EncodeCallback(payments)
}

// run sends until the time is up or ctx ends, and waits for all answers.
func (t *traffic) run(ctx context.Context) *fired {
	shots := t.shots()
	out := &fired{refused: map[string]int{}, due: make([]time.Time, len(t.stock)/t.items), accepted: make([]bool, len(t.stock)/t.items)}
	gunners := make([]*gunner, t.connections)
	for i := range gunners {
		gunners[i] = &gunner{t: t, conn: newLoadConn(t.targets[i%len(t.targets)], t.secret), refused: map[string]int{}}
	}
	busy := readMachine()
	out.began = time.Now()
	next := t.closed(ctx, shots, out.began)
	if t.rate > 0 {
		next = t.open(ctx, shots, out.began)
	}
	var crew sync.WaitGroup
	for _, g := range gunners {
		crew.Go(func() { g.fire(out.began, next) })
	}
	crew.Wait()
	out.ended = time.Now()
	out.elsewhere = busy.elsewhere(readMachine())
	for _, g := range gunners {
		out.add(g)
	}
	out.exhausted = t.rate == 0 && out.sent == len(shots)
	return out
}

// open hands out shots at their instants, whatever has been answered.
func (t *traffic) open(ctx context.Context, shots []shot, began time.Time) func() (shot, bool) {
	ready := make(chan shot, len(shots)) // nobody ever waits to hand one over
	go func() {
		defer close(ready)
		for _, s := range shots {
			if left := s.at - time.Since(began); left > 0 {
				time.Sleep(left)
			}
			if ctx.Err() != nil {
				return
			}
			ready <- s
		}
	}()
	return func() (shot, bool) {
		s, more := <-ready
		return s, more
	}
}

// closed hands out the next shot to whoever has had its answer.
func (t *traffic) closed(ctx context.Context, shots []shot, began time.Time) func() (shot, bool) {
	var taken atomic.Int64
	return func() (shot, bool) {
		at := time.Since(began)
		n := int(taken.Add(1)) - 1
		if n >= len(shots) || at >= t.duration || ctx.Err() != nil {
			return shot{}, false
		}
		s := shots[n]
		s.at = at
		return s, true
	}
}

// gunner is one connection's sender.
type gunner struct {
	t       *traffic
	conn    *loadConn
	shots   []shot
	ack     []time.Duration // beside shots; negative if it was not accepted
	refused map[string]int
}

func (g *gunner) fire(began time.Time, next func() (shot, bool)) {
	defer g.conn.close()
	for {
		s, more := next()
		if !more {
			return
		}
		status, err := g.conn.post(g.t.body(s.callback))
		took := time.Since(began) - s.at
		switch {
		case err != nil:
			g.refused["no answer"]++
			took = -1
		case status < 200 || status > 299:
			g.refused[strconv.Itoa(status)]++
			took = -1
		}
		g.shots, g.ack = append(g.shots, s), append(g.ack, took)
	}
}

func (f *fired) add(g *gunner) {
	f.sent += len(g.shots)
	for reason, n := range g.refused {
		f.refused[reason] += n
	}
	for i, s := range g.shots {
		if s.copy {
			f.redelivered++
		}
		if at := f.began.Add(s.at); f.due[s.callback].IsZero() || at.Before(f.due[s.callback]) {
			f.due[s.callback] = at
		}
		if g.ack[i] >= 0 {
			f.accepted[s.callback] = true
			f.ack = append(f.ack, g.ack[i])
		}
	}
}

// errors is how many requests were not answered 2xx.
func (f *fired) errors() int {
	n := 0
	for _, k := range f.refused {
		n += k
	}
	return n
}

// spread are the percentiles of exact samples, by the nearest rank, in
// milliseconds.
type spread struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// spreadOf sorts the samples; nil where there are none.
func spreadOf(samples []time.Duration) *spread {
	if len(samples) == 0 {
		return nil
	}
	slices.Sort(samples)
	rank := func(thousandths int) float64 {
		n := (len(samples)*thousandths + 999) / 1000
		return float64(samples[max(n, 1)-1].Microseconds()) / 1000
	}
	return &spread{P50: rank(500), P95: rank(950), P99: rank(990), P999: rank(999), Max: rank(1000)}
}
