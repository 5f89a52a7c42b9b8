package chaos

// LastActionMS is the last instant at which the plan itself still does
// something: a charge made, adopted or removed, a Pix tried, a first attempt of
// a callback or of one of its copies due, a window ending. Heal begins then.
// Retries, and answers to them, are no action of the plan.
func (p *Plan) LastActionMS() int64 {
	f := p.Merge()
	var last int64
	for _, c := range p.Charges {
		last = max(last, c.CreateAtMS, c.AdoptAtMS, c.RemoveAtMS)
	}
	for _, pay := range p.Payments {
		set := f.Payment(pay.ID).Change
		at := pay.AtMS
		if set.PayAtMS > 0 {
			at = set.PayAtMS
		}
		last = max(last, set.RemoveAtMS, at+pay.NotifyAfterMS)
		for _, c := range f.callbacks[pay.ID] {
			if c.at.Attempt != 1 {
				continue
			}
			due := c.Change.AtMS
			if c.at.Notice == NoticeCredit {
				due = at + pay.NotifyAfterMS + c.Change.CopyAfterMS
			}
			last = max(last, due+c.Change.DelayMS)
		}
	}
	for _, d := range p.Faults {
		if w := d.Target.Window; w != nil {
			last = max(last, w.ToMS)
		}
	}
	return last
}
