package chaos

func refundObjectKind() Kind {
	return Kind{
		Name: "refund_object", Family: FamilyCallback,
		Doc:   "The refunds in the body are one object in place of an array.",
		Mixed: Rate{1, 200}, Hostile: Rate{1, 20}, Alone: Rate{1, 2},
		Propose: proposeRefundObject,
	}
}

func proposeRefundObject(p Proposer) (out []Deviation) {
	for n := range p.pixCallbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeRefundObject}}))
	}
	return out
}
