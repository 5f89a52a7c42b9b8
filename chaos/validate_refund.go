package chaos

// maxAnalysisMS is the longest that a MED case may be analysed: seven days.
const maxAnalysisMS = 7 * 24 * hourMS

func (v *validator) allRefunds() error {
	for i := range v.plan.Refunds {
		r := &v.plan.Refunds[i]
		who := "refund " + r.ID
		scope := "refund reference"
		if r.Origin == OriginBank {
			scope += " of " + r.Payment // a bank's id is unique within its Pix alone
		}
		if err := firstError(
			v.once(who, "id", "id", r.ID),
			oneOf(who, "origin", string(r.Origin), string(OriginMerchant), string(OriginBank)),
			v.once(who, "reference", scope, r.Reference),
			v.payment(who, "payment", r.Payment),
			atLeast(who, "amount_cents", r.AmountCents, 1),
			atLeast(who, "at_ms", r.AtMS, 0),
			atLeast(who, "settle_after_ms", r.SettleAfterMS, 0),
			atLeast(who, "notify_after_ms", r.NotifyAfterMS, 0),
		); err != nil {
			return err
		}
		v.refunds[r.ID] = r
	}
	return nil
}

func (v *validator) allDisputes() error {
	for i := range v.plan.Disputes {
		d := &v.plan.Disputes[i]
		who := "dispute " + d.ID
		if err := firstError(
			v.once(who, "id", "id", d.ID),
			v.payment(who, "payment", d.Payment),
			oneOf(who, "nature", d.Nature, "MED_FRAUDE", "MED_OPERACIONAL"),
			oneOf(who, "outcome", string(d.Outcome), string(DisputeAccepted), string(DisputeRejected), string(DisputeCancelled)),
			atLeast(who, "amount_cents", d.AmountCents, 1),
			atLeast(who, "report_at_ms", d.ReportAtMS, 0),
			inRange(who, "decide_after_ms", d.DecideAfterMS, 0, maxAnalysisMS),
			atLeast(who, "notify_after_ms", d.NotifyAfterMS, 0),
		); err != nil {
			return err
		}
		v.disputes[d.ID] = d
	}
	return nil
}
