package fakepsp

// Mark names a place in the PSP that a good search comes to. Its text says what
// happened.
type Mark string

// The marks. A new one is a line here and one in [Marks].
const (
	MarkRefundSame    Mark = "a refund's id came again, and the PSP answered with the refund"
	MarkRefundInUse   Mark = "a refund's id came again, and the PSP refused it"
	MarkRefundTaken   Mark = "a refund in process failed because MED had taken its money"
	MarkReturnInPart  Mark = "an accepted MED case could return only a part at first"
	MarkBlockedInPart Mark = "a MED case found less to block than it was over"
)

// Marks lists them.
func Marks() []Mark {
	return []Mark{MarkRefundSame, MarkRefundInUse, MarkRefundTaken, MarkReturnInPart, MarkBlockedInPart}
}

// reached tells the observer of a mark.
func (p *PSP) reached(m Mark) { p.tell(func(o Observer) { o.Reached(m) }) }
