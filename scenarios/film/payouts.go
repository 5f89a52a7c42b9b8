package film

import (
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// sent is a payout that the PSP was asked for.
type sent struct {
	e2e   string
	cents int64
}

// asked notes a payout at the PSP: "350.00 to key".
func (c *camera) asked(e traceEvent) {
	amount, _, _ := strings.Cut(e.Detail, " ")
	cents, err := pix.ParseAmount(amount)
	if err != nil {
		return // a look-up, which moves nothing
	}
	subject := e.IDs["subject"]
	c.sent[subject] = append(c.sent[subject], sent{e2e: e.IDs["e2e"], cents: int64(cents)})
	c.speakOf(e.IDs["e2e"], "", int64(cents))
}

// payoutTold is the payout that a callback tells of. A callback has no name of
// the payout's own where the plan knows of none such: then the nth tells of the
// nth.
func (c *camera) payoutTold(at chaos.CallbackAddress, id string) (e2e string, cents int64) {
	if known, ok := c.told[id]; ok {
		return known.e2e, -known.cents
	}
	list := c.sent[at.Subject]
	if len(list) == 0 {
		return "", 0
	}
	of := list[0]
	if at.Subject == "" && len(list) > 1 {
		c.sent[""] = list[1:]
	}
	c.told[id] = of
	return of.e2e, -of.cents
}

// isPayout says whether a callback is about money that the merchant sent.
func isPayout(id string) bool { return strings.Contains(id, "/"+chaos.NoticePayout+"/") }
