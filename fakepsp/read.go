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
