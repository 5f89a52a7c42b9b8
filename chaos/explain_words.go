package chaos

import (
	"fmt"
	"strings"
	"time"
)

// words says each member of a change that is set, in the order of the struct.
func (c Change) words() []string {
	var out []string
	add := func(set bool, format string, args ...any) {
		if set {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	c.callbackWords(add)
	c.apiWords(add)
	c.receiverWords(add)
	c.payerWords(add)
	add(c.AgainAfterMS > 0, "is sent once more after %s", span(c.AgainAfterMS))
	add(c.AlteredAfterMS > 0, "comes with another amount after %s", span(c.AlteredAfterMS))
	return out
}

type addWords func(set bool, format string, args ...any)

func (c Change) callbackWords(add addWords) {
	add(c.DelayMS > 0, "comes %s late", span(c.DelayMS))
	add(c.Behind != "", "behind that of %s", c.Behind)
	add(c.CopyAfterMS > 0, "comes %s after the first", span(c.CopyAfterMS))
	add(c.AtMS > 0, "comes at %s", clock(c.AtMS))
	add(c.Frozen, "has the first one's bytes, timestamp and signature")
	add(c.Drop, "is lost for good")
	add(c.AckLost, "loses its answer")
	add(c.Signature != "", "has a %s signature", c.Signature)
	add(c.SayCents > 0, "states %s", reais(c.SayCents))
	add(c.SayEndToEndID != "", "speaks of %s", c.SayEndToEndID)
	add(c.SayTxID != "", "names the txid %s", c.SayTxID)
	add(c.SayRefundCents > 0, "tells of %s returned", reais(c.SayRefundCents))
	add(c.SayRefundID != "", "calls the refund %s", c.SayRefundID)
	add(len(c.Shape) > 0, "is bent: %s", strings.Join(c.Shape, ", "))
	add(len(c.With) > 0, "carries %s too", strings.Join(c.With, ", "))
}

func (c Change) apiWords(add addWords) {
	add(c.SlowMS > 0, "takes %s to answer", span(c.SlowMS))
	add(c.Status > 0, "answers %d and does nothing", c.Status)
	add(c.StatusAfter > 0, "acts and answers %d", c.StatusAfter)
	add(c.Cut, "acts and cuts the connection")
	add(c.HideMS > 0, "hides the effect for %s", span(c.HideMS))
	add(c.LagMS > 0, "lags %s more", span(c.LagMS))
	add(c.Shift, "shifts rows between pages")
	add(c.RejectMS > 0, "is rejected %s later", span(c.RejectMS))
	add(c.ReturnMS > 0 || c.ReturnCents > 0, "gets %s back %s after it settled", reais(c.ReturnCents), span(c.ReturnMS))
	add(c.Revoked, "refuses tokens given out before")
}

func (c Change) receiverWords(add addWords) {
	add(c.Crash, "dies and is back %s later", span(c.RestartMS))
	add(c.LoseCommit, "commits and loses the answer")
	add(c.Down, "refuses everything")
	add(c.Removed, "is not registered")
	add(c.SkewMS > 0, "runs %s ahead", span(c.SkewMS))
	add(c.SkewMS < 0, "runs %s behind", span(-c.SkewMS))
	add(c.PauseMS > 0, "stands still for %s", span(c.PauseMS))
}

func (c Change) payerWords(add addWords) {
	add(c.PayCents > 0, "pays %s", reais(c.PayCents))
	add(c.PayAtMS > 0, "pays at %s", clock(c.PayAtMS))
	add(c.RemoveAtMS > 0, "finds the charge removed at %s", clock(c.RemoveAtMS))
	add(c.PayCharge != "", "pays %s", c.PayCharge)
	add(c.Lax, "is let through")
}

// clock is an instant as hours, minutes, seconds and thousandths.
func clock(ms int64) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/hourMS, ms/minuteMS%60, ms/secondMS%60, ms%1000)
}

func span(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

// reais writes cents as money is written in Brazil: R$ 1.234,56.
func reais(cents int64) string {
	whole := itoa(int(cents / 100))
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	return fmt.Sprintf("R$ %s,%02d", whole, cents%100)
}

func due(c Charge) string {
	if c.AmountCents == 0 {
		return "any amount"
	}
	return reais(c.AmountCents)
}

func orNever(before string, ms int64) string {
	if ms == 0 {
		return "never"
	}
	return before + clock(ms)
}
