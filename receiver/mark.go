package receiver

// Mark names a place in the receiver that a good search comes to: a branch that
// matters and is rarely taken. Its text says what happened.
type Mark string

// Observer is told of every mark that the receiver reaches. It must be quick,
// and it may be called from several goroutines.
type Observer interface {
	Reached(m Mark)
}

// The marks. A new one is a line here and one in [Marks].
const (
	MarkBadSignature    Mark = "a callback was refused for its signature"
	MarkTooLarge        Mark = "a callback was refused for its size"
	MarkUnreadable      Mark = "a callback was refused because it cannot be read"
	MarkLeaseLost       Mark = "a worker lost its lease while it worked"
	MarkLeaseShort      Mark = "a worker gave an event back because its lease ran out"
	MarkGivenUp         Mark = "an event was tried often enough and set aside to wait"
	MarkAnsweredNo      Mark = "the PSP was asked about a Pix and did not know it"
	MarkTokenRenewed    Mark = "a token was refused and renewed"
	MarkRefundEarly     Mark = "a refund was asked for too early"
	MarkRefundOverCap   Mark = "a refund was refused at what is left of its Pix"
	MarkRefundNoBalance Mark = "a refund was refused for lack of free money"
	MarkRefundAsked     Mark = "a refund's call had no answer, and the PSP was asked what became of it"
	MarkRefundRepeated  Mark = "a refund that the PSP did not know was asked for again under its id"
	MarkRefundRekeyed   Mark = "a refund's id was another's, and it got a new one"
	MarkRefundRefused   Mark = "the PSP refused a refund, and that was proof"
	MarkKeyOther        Mark = "an idempotency key came with another body"
	MarkKeyBusy         Mark = "an idempotency key came while a request was at it"
	MarkKeyExpired      Mark = "an idempotency key came whose answer is no longer kept"
	MarkKeyTakenOver    Mark = "an idempotency key was taken over from a request that died"
	MarkPayoutAsked     Mark = "a payout's call had no answer, and the PSP was asked what became of it"
	MarkPayoutRepeated  Mark = "a payout that the PSP did not know was asked for again under its key"
	MarkPayoutKeyOver   Mark = "a payout was not asked for again because the PSP may have forgotten its key"
	MarkLineRepaired    Mark = "reconciliation booked a line that the ledger lacked"
	MarkLineAdjusted    Mark = "reconciliation adjusted a line that differed"
	MarkLineInFlight    Mark = "reconciliation met a line that the inbox still worked on"
	MarkPhantom         Mark = "reconciliation took back a credit that never settled"
	MarkPhantomRefund   Mark = "reconciliation took back a refund that never settled"
	MarkSendAgain       Mark = "the merchant's endpoint failed, and its event was put off"
	MarkSendLost        Mark = "a dispatcher lost its lease while it sent"
)

// Marks lists them.
func Marks() []Mark {
	return []Mark{
		MarkBadSignature, MarkTooLarge, MarkUnreadable, MarkLeaseLost, MarkLeaseShort, MarkGivenUp, MarkAnsweredNo,
		MarkTokenRenewed, MarkRefundEarly, MarkRefundOverCap, MarkRefundNoBalance, MarkRefundAsked, MarkRefundRepeated,
		MarkRefundRekeyed, MarkRefundRefused, MarkKeyOther, MarkKeyBusy, MarkKeyExpired, MarkKeyTakenOver,
		MarkPayoutAsked, MarkPayoutRepeated, MarkPayoutKeyOver, MarkLineRepaired, MarkLineAdjusted, MarkLineInFlight, MarkPhantom,
		MarkPhantomRefund, MarkSendAgain, MarkSendLost,
	}
}

// reached tells the observer, if there is one.
func (c *Config) reached(m Mark) {
	if c.Observer != nil {
		c.Observer.Reached(m)
	}
}

// reachedIf tells the observer where a condition holds.
func (c *Config) reachedIf(ok bool, m Mark) {
	if ok {
		c.reached(m)
	}
}
