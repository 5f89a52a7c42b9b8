package fakepsp

import (
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// dispute is one MED case.
type dispute struct {
	order                   DisputeOrder
	of                      SettledPix
	stage                   DisputeStage
	at                      time.Time
	blocked, goal, returned pix.Amount
	parts                   int
}

// owes is what an accepted case has still to return.
func (d *dispute) owes() pix.Amount {
	if d.stage != DisputeAccepted {
		return 0
	}
	return d.goal - d.returned
}

func (d *dispute) shown() DisputeCase {
	return DisputeCase{
		ID: d.order.ID, Payment: d.order.Payment, EndToEndID: d.order.EndToEndID, Nature: d.order.Nature,
		Stage: d.stage, Blocked: d.blocked, Goal: d.goal, Returned: d.returned, Parts: d.parts, At: d.at,
	}
}

// caseBook holds the cases in the order of their reports. Its maps are made
// with the first of them.
type caseBook struct {
	list  []*dispute
	byID  map[string]*dispute
	ofPix map[pix.EndToEndID][]*dispute
	// owing are the accepted ones that have not returned all, by their decision.
	owing   []*dispute
	blocked pix.Amount // what all cases hold together
}

func (b *caseBook) find(id string) *dispute { return b.byID[id] }

func (b *caseBook) add(d *dispute) {
	if b.byID == nil {
		b.byID, b.ofPix = map[string]*dispute{}, map[pix.EndToEndID][]*dispute{}
	}
	b.list = append(b.list, d)
	b.byID[d.order.ID] = d
	b.ofPix[d.order.EndToEndID] = append(b.ofPix[d.order.EndToEndID], d)
	b.blocked += d.blocked
}

// owed is what accepted cases have still to return of a Pix.
func (b *caseBook) owed(of pix.EndToEndID) (sum pix.Amount) {
	for _, d := range b.ofPix[of] {
		sum += d.owes()
	}
	return sum
}

// claimed is owed, and what undecided cases hold for the Pix.
func (b *caseBook) claimed(of pix.EndToEndID) (sum pix.Amount) {
	for _, d := range b.ofPix[of] {
		sum += d.owes()
		if d.stage == DisputeReported {
			sum += d.blocked
		}
	}
	return sum
}

// unblock lets go of a part of what a case holds.
func (b *caseBook) unblock(d *dispute, amount pix.Amount) {
	d.blocked -= amount
	b.blocked -= amount
}

func (p *PSP) tellCase(d *dispute) {
	shown := d.shown()
	p.tell(func(o Observer) { o.Disputed(shown) })
}

// decide ends the analysis of a case. A case that is not accepted lets its
// money go, and the API shows nothing of it.
func (p *PSP) decide(d *dispute, at time.Time) {
	d.at = stamp(at)
	switch d.order.Outcome {
	case chaos.DisputeRejected:
		d.stage = DisputeRejected
	case chaos.DisputeCancelled:
		d.stage = DisputeCancelled
	default:
		left := d.of.Amount - p.truth.share(d.order.EndToEndID).returned - p.cases.owed(d.order.EndToEndID)
		d.goal = max(0, min(d.order.Amount, left))
		d.stage = DisputeAccepted
	}
	p.cases.unblock(d, max(0, d.blocked-d.owes()))
	p.version++
	p.tellCase(d)
	if d.stage == DisputeAccepted {
		p.cases.owing = append(p.cases.owing, d)
		p.makeRoom(d.of, at)
	}
	p.collect(at)
}

// makeRoom fails the pending refunds of a Pix that no longer fit beside what
// its accepted cases are to return. The ones asked for first are kept first.
func (p *PSP) makeRoom(of SettledPix, at time.Time) {
	room := of.Amount - p.truth.share(of.EndToEndID).returned - p.cases.owed(of.EndToEndID)
	for _, k := range p.truth.refunds.ofPix[of.EndToEndID] {
		row := p.truth.refunds.rows[k]
		switch {
		case row.Status.Final():
		case row.Amount <= room:
			room -= row.Amount
		default:
			p.reached(MarkRefundTaken)
			p.end(row, pix.RefundFailed, reasonTaken, at)
		}
	}
}

// collect returns what the balance allows of all that accepted cases owe, the
// case decided first before the others. It is asked again whenever money is
// there that was not.
func (p *PSP) collect(at time.Time) {
	if len(p.cases.owing) == 0 {
		return
	}
	owing := p.cases.owing[:0:0]
	for _, d := range p.cases.owing {
		if at.After(d.of.PaidAt.Add(RefundWindow)) {
			p.closeCase(d, DisputeLapsed, at)
			continue
		}
		p.giveBack(d, at)
		if d.owes() > 0 {
			p.reached(MarkReturnInPart)
		}
		if d.owes() == 0 {
			p.closeCase(d, DisputeSettled, at)
			continue
		}
		owing = append(owing, d)
	}
	p.cases.owing = owing
}

func (p *PSP) closeCase(d *dispute, stage DisputeStage, at time.Time) {
	d.stage, d.at = stage, stamp(at)
	p.tellCase(d)
}

// giveBack makes one return of a case: of its own block first, then of what is
// free.
func (p *PSP) giveBack(d *dispute, at time.Time) {
	amount := min(d.owes(), d.blocked+max(0, p.free()))
	if amount <= 0 {
		return
	}
	part := d.parts + 1
	row := RefundRow{
		Refund: pix.Refund{
			ID:     pix.RefundID(p.cfg.NewID("med", d.order.ID+"/"+strconv.Itoa(part), 32)),
			Amount: amount, Nature: d.order.Nature,
		},
		EndToEndID: d.order.EndToEndID, Subject: d.order.ID, Payment: d.order.Payment, Part: part,
	}
	if err := p.begin(row, d.order.NotifyAfter, at); err != nil {
		p.cases.unblock(d, d.blocked) // the id is taken: nothing goes, and the next money tries again
		return
	}
	d.parts = part
	d.returned += amount
	p.cases.unblock(d, min(d.blocked, amount))
	if row, ok := p.truth.Refund(row.EndToEndID, row.ID); ok {
		p.end(row, pix.RefundReturned, "", at)
	}
}
