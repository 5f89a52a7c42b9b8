package fakepsp

import (
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Expect announces a payment before it is tried, so that its extra notices
// (false money told of at an instant of their own) need not wait for it. Pay
// does the same for a payment that was not announced.
func (p *PSP) Expect(order PayOrder) error {
	p.mu.Lock()
	defer p.unlock()
	order, err := p.addressed(order)
	if err != nil {
		return err
	}
	now := p.cfg.Now().UTC().Truncate(time.Millisecond)
	p.oweExtras(order, settledOf(order, now).Payment, now)
	return nil
}

// oweCredit makes the callback of a settled Pix due. A Pix to the bare key has
// none. One that rides in another's body waits for that, as long as it can.
func (p *PSP) oweCredit(order PayOrder, item pix.Payment, now time.Time) {
	if order.TxID == "" {
		p.releaseGroup(order.Payment, now)
		return
	}
	n := &notice{
		subject: order.Payment, name: chaos.NoticeCredit, key: order.PixKey,
		items: []pix.Payment{item}, cleanAt: now.Add(order.NotifyAfter),
	}
	if leader, ok := p.leaderOf(n.subject); ok {
		n.dueAt = n.cleanAt
		p.courier.groups[leader] = append(p.courier.groups[leader], n)
		p.startCopies(n)
		return
	}
	p.start(n)
}

// oweExtras makes the notices due that a fault adds to a payment, once. They
// come whether or not the payment itself does.
func (p *PSP) oweExtras(order PayOrder, item pix.Payment, now time.Time) {
	if p.faults == nil || order.Payment == "" {
		return
	}
	names := p.faults.Notices(order.Payment)
	if len(names) == 0 {
		return
	}
	if _, told := p.courier.told[order.Payment]; told {
		return
	}
	p.courier.told[order.Payment] = struct{}{}
	for _, name := range names {
		n := &notice{subject: order.Payment, name: name, extra: true, key: order.PixKey}
		n.said = p.callbackFault(chaos.CallbackAddress{Subject: n.subject, Notice: name, Attempt: 1}).Change
		n.cleanAt = now.Add(order.NotifyAfter)
		if n.said.AtMS > 0 {
			n.cleanAt = p.cfg.Start.Add(chaos.MS(n.said.AtMS).Duration())
		}
		if n.cleanAt.Before(now) {
			n.cleanAt = now
		}
		if n.said.SayEndToEndID != "" {
			item.PaidAt = n.cleanAt.UTC().Truncate(time.Millisecond)
		}
		n.items = []pix.Payment{item}
		p.start(n)
	}
}

// start makes copy 0 of a notice due, and its further copies after it.
func (p *PSP) start(n *notice) {
	first := &delivery{notice: n, attempt: 1, clean: n.cleanAt}
	p.enqueue(first)
	n.dueAt = first.due
	p.startCopies(n)
}

func (p *PSP) startCopies(n *notice) {
	if p.faults == nil || n.subject == "" {
		return
	}
	for _, k := range p.faults.Copies(n.subject, n.name) {
		d := &delivery{notice: n, copy: k, attempt: 1}
		change := p.callbackFault(d.address()).Change
		d.clean = n.dueAt.Add(time.Duration(change.CopyAfterMS) * time.Millisecond)
		n.frozen = n.frozen || change.Frozen
		p.enqueue(d)
	}
}

// send makes the request of a due attempt, or nil if nothing goes out.
func (p *PSP) send(d *delivery, now time.Time) *Attempt {
	n, at := d.notice, d.address()
	first := d.copy == 0 && d.attempt == 1
	if first {
		p.seal(n, d.fault.Change.With, now)
	}
	if !p.dress(n) {
		return nil
	}
	hook, registered := p.hooks.byKey[n.key]
	var req request
	if registered && !d.fault.Change.Drop || first && n.frozen {
		req = p.request(d, now)
		if first && n.frozen {
			n.first = &req
		}
	}
	switch {
	case !registered:
		p.fire(p.hooks.forgotten[n.key])
		p.tell(func(o Observer) { o.Lost(at) })
		return nil
	case d.fault.Change.Drop:
		p.fire(d.fault.From)
		p.tell(func(o Observer) { o.Dropped(at) })
		return nil
	}
	a := &Attempt{
		Address: at, URL: hook.URL + n.path(), Header: req.header, Body: req.body,
		Timeout: p.cfg.CallbackTimeout, LoseAnswer: d.fault.Change.AckLost,
		delivery: d,
	}
	p.judge(d, a, req.bent, now)
	return a
}

// path is what a PSP appends to the registered URL.
func (n *notice) path() string {
	if len(n.payouts) > 0 {
		return "/pagamentos"
	}
	return "/pix"
}

// noteSent notes when a credit was first sent, where another is to come behind it.
func (p *PSP) noteSent(payment string, now time.Time) {
	if p.faults.Awaited(payment) {
		p.courier.sentAt[payment] = now
	}
}

// judge counts the attempt's deviations if it is not what a clean one would
// have been; a lost answer is judged when it is lost.
func (p *PSP) judge(d *delivery, a *Attempt, bent bool, now time.Time) {
	if p.faults == nil {
		return
	}
	n := d.notice
	if d.copy == 0 && d.attempt == 1 && n.name == chaos.NoticeCredit {
		for _, item := range n.riders {
			p.noteSent(item, now)
		}
		p.noteSent(n.subject, now)
	}
	late := d.due.After(d.clean)
	if late && d.fault.Change.Behind != "" {
		other, sent := p.courier.sentAt[d.fault.Change.Behind]
		late = sent && !other.Before(d.clean)
	}
	extra := d.copy > 0 || n.extra
	if extra || late || bent || len(n.riders) > 0 {
		p.fire(d.fault.From)
		return
	}
	a.fired = d.fault.From
}
