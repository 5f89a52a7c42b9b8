package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/receiver"
)

// noFalseRefusal is I17: what is genuine ends PROCESSED; and where nothing goes
// wrong there is no case, no quarantine, no answer but 200, and nothing left
// for the reconciliation to book.
type noFalseRefusal struct{}

func (noFalseRefusal) id() string       { return "I17" }
func (noFalseRefusal) sentence() string { return "Nothing genuine is refused" }

func (noFalseRefusal) end(f *final) string {
	for _, id := range f.ids {
		p := f.Pix[id]
		if e := p.Event; p.Truth.Settled && e != nil && e.State == receiver.EventQuarantined {
			return fmt.Sprintf("genuine Pix %s ended in quarantine: %s", id, e.Reason)
		}
	}
	if f.w.refusals > 0 {
		return fmt.Sprintf("%d genuine callbacks were refused, the first: %s", f.w.refusals, f.w.firstRefusal)
	}
	if f.w.falseRefusal != "" {
		return f.w.falseRefusal
	}
	if d := f.strandedRefund(); d != "" {
		return d
	}
	if !f.calm {
		return ""
	}
	for _, name := range sorted(f.Cases) {
		return fmt.Sprintf("case %s was opened although nothing went wrong", name)
	}
	for e := range f.Events.all() {
		if e.State == receiver.EventQuarantined {
			return fmt.Sprintf("event %s was quarantined although nothing went wrong", e.Key)
		}
	}
	return ""
}

// strandedRefund finds a refund that settled and whose event is set aside.
func (f *final) strandedRefund() string {
	for _, r := range f.TruthRefunds {
		if e := f.ByRefund[refundState{r.EndToEndID, r.ID, r.Status}]; e != nil && e.State == receiver.EventQuarantined {
			return fmt.Sprintf("genuine refund %s of Pix %s ended in quarantine: %s", r.ID, r.EndToEndID, e.Reason)
		}
	}
	return f.strandedPayout()
}

// strandedPayout finds news of a payout, told as it was, whose event is set aside.
func (f *final) strandedPayout() string {
	for _, key := range sorted(f.ByPayout) {
		e := f.ByPayout[key]
		if _, genuine := f.TruthPayouts[e.Payout.EndToEndID]; genuine && e.State == receiver.EventQuarantined {
			return fmt.Sprintf("news of a genuine payout, %s, ended in quarantine: %s", key, e.Reason)
		}
	}
	return ""
}
