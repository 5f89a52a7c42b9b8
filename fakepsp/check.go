package fakepsp

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// effect is one payment that the PSP accepted. The journal of them is kept
// apart from the truth, is only ever appended to, and is what Check believes.
type effect struct {
	endToEndID pix.EndToEndID
	txid       pix.TxID
	cents      pix.Amount
	at         time.Time
}

// Check is nil if the PSP agrees with itself, else it says what is wrong:
//   - the truth holds each accepted effect once, as it was accepted, and
//     nothing else;
//   - refunds likewise, with no rtrId twice and no Pix returned beyond its value;
//   - payouts likewise, with no more come back of one than went out;
//   - the balance is what came in less what went out, and not below zero; what
//     is reserved and blocked of it is what refunds, payouts and cases account for;
//   - the statement, its lag aside, has one line for each effect, in order;
//   - a charge is CONCLUIDA exactly if it was paid, unless it was removed, and
//     its Pix are those of the truth that carry its txid.
func (p *PSP) Check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, check := range []func() error{
		p.checkTruth, p.checkRefunds, p.checkShares, p.checkPayouts, p.checkBalance, p.checkHolds, p.checkStatement, p.checkCharges,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("psp check: %w", err)
		}
	}
	return nil
}

func (p *PSP) checkTruth() error {
	seen := make(map[pix.EndToEndID]struct{}, len(p.journal))
	for _, e := range p.journal {
		if _, twice := seen[e.endToEndID]; twice {
			return fmt.Errorf("pix %s was accepted twice", e.endToEndID)
		}
		seen[e.endToEndID] = struct{}{}
		row, ok := p.truth.Pix(e.endToEndID)
		switch {
		case !ok:
			return fmt.Errorf("pix %s was accepted and is not in the truth", e.endToEndID)
		case row.Amount != e.cents || row.TxID != e.txid || !row.PaidAt.Equal(e.at):
			return fmt.Errorf("pix %s: truth has %s at %s for txid %q, accepted was %s at %s for txid %q",
				e.endToEndID, row.Amount, pix.FormatTime(row.PaidAt), row.TxID, e.cents, pix.FormatTime(e.at), e.txid)
		}
	}
	if n := len(p.truth.rows); n != len(p.journal) {
		return fmt.Errorf("truth has %d pix, %d were accepted", n, len(p.journal))
	}
	return nil
}

func (p *PSP) checkBalance() error {
	var in, out pix.Amount
	for _, e := range p.journal {
		in += e.cents
	}
	for _, e := range p.returns {
		if e.status == pix.RefundReturned {
			out += e.cents
		}
	}
	sent, back := p.payoutSums()
	in, out = in+back, out+sent
	if p.balance != in-out || p.balance < 0 {
		return fmt.Errorf("balance is %s, effects make %s in and %s out", p.balance, in, out)
	}
	return nil
}

func (p *PSP) checkStatement() error {
	lines := p.truth.lines
	byName := make(map[string]int, len(lines))
	for i, l := range lines {
		if i > 0 && compareLines(lines[i-1], l) >= 0 {
			return fmt.Errorf("statement line %d (%s %s) repeats or precedes the one before it", i, l.Kind, l.EndToEndID)
		}
		if _, twice := byName[nameOfLine(l)]; twice {
			return fmt.Errorf("statement has two lines for %s %s %s", l.Kind, l.EndToEndID, l.ID)
		}
		byName[nameOfLine(l)] = i
	}
	want := 0
	expect := func(w pix.StatementLine) error {
		want++
		i, ok := byName[nameOfLine(w)]
		if !ok || keyOfLine(lines[i]) != keyOfLine(w) {
			return fmt.Errorf("statement has no line for %s %s %s", w.Kind, w.EndToEndID, w.ID)
		}
		l := lines[i]
		if l.Cents != w.Cents || !l.SettledAt.Equal(w.SettledAt) {
			return fmt.Errorf("statement line of %s %s %s is %d at %s, accepted was %d at %s", w.Kind, w.EndToEndID, w.ID,
				l.Cents, pix.FormatTime(l.SettledAt), w.Cents, pix.FormatTime(w.SettledAt))
		}
		return nil
	}
	for _, e := range p.journal {
		if err := expect(e.line()); err != nil {
			return err
		}
	}
	for _, e := range p.returns {
		if e.status != pix.RefundReturned {
			continue
		}
		if err := expect(e.line()); err != nil {
			return err
		}
	}
	if err := p.payoutLines(expect); err != nil {
		return err
	}
	if len(lines) != want {
		return fmt.Errorf("statement has %d lines, %d effects were accepted", len(lines), want)
	}
	return nil
}

// line is what the statement has to say of the effect.
func (e effect) line() pix.StatementLine {
	return pix.StatementLine{Kind: pix.KindPixIn, EndToEndID: e.endToEndID, Cents: int64(e.cents), SettledAt: e.at}
}

func (p *PSP) checkCharges() error {
	paid := make(map[pix.TxID]int, len(p.charges.byTime))
	for _, e := range p.journal {
		paid[e.txid]++
	}
	for _, c := range p.charges.byTime {
		if n := paid[c.now.TxID]; n != len(c.paid) {
			return fmt.Errorf("charge %s has %d pix, %d were accepted for it", c.now.TxID, len(c.paid), n)
		}
		for _, id := range c.paid {
			if row, ok := p.truth.Pix(id); !ok || row.TxID != c.now.TxID {
				return fmt.Errorf("charge %s has pix %s, which is not the truth's", c.now.TxID, id)
			}
		}
		done := len(c.paid) > 0
		if c.now.Status == pix.ChargeActive && done || c.now.Status == pix.ChargeCompleted && !done {
			return fmt.Errorf("charge %s is %s with %d pix", c.now.TxID, c.now.Status, len(c.paid))
		}
	}
	return nil
}
