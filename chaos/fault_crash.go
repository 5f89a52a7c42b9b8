package chaos

// dutyCrashes is how many times a plan draws whether a duty is struck.
const dutyCrashes = 4

func crashKind() Kind {
	return Kind{
		Name: "crash", Family: FamilyReceiver,
		Doc:   "A process of the receiver dies just before or just after a store command and starts again 0.2 s to ten minutes later.",
		Mixed: Rate{1, 30}, Hostile: Rate{1, 4}, Alone: Rate{1, 2},
		Propose: proposeCrash,
	}
}

func proposeCrash(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		command, subject := drawCommand(st, s)
		edge := EdgeAfter
		if st.Chance(Rate{1, 2}) && command != CommandClaimEvents && command != CommandLeaseOutbox {
			edge = EdgeBefore
		}
		out = append(out, p.onCommand(st, command, subject, edge, drawNth(st), drawCrash(st)))
	}
	for r, st := range p.requests() {
		command, edge := drawRefundCommand(st), EdgeAfter
		if st.Chance(Rate{1, 2}) && command != CommandLeaseRefunds {
			edge = EdgeBefore
		}
		out = append(out, p.onCommand(st, command, r.ID, edge, drawNth(st), drawCrash(st)))
	}
	for o, st := range p.payouts() {
		command, edge := drawPayoutCommand(st), EdgeAfter
		if st.Chance(Rate{1, 2}) && command != CommandLeasePayouts {
			edge = EdgeBefore
		}
		out = append(out, p.onCommand(st, command, o.ID, edge, drawNth(st), drawCrash(st)))
	}
	for k := range dutyCrashes {
		if st := p.stream("duty/" + itoa(k)); st.Chance(p.Rate) {
			out = append(out, p.crashDuty(st))
		}
	}
	return out
}

func drawCrash(st *Stream) Change {
	return Change{Crash: true, RestartMS: st.octave(200, 10*minuteMS)}
}

// crashDuty strikes one of the day's sweeps, one time in four an early turn of
// the reconciliation.
func (p *Proposer) crashDuty(st *Stream) Deviation {
	command, edge, subject, turns := CommandBeginDuty, EdgeBefore, DutySweep, int64(90)
	if st.Chance(Rate{1, 2}) {
		command = CommandSaveDuty
	}
	if st.Chance(Rate{1, 2}) {
		edge = EdgeAfter
	}
	if st.Chance(Rate{1, 4}) {
		subject, turns = DutyReconcile, 3
	}
	return p.onCommand(st, command, subject, edge, int(st.Between(1, turns)), drawCrash(st))
}

// drawCommand draws a store command that holds the sale's payment or charge.
func drawCommand(st *Stream, s *sale) (command, subject string) {
	payment := [...]string{CommandAppendInbox, CommandAppendInbox, CommandApplyEvents, CommandApplyEvents,
		CommandClaimEvents, CommandLeaseOutbox, CommandMatchStatement}
	charge := [...]string{CommandCreateCharges, CommandRecordCalls}
	if s.ours() && st.Chance(Rate{1, 3}) {
		return charge[st.Below(2)], s.charge.ID
	}
	return payment[st.Below(7)], s.ID
}

// drawRefundCommand draws a store command that holds a refund.
func drawRefundCommand(st *Stream) string {
	return [...]string{CommandReserveRefunds, CommandLeaseRefunds, CommandRecordRefunds}[st.Below(3)]
}

// drawNth is mostly the first execution, one time in five the second.
func drawNth(st *Stream) int {
	if st.Chance(Rate{1, 5}) {
		return 2
	}
	return 1
}

// onCommand strikes the nth execution anywhere, one time in four that of a
// given instance.
func (p *Proposer) onCommand(st *Stream, command, subject, edge string, nth int, set Change) Deviation {
	instance := AnyInstance
	if st.Chance(Rate{1, 4}) {
		instance = itoa(p.instance(st))
	}
	return Deviation{Set: set, Target: Target{Command: &CommandAddress{
		Instance: instance, Command: command, Subject: subject, Edge: edge, Nth: nth,
	}}}
}
