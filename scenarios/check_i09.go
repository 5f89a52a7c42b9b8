package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/receiver"
)

// oneContent is I9: one key, one content; other content is kept beside it,
// with a case.
type oneContent struct{}

func (oneContent) id() string { return "I9" }
func (oneContent) sentence() string {
	return "One key has one content; other content is kept, with a case"
}

func (oneContent) commit(v *View, cs *receiver.ChangeSet) string {
	for _, c := range cs.Events {
		b, a := c.Before, c.After
		if b != nil && b.Refund != nil && a.Refund != nil && !b.Refund.SameContent(*a.Refund) && !a.Confirmed {
			return fmt.Sprintf("event %s changed its content without the PSP's word", a.Key)
		}
		if b != nil && b.Payout != nil && a.Payout != nil && !b.Payout.SameContent(*a.Payout) && !a.Confirmed {
			return fmt.Sprintf("event %s changed its content without the PSP's word", a.Key)
		}
		if b == nil || b.Credit == nil || a.Credit == nil || b.Credit.SameContent(*a.Credit) {
			continue
		}
		if !a.Confirmed {
			return fmt.Sprintf("event %s changed its content without the PSP's word", a.Key)
		}
		if !v.keptVariant(a.ID, *b.Credit) {
			return fmt.Sprintf("event %s changed its content and the old one was not kept", a.Key)
		}
	}
	for _, k := range cs.Variants {
		id := receiver.DivergenceCase(k.Credit.EndToEndID)
		if k.Refund != nil {
			id = receiver.RefundCase(k.Refund.EndToEndID, k.Refund.ID)
		}
		if k.Payout != nil {
			id = receiver.PayoutCase(k.Payout.Key)
		}
		if v.Cases[id] == nil {
			return fmt.Sprintf("other content of event %d came and opened no case %s", k.EventID, id)
		}
	}
	return ""
}

func (v *View) keptVariant(event int64, c receiver.Credit) bool {
	for _, k := range v.Variants {
		if k.EventID == event && k.Credit.SameContent(c) {
			return true
		}
	}
	return false
}
