package fakepsp

import (
	"container/heap"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Attempt is one HTTP request of one callback, ready to be sent: POST Body to
// URL with Header, wait Timeout for the answer, hand it to [PSP.Done].
type Attempt struct {
	Address chaos.CallbackAddress
	URL     string // the registered URL, and "/pix" or "/pagamentos"
	Header  http.Header
	Body    []byte // must not be changed
	Timeout time.Duration
	// LoseAnswer asks the driver to deliver the request and let the answer get
	// lost. Done takes it for a failure whatever it is told.
	LoseAnswer bool

	delivery *delivery // nil once Done
	fired    []int
}

// Answer is what came back of an attempt.
type Answer struct {
	Status int
	// Err is set if no answer came: refused, cut, timed out.
	Err error
}

// acknowledges tells whether the answer ends the callback: any 2xx. A redirect
// is not followed, so it is a failure.
func (a Answer) acknowledges() bool { return a.Err == nil && a.Status >= 200 && a.Status <= 299 }

// notice is one thing that the account's owner is to be told: a body, with
// however many copies of it.
type notice struct {
	subject string
	name    string // chaos.NoticeCredit, that of a refund, or an extra notice
	extra   bool   // a fault made it: nothing that happened stands behind it
	key     pix.PixKey
	items   []pix.Payment
	payouts []pix.Payout // of a notice about a payout; then there are no items
	about   pix.RefundID // of a refund's final state: its id
	riders  []string     // whose items were added to the first
	dueAt   time.Time    // of copy 0, attempt 1
	cleanAt time.Time    // the same without a fault
	said    chaos.Change // what an extra notice states
	dressed bool         // it was given the Pix that it lies about
	frozen  bool         // a copy repeats the bytes of copy 0, attempt 1
	first   *request     // those, as they were sent or would have been
}

// delivery is one copy of a notice on its way.
type delivery struct {
	notice  *notice
	copy    int
	attempt int       // the one that is due, from 1
	due     time.Time // with its delay
	clean   time.Time // without it
	seq     int       // order of birth; breaks ties
	fault   chaos.Merged
}

func (d *delivery) address() chaos.CallbackAddress {
	return chaos.CallbackAddress{
		Subject: d.notice.subject, Notice: d.notice.name, Copy: d.copy, Attempt: d.attempt,
	}
}

// courier is the PSP's outgoing side: what is owed, what is on its way.
type courier struct {
	queue  deliveryQueue
	born   int
	flying int
	// groups holds, by leader, the notices that wait to ride in its body;
	// closed has the leaders whose body was made, or never will be.
	groups map[string][]*notice
	closed map[string]struct{}
	// told has the extra notices that were announced already, by payment.
	told map[string]struct{}
	// sentAt is when a payment's credit was first sent, of those that another is
	// to come behind; a reorder is judged by it.
	sentAt map[string]time.Time
}

func newCourier() courier {
	return courier{
		groups: map[string][]*notice{}, closed: map[string]struct{}{},
		told: map[string]struct{}{}, sentAt: map[string]time.Time{},
	}
}

// Due is when Take has to be called next: for an attempt, or for something
// that the PSP itself does then. False is for never, as things stand.
func (p *PSP) Due() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch owed, own := p.courier.queue, p.agenda.queue; {
	case len(own) > 0 && (len(owed) == 0 || own[0].at.Before(owed[0].due)):
		return own[0].at, true
	case len(owed) > 0:
		return owed[0].due, true
	}
	return time.Time{}, false
}

// Take carries out what the PSP itself does by now (refunds settle, cases are
// decided), then hands out the attempt that has been due longest, or nil if
// none is due now. Every attempt taken has to be given back by [PSP.Done].
func (p *PSP) Take() *Attempt {
	p.mu.Lock()
	defer p.unlock()
	now := p.present()
	p.hooks.forget(p, now)
	for len(p.courier.queue) > 0 && !p.courier.queue[0].due.After(now) {
		d := heap.Pop(&p.courier.queue).(*delivery)
		if a := p.send(d, now); a != nil {
			p.courier.flying++
			p.tell(func(o Observer) { o.Sent(a) })
			return a
		}
	}
	return nil
}

// Done ends an attempt. A 2xx within the time-out acknowledges the callback;
// after anything else the next attempt follows by the retry table, until that
// is exhausted. A second Done of one attempt does nothing.
func (p *PSP) Done(a *Attempt, answer Answer) {
	p.mu.Lock()
	defer p.unlock()
	d := a.delivery
	if d == nil {
		return
	}
	a.delivery = nil
	p.courier.flying--
	now := p.cfg.Now()
	switch {
	case a.LoseAnswer:
		p.fire(a.fired)
		p.retry(d, answer, now)
	case answer.acknowledges():
		p.tell(func(o Observer) { o.Acknowledged(a.Address, a.Body, now) })
	default:
		p.retry(d, answer, now)
	}
}

// Quiet tells whether no attempt is owed, now or later, none is on its way, no
// notice waits for the callback in which it is to ride, and the PSP itself has
// nothing to do at any instant. A case that waits for money is quiet.
func (p *PSP) Quiet() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.agenda.queue) == 0 && len(p.courier.queue) == 0 && p.courier.flying == 0 && len(p.courier.groups) == 0
}

// retry plans the next attempt, or gives up.
func (p *PSP) retry(d *delivery, answer Answer, now time.Time) {
	at := d.address()
	if d.oneShot() || d.attempt > len(p.cfg.Retry.Delays) {
		p.tell(func(o Observer) { o.GivenUp(at, answer) })
		return
	}
	d.clean = now.Add(p.cfg.Retry.Delays[d.attempt-1])
	d.attempt++
	p.enqueue(d)
	due := d.due
	p.tell(func(o Observer) { o.Refused(at, answer, due) })
}

// oneShot tells of a request that no PSP made, so nobody tries it again: a
// repeat of old bytes, or money told of without the PSP's key.
func (d *delivery) oneShot() bool {
	extra := d.copy > 0 || d.notice.extra
	return extra && (d.fault.Change.Frozen || d.fault.Change.Signature != "")
}

// enqueue puts a delivery's coming attempt into the queue, at its clean time
// and the delay of its address.
func (p *PSP) enqueue(d *delivery) {
	d.fault = p.callbackFault(d.address())
	d.due = d.clean.Add(time.Duration(d.fault.Change.DelayMS) * time.Millisecond)
	p.courier.born++
	d.seq = p.courier.born
	heap.Push(&p.courier.queue, d)
}

func (p *PSP) callbackFault(at chaos.CallbackAddress) chaos.Merged {
	if p.faults == nil || at.Subject == "" {
		return chaos.Merged{}
	}
	return p.faults.Callback(at)
}

// deliveryQueue is a heap by (due, seq).
type deliveryQueue []*delivery

// Len is for container/heap, as are Less and Swap.
func (q deliveryQueue) Len() int { return len(q) }

// Less orders by due time, then by birth.
func (q deliveryQueue) Less(i, j int) bool {
	if !q[i].due.Equal(q[j].due) {
		return q[i].due.Before(q[j].due)
	}
	return q[i].seq < q[j].seq
}

// Swap exchanges two deliveries.
func (q deliveryQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push adds x, for container/heap.
func (q *deliveryQueue) Push(x any) { *q = append(*q, x.(*delivery)) }

// Pop takes the last one, for container/heap.
func (q *deliveryQueue) Pop() any {
	old := *q
	d := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return d
}
