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
		if v.Cases[receiver.DivergenceCase(k.Credit.EndToEndID)] == nil {
			return fmt.Sprintf("other content of Pix %s came and opened no case", k.Credit.EndToEndID)
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
