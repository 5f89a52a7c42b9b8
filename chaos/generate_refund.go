package chaos

// returnsEndMS is how long before the horizon the last refund and the last
// decision about a MED case are final and told, so that what strikes their
// callbacks still falls inside the horizon.
const returnsEndMS = 40 * minuteMS

// longestSettleMS is the longest that a refund is in process.
const longestSettleMS = 20 * minuteMS

// calmRefundMS is how long after its Pix the plain profile's first refund is
// asked for: by then two sweeps have confirmed the Pix whatever happens.
const calmRefundMS = 40 * minuteMS

// refunds draws what is asked back of payment i: nothing, or one to three
// refunds named r<i>0, r<i>1, r<i>2, so that no other payment's refunds move.
func (d *drawer) refunds(i int, pay *Payment) {
	st := d.open("payment/", itoa(i), "/refunds")
	if !st.Chance(d.profile.Refunds) {
		return
	}
	n := 1
	if st.Chance(Rate{2, 5}) {
		n = int(st.Between(2, 3))
	}
	together := st.Chance(Rate{1, 2}) && !d.profile.Plain
	var first int64
	for k, cents := range d.askedBack(st, pay.AmountCents, n) {
		r := d.refund(i, k, pay.AtMS)
		r.Payment, r.AmountCents = pay.ID, cents
		if k == 0 {
			first = r.AtMS
		} else if together {
			r.AtMS = first + r.AtMS%5 // a race between two requests
		}
		d.plan.Refunds = append(d.plan.Refunds, r)
	}
}

// refund draws the kth refund of payment i, all but its amount.
func (d *drawer) refund(i, k int, paidMS int64) Refund {
	path, n := "refund/"+itoa(i)+"/"+itoa(k), 10*i+k
	r := Refund{ID: "r" + itoa(n), Origin: OriginMerchant, Reference: "DEV-" + itoa(1000+n)}
	r.AtMS = d.refundAt(d.open(path, "/at"), paidMS)
	end := d.open(path, "/end")
	r.SettleAfterMS, r.NotifyAfterMS = d.settle(end), end.Between(d.pace.tell[0], d.pace.tell[1])
	if d.profile.Plain {
		return r
	}
	r.Fails = end.Chance(Rate{1, 8})
	if by := d.open(path, "/by"); by.Chance(Rate{1, 6}) {
		r.Origin, r.Reference = OriginBank, bankReference(by, k)
	}
	return r
}

// refundAt is when a refund is asked for: one in ten within seconds of its Pix,
// the others five minutes to hours later.
func (d *drawer) refundAt(st *Stream, paidMS int64) int64 {
	longest := min(d.pace.later[1], d.profile.latestRefund()-paidMS)
	if d.profile.Plain && !d.profile.Stage {
		return paidMS + st.octave(calmRefundMS, longest)
	}
	if st.Chance(Rate{1, 10}) {
		return paidMS + st.octave(d.pace.soon[0], d.pace.soon[1])
	}
	return paidMS + st.octave(d.pace.later[0], longest)
}

// settle is how long a refund is in process: one in three not at all.
func (d *drawer) settle(st *Stream) int64 {
	if st.Chance(Rate{1, 3}) {
		return 0
	}
	return st.octave(d.pace.settle[0], d.pace.settle[1])
}

// bankReference is the id that the bank's own app gives a refund: mostly a
// short one, which other Pix have too, since ids are unique within a Pix alone.
func bankReference(st *Stream, k int) string {
	switch st.Below(3) {
	case 0:
		return itoa(k + 1)
	case 1:
		return "R" + itoa(k+1)
	}
	return st.Text(32)
}

// askedBack draws the amounts of n refunds of one Pix, each at least a cent,
// fewer where there are not cents enough. Save in the plain profile they
// sometimes come to more than was paid.
func (d *drawer) askedBack(st *Stream, paid int64, n int) []int64 {
	n = int(min(int64(n), paid))
	mode := st.Below(8)
	if d.profile.Plain {
		mode = max(mode, 2)
	}
	if n == 1 {
		switch {
		case mode < 1:
			return []int64{paid + st.octave(1, paid)}
		case mode < 5:
			return []int64{paid}
		}
		return []int64{st.Between(1, paid)}
	}
	if mode == 0 { // each alone would do
		out := make([]int64, n)
		for k := range out {
			out[k] = (paid*3 + 4) / 5
		}
		return out
	}
	out := split(st, paid, n)
	switch {
	case mode == 1:
		out[n-1]++ // a cent too much
	case mode > 5:
		out[n-1] = st.Between(1, out[n-1]) // something stays
	}
	return out
}

// split cuts an amount into n parts of at least a cent.
func split(st *Stream, cents int64, n int) []int64 {
	out := make([]int64, n)
	for k := range n - 1 {
		out[k] = st.Between(1, cents-int64(n-1-k))
		cents -= out[k]
	}
	out[n-1] = cents
	return out
}
