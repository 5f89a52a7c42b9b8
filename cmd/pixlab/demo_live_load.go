package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/demo"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios/live"
)

// What a live demo may be asked for, and how it sends.
const (
	liveMostRate  = 500
	liveConns     = 32
	livePatience  = 2 * time.Second // of the PSP, with one callback
	liveTick      = 100 * time.Millisecond
	liveMostOwed  = 20_000          // callbacks; then nobody pays before some are acknowledged
	liveAckWindow = 5 * time.Second // of which the percentiles are
)

// liveLoad has Pix paid at a stage and tells the receivers, in the PSP's place:
// callbacks leave on schedule whatever has been answered by then, some of them
// twice at once, and what was not answered 2xx is sent again by the retry table
// of live plans. Amounts and copies are the seed's.
type liveLoad struct {
	stage *live.Stage
	seed  chaos.Seed
	conns chan *loadConn
	crew  sync.WaitGroup

	mu    sync.Mutex
	load  demo.Load
	drawn int
	pix   map[pix.EndToEndID]*livePix
	acks  []liveAck // of the last seconds
}

// livePix is one Pix, as paid, as acknowledged, and as the ledger has it.
type livePix struct {
	paid, booked int64
	times        int
	acked        bool
}

// liveAck is a callback that was acknowledged, and how long that took.
type liveAck struct {
	at   time.Time
	took time.Duration
}

func newLiveLoad(stage *live.Stage, seed chaos.Seed, rate, copies int) (*liveLoad, error) {
	front, err := url.Parse(stage.Front())
	if err != nil {
		return nil, err
	}
	l := &liveLoad{
		stage: stage, seed: seed, conns: make(chan *loadConn, liveConns), pix: map[pix.EndToEndID]*livePix{},
		load: demo.Load{On: true, Rate: rate, Copies: copies},
	}
	for range liveConns {
		c := newLoadConn(front, stage.Secret())
		c.patience = livePatience
		l.conns <- c
	}
	return l, nil
}

// run pays and sends until ctx ends, and waits for what is on its way.
func (l *liveLoad) run(ctx context.Context) error {
	defer func() {
		l.crew.Wait()
		for range liveConns {
			(<-l.conns).close()
		}
	}()
	tick := time.NewTicker(liveTick)
	defer tick.Stop()
	owed := 0.0 // Pix, of which parts stay for the next tick
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			owed += l.wanted()
			n := int(owed)
			owed -= float64(n)
			if n == 0 {
				continue
			}
			if err := l.pay(ctx, now, n); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("pay at the PSP: %w", err)
			}
		}
	}
}

// wanted is how many Pix one tick is to bring.
func (l *liveLoad) wanted() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.load.On || l.load.Outstanding >= liveMostOwed {
		return 0
	}
	return float64(l.load.Rate) * liveTick.Seconds()
}

// pay has n Pix paid, and their callbacks leave evenly until the next tick.
func (l *liveLoad) pay(ctx context.Context, now time.Time, n int) error {
	cents, twice := l.draw(n)
	paid, err := l.stage.Pay(ctx, cents...)
	if err != nil {
		return err
	}
	l.settled(paid)
	for i, p := range paid {
		due, body := now.Add(time.Duration(i)*liveTick/time.Duration(n)), pix.EncodeCallback([]pix.Payment{p})
		l.crew.Go(func() { l.pursue(ctx, p.EndToEndID, body, due) })
		if twice[i] {
			l.crew.Go(func() { l.repeat(ctx, p.EndToEndID, body, due) })
		}
	}
	return nil
}

// draw decides about the next n Pix.
func (l *liveLoad) draw(n int) (cents []int64, twice []bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		l.drawn++
		path := "live/pix/" + strconv.Itoa(l.drawn)
		cents = append(cents, l.seed.Stream(path+"/amount").Between(100, 99_999))
		twice = append(twice, l.seed.Stream(path+"/copy").Chance(chaos.Rate{N: l.load.Copies, Of: 100}))
	}
	return cents, twice
}

func (l *liveLoad) settled(paid []pix.Payment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range paid {
		x := l.known(p.EndToEndID)
		x.paid = int64(p.Amount)
		l.load.Paid++
		l.load.PaidCents += x.paid
		l.load.Outstanding++
	}
}

// known is what there is of a Pix. The lock is held.
func (l *liveLoad) known(id pix.EndToEndID) *livePix {
	x := l.pix[id]
	if x == nil {
		x = &livePix{}
		l.pix[id] = x
	}
	return x
}

// pursue sends a callback until it is acknowledged.
func (l *liveLoad) pursue(ctx context.Context, id pix.EndToEndID, body []byte, due time.Time) {
	table := livePauses()
	for attempt := 0; ; attempt++ {
		if l.send(ctx, id, body, due, false) || ctx.Err() != nil {
			return
		}
		due = time.Now().Add(table[min(attempt, len(table)-1)])
	}
}

// livePauses are the retry table of live plans, whose last pause goes on.
func livePauses() []time.Duration {
	return []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
}

// repeat sends the second copy of a callback, once.
func (l *liveLoad) repeat(ctx context.Context, id pix.EndToEndID, body []byte, due time.Time) {
	l.send(ctx, id, body, due, true)
}

// send is one attempt at its instant, on the next free connection.
func (l *liveLoad) send(ctx context.Context, id pix.EndToEndID, body []byte, due time.Time, copy bool) bool {
	late := time.NewTimer(time.Until(due))
	defer late.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-late.C:
	}
	conn := <-l.conns
	status, err := conn.post(body)
	l.conns <- conn
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load.Sent++
	if copy {
		l.load.Doubled++
	}
	if err != nil || status < 200 || status > 299 {
		l.load.Refused++
		return false
	}
	l.load.Acked++
	l.acks = append(l.acks, liveAck{now, now.Sub(due)})
	if x := l.known(id); !x.acked {
		x.acked = true
		l.load.Distinct++
	}
	if !copy {
		l.load.Outstanding--
	}
	return true
}

// order changes the load.
func (l *liveLoad) order(change func(*demo.Load)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.load)
}

// now is the load as it stands, and the percentiles of the last seconds.
func (l *liveLoad) now(at time.Time) (demo.Load, *spread) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := 0
	for old < len(l.acks) && at.Sub(l.acks[old].at) > liveAckWindow {
		old++
	}
	l.acks = append(l.acks[:0], l.acks[old:]...)
	took := make([]time.Duration, len(l.acks))
	for i, a := range l.acks {
		took[i] = a.took
	}
	return l.load, spreadOf(took)
}
