package fakepsp

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// payoutEffect is one step of a payout that the PSP took: it began, or it came
// to its end. Like effect, it is kept apart from the truth and only appended.
type payoutEffect struct {
	id     pix.EndToEndID
	key    string
	to     pix.PixKey
	cents  pix.Amount
	status pix.PayoutStatus
	at     time.Time // of the settlement, or of the asking
}

// returnEffect is money of a payout that came back.
type returnEffect struct {
	id       pix.EndToEndID
	returnID pix.ReturnID
	cents    pix.Amount
	at       time.Time
}

func (e payoutEffect) line() pix.StatementLine {
	return pix.StatementLine{Kind: pix.KindPixOut, EndToEndID: e.id, Cents: int64(e.cents), SettledAt: e.at}
}

func (e returnEffect) line() pix.StatementLine {
	return pix.StatementLine{
		Kind: pix.KindReturnIn, EndToEndID: e.id, ID: string(e.returnID), Cents: int64(e.cents), SettledAt: e.at,
	}
}

// payoutSums are what payouts moved: out, and back in.
func (p *PSP) payoutSums() (out, back pix.Amount) {
	for _, e := range p.sent {
		if e.status == pix.PayoutConfirmed {
			out += e.cents
		}
	}
	for _, e := range p.cameBack {
		back += e.cents
	}
	return out, back
}

// payoutLines hands each line that the statement has to have of payouts to a
// check.
func (p *PSP) payoutLines(expect func(pix.StatementLine) error) error {
	for _, e := range p.sent {
		if e.status != pix.PayoutConfirmed {
			continue
		}
		if err := expect(e.line()); err != nil {
			return err
		}
	}
	for _, e := range p.cameBack {
		if err := expect(e.line()); err != nil {
			return err
		}
	}
	return nil
}

// checkPayouts holds the payouts of the truth against the journal: each that was
// taken is there once, in the state that it came to, with what came back of it,
// and nothing else is. No more came back than went out.
func (p *PSP) checkPayouts() error {
	last := make(map[pix.EndToEndID]payoutEffect, len(p.sent))
	for _, e := range p.sent {
		before, begun := last[e.id]
		first := e.status == pix.PayoutProcessing
		switch {
		case first && begun:
			return fmt.Errorf("payout %s was taken twice", e.id)
		case !first && (!begun || before.status.Final()):
			return fmt.Errorf("payout %s ended twice, or before it was taken", e.id)
		case !first && (before.cents != e.cents || before.to != e.to || before.key != e.key):
			return fmt.Errorf("payout %s began with %s to %s and ended with %s to %s", e.id, before.cents, before.to, e.cents, e.to)
		}
		last[e.id] = e
	}
	back := make(map[pix.EndToEndID]pix.Amount, len(p.cameBack))
	for _, e := range p.cameBack {
		back[e.id] += e.cents
	}
	var reserved pix.Amount
	for _, row := range p.truth.payouts.rows {
		e, begun := last[row.EndToEndID]
		switch {
		case !begun:
			return fmt.Errorf("truth has payout %s, which was never taken", row.EndToEndID)
		case row.Amount != e.cents || row.PixKey != e.to || row.Key != e.key || row.Status != e.status:
			return fmt.Errorf("payout %s: truth has %s to %s %s, accepted was %s to %s %s",
				row.EndToEndID, row.Amount, row.PixKey, row.Status, e.cents, e.to, e.status)
		case row.Returned() != back[row.EndToEndID] || back[row.EndToEndID] > row.Amount,
			back[row.EndToEndID] > 0 && row.Status != pix.PayoutConfirmed:
			return fmt.Errorf("payout %s of %s: truth says %s came back, accepted was %s",
				row.EndToEndID, row.Amount, row.Returned(), back[row.EndToEndID])
		}
		if !row.Status.Final() {
			reserved += row.Amount
		}
	}
	if n := len(p.truth.payouts.rows); n != len(last) {
		return fmt.Errorf("truth has %d payouts, %d were taken", n, len(last))
	}
	if p.payouts.reserved != reserved {
		return fmt.Errorf("%s is reserved for payouts, those in process make %s", p.payouts.reserved, reserved)
	}
	return nil
}
