package chaos

// longestReturnMS is the longest that what comes back of a payout takes.
const longestReturnMS = 40 * minuteMS

// payout draws what is paid out beside payment i: nothing, or one payout named
// o<i>, so that no other payment's moves it.
func (d *drawer) payout(i int, pay *Payment) {
	st := d.open("payment/", itoa(i), "/payout")
	if !st.Chance(d.profile.Payouts) {
		return
	}
	o := Payout{
		ID: "o" + itoa(i), Reference: "PAG-" + itoa(1000+i), Payee: "fornecedor-" + itoa(int(st.Below(5))) + "@pagamentos.example",
		AmountCents: d.paidOut(st, pay.AmountCents), Outcome: PayoutConfirmed,
	}
	o.AtMS = d.payoutAt(d.open("payout/", itoa(i), "/at"), pay.AtMS)
	end := d.open("payout/", itoa(i), "/end")
	o.SettleAfterMS, o.NotifyAfterMS = drawPayoutSettle(end), end.Between(0, 2*secondMS)
	if !d.profile.Plain {
		d.payoutEnd(end, &o)
	}
	d.plan.Payouts = append(d.plan.Payouts, o)
}

// payoutEnd draws how a payout ends: one in eight is rejected, and of one in
// eight of the others something comes back, of one in three of these in two parts.
func (d *drawer) payoutEnd(st *Stream, o *Payout) {
	if st.Chance(Rate{1, 8}) {
		o.Outcome = PayoutRejected
		return
	}
	if !st.Chance(Rate{1, 8}) {
		return
	}
	left, after := o.AmountCents, st.octave(minuteMS, longestReturnMS/2)
	if st.Chance(Rate{1, 3}) && left > 1 {
		first := st.Between(1, left-1)
		o.Returns = append(o.Returns, PayoutReturn{AfterMS: after, AmountCents: first})
		left, after = left-first, after+st.octave(1, longestReturnMS/2)
	}
	if st.Chance(Rate{1, 3}) {
		left = st.Between(1, left)
	}
	o.Returns = append(o.Returns, PayoutReturn{AfterMS: after, AmountCents: left})
}

// paidOut draws an amount: mostly a part of what came in beside it, three times
// in eight all of it, and save in the plain profile one time in eight more.
func (d *drawer) paidOut(st *Stream, paid int64) int64 {
	mode := st.Below(8)
	switch {
	case mode == 0 && !d.profile.Plain:
		return paid + st.octave(1, paid)
	case mode < 4 && !d.profile.Plain:
		return paid
	}
	return st.Between(1, paid)
}

// payoutAt is when a payout is asked for: one in eight within seconds of the
// payment beside it, the others five minutes to hours later.
func (d *drawer) payoutAt(st *Stream, paidMS int64) int64 {
	latest := d.plan.HorizonMS - returnsEndMS - longestSettleMS - longestReturnMS - 4*secondMS
	longest := min(d.profile.longestWait(), latest-paidMS)
	if d.profile.Plain {
		return min(paidMS+st.octave(calmRefundMS, longest), max(latest, paidMS+calmRefundMS))
	}
	if st.Chance(Rate{1, 8}) {
		return paidMS + st.octave(300, 20*secondMS)
	}
	return paidMS + st.octave(5*minuteMS, longest)
}

// drawPayoutSettle is how long a payout is in process: one in two not at all.
func drawPayoutSettle(st *Stream) int64 {
	if st.Chance(Rate{1, 2}) {
		return 0
	}
	return st.octave(200, longestSettleMS)
}

// payoutSettings draws the PSP's habits with payouts: every fourth hands out
// endToEndIds at a look-up, and a key is good for ten minutes, an hour or a day.
func payoutSettings(seed Seed, profile Profile, s *Settings) {
	ttls := [...]int64{10 * minuteMS, hourMS, DayMS, DayMS}
	s.PayoutIDs, s.PayoutKeyTTLMS = PayoutIDsAssigned, ttls[seed.Stream("settings/payout_key_ttl").Below(4)]
	if seed.Stream("settings/payout_ids").Chance(Rate{1, 4}) {
		s.PayoutIDs = PayoutIDsLookup
	}
	if profile.Plain {
		s.PayoutKeyTTLMS = DayMS
	}
}
