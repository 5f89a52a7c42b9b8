package chaos

// disputes draws the MED cases on payment i: none, one, or two that meet on one
// Pix, named m<i>0 and m<i>1.
func (d *drawer) disputes(i int, pay *Payment) {
	st := d.open("payment/", itoa(i), "/disputes")
	if !st.Chance(d.profile.Disputes) {
		return
	}
	cases := 1
	if st.Chance(Rate{1, 5}) {
		cases = 2
	}
	for k := range cases {
		c := d.dispute(i, k, pay)
		d.plan.Disputes = append(d.plan.Disputes, c)
	}
}

func (d *drawer) dispute(i, k int, pay *Payment) Dispute {
	path := "dispute/" + itoa(i) + "/" + itoa(k)
	what := d.open(path, "/what")
	c := Dispute{
		ID: "m" + itoa(10*i+k), Payment: pay.ID, Nature: "MED_FRAUDE",
		Outcome: drawOutcome(what), AmountCents: pay.AmountCents,
		Memo: what.Chance(Rate{1, 2}), NotifyAfterMS: what.Between(0, 2*secondMS),
	}
	if what.Chance(Rate{1, 4}) {
		c.Nature = "MED_OPERACIONAL"
	}
	if what.Chance(Rate{1, 3}) {
		c.AmountCents = what.Between(1, pay.AmountCents)
	}
	c.ReportAtMS, c.DecideAfterMS = d.disputed(d.open(path, "/at"), pay)
	return c
}

// drawOutcome is accepted three times in four.
func drawOutcome(st *Stream) DisputeOutcome {
	switch st.Below(8) {
	case 0:
		return DisputeRejected
	case 1:
		return DisputeCancelled
	}
	return DisputeAccepted
}

// disputed draws when a case is reported and how long it is analysed. On a Pix
// that is asked back too, half the cases are reported, or decided, within two
// minutes of a refund's request, before it or after it.
func (d *drawer) disputed(st *Stream, pay *Payment) (reportMS, decideMS int64) {
	latest := d.plan.HorizonMS - returnsEndMS - 2*secondMS
	analysis := d.profile.longestAnalysis()
	report := pay.AtMS + st.octave(minuteMS, min(d.profile.longestWait(), latest-minuteMS-pay.AtMS))
	decide := st.octave(minuteMS, min(analysis, latest-report))
	near, ok := d.requestNear(st, pay)
	switch {
	case !ok:
	case st.Chance(Rate{1, 2}):
		report = min(max(near, pay.AtMS+secondMS), latest-minuteMS)
		decide = min(decide, latest-report)
	case near > report+minuteMS && near-report <= analysis:
		decide = near - report
	}
	return report, decide
}

// requestNear draws an instant close to a refund's request, where there is one.
func (d *drawer) requestNear(st *Stream, pay *Payment) (ms int64, ok bool) {
	refunds := d.plan.Refunds
	n := 0
	for n < len(refunds) && refunds[len(refunds)-1-n].Payment == pay.ID {
		n++
	}
	if n == 0 || st.Chance(Rate{1, 2}) {
		return 0, false
	}
	r := &refunds[len(refunds)-1-int(st.Below(uint64(n)))]
	gap := st.octave(5, 2*minuteMS)
	if st.Chance(Rate{1, 2}) {
		gap = -gap
	}
	return r.AtMS + gap, true
}
