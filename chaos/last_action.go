package chaos

// LastActionMS is the last instant at which the plan itself still does
// something: a charge made, adopted or removed, a Pix tried, a refund asked for
// or final, a payout asked for, ended or come back, a dispute reported or
// decided, a first attempt of a callback or of one of its copies due, a request
// sent once more, a window ending. Heal begins then. Retries, and answers to
// them, are no action of the plan.
func (p *Plan) LastActionMS() int64 {
	f := p.Merge()
	var last int64
	for _, c := range p.Charges {
		last = max(last, c.CreateAtMS, c.AdoptAtMS, c.RemoveAtMS)
	}
	for _, pay := range p.Payments {
		set := f.Payment(pay.ID).Change
		due := pay.AtMS + pay.NotifyAfterMS
		if set.PayAtMS > 0 {
			due = set.PayAtMS + pay.NotifyAfterMS
		}
		last = max(last, set.RemoveAtMS, f.lastCallback(pay.ID, NoticeCredit, due), f.lastExtra(pay.ID))
	}
	for _, r := range p.Refunds {
		last = max(last, f.lastCallback(r.Payment, RefundNotice(r.ID), r.AtMS+r.SettleAfterMS+r.NotifyAfterMS))
	}
	for _, d := range p.Disputes {
		decided := d.ReportAtMS + d.DecideAfterMS
		if d.Outcome != DisputeAccepted {
			last = max(last, decided) // nobody is told
			continue
		}
		last = max(last, f.lastReturn(d.Payment, d.ID, decided+d.NotifyAfterMS))
	}
	for _, r := range requestsOf(p) {
		set := f.Request(r.subject).Change
		last = max(last, r.atMS+set.AgainAfterMS, r.atMS+set.AlteredAfterMS)
	}
	for i := range p.Payouts {
		last = max(last, f.lastOfPayout(&p.Payouts[i]))
	}
	for _, d := range p.Faults {
		if w := d.Target.Window; w != nil {
			last = max(last, w.ToMS)
		}
	}
	return last
}

// lastOfPayout is when the last callback about a payout leaves, whatever a fault
// made of its end.
func (f *Faults) lastOfPayout(o *Payout) int64 {
	last := f.lastCallback(o.ID, NoticePayout, o.endMS()+o.NotifyAfterMS)
	for _, a := range f.api[o.ID] {
		set := a.Change
		if set.RejectMS > 0 {
			last = max(last, f.lastCallback(o.ID, NoticePayout, o.AtMS+set.RejectMS+o.NotifyAfterMS))
		}
		if set.ReturnMS > 0 {
			last = max(last, o.endMS()+set.ReturnMS+o.NotifyAfterMS)
		}
	}
	for n, r := range o.Returns {
		last = max(last, f.lastCallback(o.ID, ReturnNotice(n+1), o.endMS()+r.AfterMS+o.NotifyAfterMS))
	}
	return last
}

// lastReturn is when the last first attempt about a return of a MED case leaves,
// as far as it can be told: further returns wait for money.
func (f *Faults) lastReturn(subject, dispute string, due int64) int64 {
	last := due
	for _, c := range f.callbacks[subject] {
		if returnOf(dispute, c.at.Notice) {
			last = max(last, f.lastCallback(subject, c.at.Notice, due))
		}
	}
	return last
}

// lastCallback is when the last first attempt of a notice leaves, copies
// included, if its own is due then.
func (f *Faults) lastCallback(subject, notice string, due int64) int64 {
	last := due
	for _, c := range f.callbacks[subject] {
		if c.at.Notice == notice && c.at.Attempt == 1 {
			last = max(last, due+c.Change.CopyAfterMS+c.Change.DelayMS)
		}
	}
	return last
}

// lastExtra is when the last extra notice of a payment leaves.
func (f *Faults) lastExtra(subject string) int64 {
	var last int64
	for _, c := range f.callbacks[subject] {
		if c.at.Attempt == 1 && c.Change.AtMS > 0 {
			last = max(last, c.Change.AtMS+c.Change.DelayMS)
		}
	}
	return last
}
