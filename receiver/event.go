package receiver

import (
	"fmt"
	"strings"
	"time"
)

// What becomes of an event: the stores read and write rows, and ask here what to
// write. Nothing here changes content that an event points to; what it points to
// is replaced.

// Readable says whether an item has content to act on.
func (i *InboxItem) Readable() bool {
	return (i.Credit != nil || i.Refund != nil || i.Payout != nil) && i.Invalid == ""
}

// Content is what an event, an item or a variant says: one of the three.
type Content struct {
	Credit *Credit
	Refund *RefundContent
	Payout *PayoutContent
}

// Content is a copy of a readable item's content. A refund goes first.
func (i *InboxItem) Content() Content {
	switch {
	case i.Refund != nil:
		x := *i.Refund
		return Content{Refund: &x}
	case i.Payout != nil:
		x := *i.Payout
		return Content{Payout: &x}
	}
	c := *i.Credit
	return Content{Credit: &c}
}

// Content is the event's content, shared with it.
func (e *Event) Content() Content { return Content{e.Credit, e.Refund, e.Payout} }

func (e *Event) say(c Content) { e.Credit, e.Refund, e.Payout = c.Credit, c.Refund, c.Payout }

// NewEvent is the event that an item makes: due at once, or set aside where it
// cannot be read. It has no ID yet, and its Raw is the item's.
func NewEvent(item *InboxItem, now time.Time) *Event {
	e := &Event{
		Source: item.Source, Key: item.Key, Channel: item.Channel, Raw: item.Raw,
		ReceivedAt: item.ReceivedAt, State: EventReceived, DueAt: now,
	}
	if !item.Readable() {
		e.State, e.Quarantine = EventQuarantined, QuarantineBad
		e.Reason = ReasonUnreadable + ": " + item.Invalid
		return e
	}
	e.say(item.Content())
	e.Confirmed = item.Confirmed
	return e
}

// Alike says whether an item can add to the event: both can be read, and both
// are about a credit, both about a refund or both about a payout.
func (e *Event) Alike(item *InboxItem) bool {
	return item.Readable() &&
		(e.Credit != nil && item.Credit != nil || e.Refund != nil && item.Refund != nil || e.Payout != nil && item.Payout != nil)
}

// Hearing is what a further item under its key makes of an event.
type Hearing struct {
	Event Event
	// Other is content to be kept as a variant, with a case, unless the same is
	// kept already: what the item says, or what the event said before the PSP's
	// own word took its place. It is nil where they agree.
	Other *Variant
	// Changed says that Event is another than before; Tells that a payment booked
	// on it has something to learn.
	Changed, Tells bool

	replaced, enriched, woken bool
}

// Hear takes an item that is [Event.Alike].
func (e *Event) Hear(item *InboxItem, at time.Time) Hearing {
	h := Hearing{Event: *e}
	switch {
	case e.agrees(item):
		h.enriched = h.Event.learn(item)
	case item.Confirmed && e.State != EventProcessed:
		h.replaced, h.Other = true, h.Event.replace(item.Content())
	default:
		h.Other = &Variant{EventID: e.ID, Channel: item.Channel, Confirmed: item.Confirmed, ReceivedAt: item.ReceivedAt}
		h.Other.fill(item.Content())
	}
	if e.wokenBy(item) {
		h.woken = true
		h.Event.Wake(at)
	}
	h.Changed = h.Event.Content() != e.Content() || h.Event.Confirmed != e.Confirmed || h.woken
	h.Tells = e.Credit != nil && h.Event.State == EventProcessed && (h.enriched || h.Event.Confirmed != e.Confirmed)
	return h
}

// Outcome answers the item; kept says that Other was kept just now. Where more
// than one thing became of the item, the answer is the first of: variant,
// revived, enriched, known.
func (h Hearing) Outcome(kept bool) AppendOutcome {
	out := AppendOutcome{EventID: h.Event.ID, Result: AppendKnown, Confirmed: h.Event.Confirmed}
	switch {
	case h.replaced || kept:
		out.Result = AppendVariant
	case h.woken:
		out.Result = AppendRevived
	case h.enriched:
		out.Result = AppendEnriched
	}
	return out
}

// agrees says whether an item has the content of the event.
func (e *Event) agrees(item *InboxItem) bool {
	switch {
	case e.Refund != nil:
		return e.Refund.SameContent(*item.Refund)
	case e.Payout != nil:
		return e.Payout.SameContent(*item.Payout)
	}
	return e.Credit.SameContent(*item.Credit)
}

// learn completes the event by an item of the same content, and says whether the
// item told what the event left out.
func (e *Event) learn(item *InboxItem) (enriched bool) {
	switch {
	case e.Refund != nil:
		e.learnRefund(*item.Refund, item.Confirmed)
		return false
	case e.Payout != nil:
		e.Confirmed = e.Confirmed || item.Confirmed
		return false
	}
	enriched = item.Credit.Enriches(*e.Credit)
	e.learnCredit(*item.Credit, item.Confirmed)
	return enriched
}

// learnRefund completes an event about a refund, which has no member that could
// be left out: the first confirmed account takes the place of what was there.
func (e *Event) learnRefund(c RefundContent, confirmed bool) {
	if confirmed && !e.Confirmed {
		e.Refund, e.Confirmed = &c, true
	}
}

// learnCredit completes the event by a further account of the same content. The
// first confirmed account takes the place of what was there.
func (e *Event) learnCredit(c Credit, confirmed bool) {
	switch {
	case confirmed && !e.Confirmed:
		c = Enriched(c, *e.Credit)
		e.Credit, e.Confirmed = &c, true
	case c.Enriches(*e.Credit):
		c = Enriched(*e.Credit, c)
		e.Credit = &c
	}
}

// replace makes the event say what the PSP says, and returns what it said before.
func (e *Event) replace(c Content) *Variant {
	earlier := &Variant{EventID: e.ID, Channel: e.Channel, Confirmed: e.Confirmed, ReceivedAt: e.ReceivedAt}
	earlier.fill(e.Content())
	e.say(c)
	e.Confirmed = true
	return earlier
}

// Confirm makes the event say what the PSP says of its Pix, and returns what it
// said before where that is other content: it is kept as a variant.
func (e *Event) Confirm(c Credit) (*Variant, error) {
	if c.EndToEndID != e.Credit.EndToEndID {
		return nil, fmt.Errorf("confirm event %d: the PSP's word is about %s", e.ID, c.EndToEndID)
	}
	if e.Credit.SameContent(c) {
		e.learnCredit(c, true)
		return nil, nil
	}
	return e.replace(Content{Credit: &c}), nil
}

// ConfirmRefund is Confirm of an event about a refund. An event of a state that
// was not final is not contradicted by what came after: it keeps its content.
func (e *Event) ConfirmRefund(c RefundContent) (*Variant, error) {
	own := *e.Refund
	switch {
	case c.EndToEndID != own.EndToEndID || c.ID != own.ID:
		return nil, fmt.Errorf("confirm event %d: the PSP's word is about %s of %s", e.ID, c.ID, c.EndToEndID)
	case own.SameContent(c):
		e.learnRefund(c, true)
	case own.Status.Final() || own.ReturnID != c.ReturnID || own.Amount != c.Amount:
		return e.replace(Content{Refund: &c}), nil
	}
	return nil, nil
}

// ConfirmPayout is Confirm of an event about a payout or a return of it. A state
// that was not final is not contradicted by what came after.
func (e *Event) ConfirmPayout(c PayoutContent) (*Variant, error) {
	own := *e.Payout
	switch {
	case c.Key != own.Key || c.ReturnID != own.ReturnID:
		return nil, fmt.Errorf("confirm event %d: the PSP's word is about %s", e.ID, c.InboxKey())
	case own.SameContent(c):
		e.Confirmed = true
	case own.ReturnID != "" || own.Status.Final() && c.Status.Final():
		return e.replace(Content{Payout: &c}), nil
	}
	return nil, nil
}

// Repair makes the event say what the PSP says of a line of the statement: item
// is readable, and its word confirmed. It returns what Confirm does.
func (e *Event) Repair(item *InboxItem) (*Variant, error) {
	switch {
	case e.Content() == Content{}:
		e.say(item.Content())
		e.Confirmed = true
		return nil, nil
	case (e.Credit == nil) != (item.Credit == nil) || (e.Payout == nil) != (item.Payout == nil):
		return nil, fmt.Errorf("repair %s: the event of that key is about something else", item.Key)
	case e.Credit != nil:
		return e.Confirm(*item.Credit)
	case e.Payout != nil:
		return e.ConfirmPayout(*item.Payout)
	}
	return e.ConfirmRefund(*item.Refund)
}

// VariantNote is the case about other content of the event.
func (e *Event) VariantNote() CaseNote {
	if e.Refund != nil {
		return CaseNote{ID: RefundCase(e.EndToEndID(), e.Refund.ID), Reason: ReasonVariant}
	}
	if e.Payout != nil {
		return CaseNote{ID: PayoutCase(e.Payout.Key), Reason: ReasonVariant}
	}
	return CaseNote{ID: DivergenceCase(e.EndToEndID()), Reason: ReasonVariant}
}

func (v *Variant) fill(c Content) {
	v.Refund, v.Payout = c.Refund, c.Payout
	if c.Credit != nil {
		v.Credit = *c.Credit
	}
}

// Covers says whether o need not be kept beside v, a variant of the same event.
// Confirmed content counts as kept only where it was kept as confirmed.
func (v Variant) Covers(o Variant) bool {
	same := v.Credit.SameContent(o.Credit)
	if v.Refund != nil && o.Refund != nil {
		same = v.Refund.SameContent(*o.Refund)
	}
	if v.Payout != nil && o.Payout != nil {
		same = v.Payout.SameContent(*o.Payout)
	}
	return same && (v.Confirmed || !o.Confirmed)
}

// Informed is a payment with what its event, or a later notice, knows more of it
// while it names no charge.
func (e *Event) Informed(p Payment) Payment {
	if p.Disposition == DispositionUnidentified && p.TxID == "" {
		p.TxID, p.PixKey = e.Credit.TxID, e.Credit.PixKey
	}
	return p
}

// Waits says whether the event is in quarantine until something comes.
func (e *Event) Waits() bool { return e.State == EventQuarantined && e.Quarantine == QuarantineWaiting }

// wokenBy says whether an item ends the event's waiting: it came from the PSP's
// own API, or by a road that only leads there.
func (e *Event) wokenBy(item *InboxItem) bool {
	return e.Waits() && (item.Confirmed || item.Channel != ChannelCallback)
}

// Wake brings a quarantined event back to work. The attempts made stay counted.
func (e *Event) Wake(at time.Time) {
	e.State, e.Quarantine, e.Reason, e.DueAt = EventReceived, "", "", at
}

// Settle ends the event's work, processed or aside, and answers whoever did it.
func (e *Event) Settle(result ApplyResult, reason string, kind QuarantineKind) ApplyOutcome {
	e.State, e.Quarantine, e.Reason = EventProcessed, "", ""
	if result == ApplyAside {
		e.State, e.Quarantine, e.Reason = EventQuarantined, kind, reason
	}
	return ApplyOutcome{Result: result, Reason: reason}
}

// Defer puts the event off, or aside.
func (e *Event) Defer(d Deferral) {
	e.Reason = d.Reason
	if d.Quarantine != "" {
		e.State, e.Quarantine = EventQuarantined, d.Quarantine
	} else {
		e.DueAt = d.Until
	}
}

// droppedPrefix begins the reason of an event that an operator dropped.
const droppedPrefix = "dropped: "

// Dropped says whether an operator dropped the event. It is closed: nothing but
// a repair from the statement books it.
func (e *Event) Dropped() bool {
	return e.Quarantine == QuarantineBad && strings.HasPrefix(e.Reason, droppedPrefix)
}

// Drop closes the event for good. False: it is done, or was dropped before.
func (e *Event) Drop(note string) bool {
	if e.State == EventProcessed || e.Dropped() {
		return false
	}
	e.State, e.Quarantine, e.Reason = EventQuarantined, QuarantineBad, droppedPrefix+note
	return true
}

// Requeue wakes a quarantined event by an operator's word. False: it is not in
// quarantine, or was dropped.
func (e *Event) Requeue(at time.Time) bool {
	if e.State != EventQuarantined || e.Dropped() {
		return false
	}
	e.Wake(at)
	return true
}
