package chaos

import (
	"cmp"
	"slices"
)

// Join is what happens where c and d meet: each field by the one rule that
// stands beside it. The order of the two does not matter.
func (c Change) Join(d Change) Change {
	return Change{
		DelayMS:       c.DelayMS + d.DelayMS,
		Behind:        max(c.Behind, d.Behind),
		CopyAfterMS:   least(c.CopyAfterMS, d.CopyAfterMS),
		AtMS:          least(c.AtMS, d.AtMS),
		Frozen:        c.Frozen || d.Frozen,
		Drop:          c.Drop || d.Drop,
		AckLost:       c.AckLost || d.AckLost,
		Signature:     max(c.Signature, d.Signature),
		SayCents:      max(c.SayCents, d.SayCents),
		SayEndToEndID: max(c.SayEndToEndID, d.SayEndToEndID),
		SayTxID:       max(c.SayTxID, d.SayTxID),

		SayRefundCents: max(c.SayRefundCents, d.SayRefundCents),
		SayRefundID:    max(c.SayRefundID, d.SayRefundID),

		Shape: union(c.Shape, d.Shape, byShape),
		With:  union(c.With, d.With, compareIDs),

		SlowMS:      c.SlowMS + d.SlowMS,
		Status:      max(c.Status, d.Status),
		StatusAfter: max(c.StatusAfter, d.StatusAfter),
		Cut:         c.Cut || d.Cut,
		HideMS:      max(c.HideMS, d.HideMS),
		LagMS:       max(c.LagMS, d.LagMS),
		Shift:       c.Shift || d.Shift,
		Revoked:     c.Revoked || d.Revoked,
		RejectMS:    max(c.RejectMS, d.RejectMS),
		ReturnMS:    max(c.ReturnMS, d.ReturnMS),
		ReturnCents: max(c.ReturnCents, d.ReturnCents),

		Crash:      c.Crash || d.Crash,
		RestartMS:  max(c.RestartMS, d.RestartMS),
		LoseCommit: c.LoseCommit || d.LoseCommit,
		Down:       c.Down || d.Down,
		Removed:    c.Removed || d.Removed,
		SkewMS:     c.SkewMS + d.SkewMS,
		PauseMS:    max(c.PauseMS, d.PauseMS),

		PayCents:   max(c.PayCents, d.PayCents),
		PayAtMS:    max(c.PayAtMS, d.PayAtMS),
		RemoveAtMS: least(c.RemoveAtMS, d.RemoveAtMS),
		PayCharge:  max(c.PayCharge, d.PayCharge),
		Lax:        c.Lax || d.Lax,

		AgainAfterMS:   least(c.AgainAfterMS, d.AgainAfterMS),
		AlteredAfterMS: least(c.AlteredAfterMS, d.AlteredAfterMS),
	}
}

// least is the smaller of two numbers of which zero means absent.
func least(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// union is the sorted set of both lists, nil when both are empty.
func union[T comparable](a, b []T, compare func(a, b T) int) []T {
	if len(a)+len(b) == 0 {
		return nil
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, compare)
	return slices.Compact(all)
}

// shapes lists the Shape constants in the order in which they are applied.
func shapes() []string {
	return []string{ShapeUnknownFields, ShapeUnknownEnums, ShapeNulls, ShapeRefundObject,
		ShapeRootArray, ShapeOversized, ShapeTruncated}
}

func byShape(a, b string) int {
	all := shapes()
	return cmp.Or(cmp.Compare(slices.Index(all, a), slices.Index(all, b)), cmp.Compare(a, b))
}

// compareIDs orders "p2" before "p10": by what stands before the trailing
// digits, then by their number, then as text.
func compareIDs(a, b string) int {
	headA, numberA := splitID(a)
	headB, numberB := splitID(b)
	return cmp.Or(cmp.Compare(headA, headB), cmp.Compare(len(numberA), len(numberB)),
		cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

// splitID cuts an id into its head and its trailing number without leading zeros.
func splitID(id string) (head, number string) {
	i := len(id)
	for i > 0 && id[i-1] >= '0' && id[i-1] <= '9' {
		i--
	}
	number = id[i:]
	for len(number) > 1 && number[0] == '0' {
		number = number[1:]
	}
	return id[:i], number
}
