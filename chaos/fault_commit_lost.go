package chaos

func commitLostKind() Kind {
	return Kind{
		Name: "commit_lost", Family: FamilyReceiver,
		Doc:   "A store command commits and the receiver is told that nobody knows.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeCommitLost,
	}
}

func proposeCommitLost(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		command, subject := drawCommand(st, s)
		switch command {
		case CommandClaimEvents, CommandLeaseOutbox, CommandMatchStatement:
			command = CommandApplyEvents
		}
		out = append(out, p.onCommand(st, command, subject, EdgeAfter, drawNth(st), Change{LoseCommit: true}))
	}
	for r, st := range p.requests() {
		command := drawRefundCommand(st)
		if command == CommandLeaseRefunds {
			command = CommandRecordRefunds
		}
		out = append(out, p.onCommand(st, command, r.ID, EdgeAfter, drawNth(st), Change{LoseCommit: true}))
	}
	for o, st := range p.payouts() {
		command := drawPayoutCommand(st)
		if command == CommandLeasePayouts {
			command = CommandRecordPayouts
		}
		out = append(out, p.onCommand(st, command, o.ID, EdgeAfter, drawNth(st), Change{LoseCommit: true}))
	}
	return out
}
