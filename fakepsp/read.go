package fakepsp

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Settled lists the Pix that settled, in that order. The slice is shared and
// must not be changed; it never changes by itself.
func (p *PSP) Settled() []SettledPix { return p.SettledSince(0) }

// SettledSince lists the Pix that settled after the first n.
func (p *PSP) SettledSince(n int) []SettledPix {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clip(p.truth.rows[min(n, len(p.truth.rows)):])
}

// Version changes with every change of the truth, charges included. Two equal
// versions mean that nothing happened in between.
func (p *PSP) Version() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// Statement lists the account's lines settled at from or later and before to,
// whatever the lag.
func (p *PSP) Statement(from, to time.Time) []pix.StatementLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.truth.lineSpan(from, to))
}

// Balance is what the account holds: all that came in less all that went out.
func (p *PSP) Balance() pix.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.balance
}

// Blocked is the part of the balance that MED cases hold, Reserved the part
// that is promised to refunds and payouts in process.
func (p *PSP) Blocked() pix.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cases.blocked
}

// Reserved is the money of refunds and payouts in process, see [PSP.Blocked].
func (p *PSP) Reserved() pix.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refunds.reserved + p.payouts.reserved
}

// Refunds lists the refunds as they stand, in the order in which they were
// asked for.
func (p *PSP) Refunds() []RefundRow {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.truth.refunds.rows)
}

// Payouts lists the payouts as they stand, in the order in which they were taken.
func (p *PSP) Payouts() []PayoutRow {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.truth.payouts.rows)
}

// Disputes lists the MED cases as they stand, in the order of their reports.
func (p *PSP) Disputes() []DisputeCase {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]DisputeCase, len(p.cases.list))
	for i, d := range p.cases.list {
		out[i] = d.shown()
	}
	return out
}

// Payment is a Pix as the API shows it now, its refunds included.
func (p *PSP) Payment(id pix.EndToEndID) (pix.Payment, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.truth.Payment(id)
}

// Charge is the current state of a charge, with its Pix.
func (p *PSP) Charge(txid pix.TxID) (pix.Charge, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.charges.find(txid)
	if c == nil {
		return pix.Charge{}, false
	}
	return p.complete(c), true
}
