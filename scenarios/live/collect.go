package live

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	psp "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// redeliver sends every settled Pix with a txid once more, with its refunds and
// signed anew, and says what moved by it, "" if nothing did.
func (r *run) redeliver(ctx context.Context) (string, error) {
	truth, err := r.psp.Truth(ctx)
	if err != nil {
		return "", err
	}
	before, err := r.house.db.dump(ctx)
	if err != nil {
		return "", err
	}
	const most = 200
	for list := toldOf(truth); len(list) > 0; list = list[min(most, len(list)):] {
		body := pix.EncodeCallback(list[:min(most, len(list))])
		status, err := r.post(ctx, body)
		if err != nil || status != http.StatusOK {
			return fmt.Sprintf("delivering everything again was answered with %d, %v", status, err), nil
		}
	}
	if pending, err := r.standstill(ctx, SettleBound, 300*time.Millisecond, 0); err != nil || len(pending) > 0 {
		return fmt.Sprintf("after delivering everything again there is no rest: %v", pending), err
	}
	after, err := r.house.db.dump(ctx)
	return moved(before, after), err
}

// toldOf are the settled Pix that callbacks tell of.
func toldOf(truth psp.Truth) []pix.Payment {
	refunds := map[pix.EndToEndID][]pix.Refund{}
	for _, x := range truth.Refunds {
		refunds[x.EndToEndID] = append(refunds[x.EndToEndID], refundOf(x))
	}
	var out []pix.Payment
	for _, s := range truth.Payments {
		if s.TxID != "" {
			out = append(out, pix.Payment{
				EndToEndID: s.EndToEndID, TxID: s.TxID, Amount: pix.Amount(s.AmountCents), PixKey: s.PixKey, PaidAt: s.PaidAt,
				Refunds: refunds[s.EndToEndID],
			})
		}
	}
	return out
}

func refundOf(x psp.Refund) pix.Refund {
	return pix.Refund{
		ID: x.ID, ReturnID: x.ReturnID, Amount: pix.Amount(x.AmountCents), Nature: x.Nature, Status: x.Status,
		RequestedAt: x.RequestedAt, SettledAt: x.SettledAt,
	}
}

func payoutOf(x psp.Payout) pix.Payout {
	out := pix.Payout{
		Key: x.Key, EndToEndID: x.EndToEndID, PixKey: x.PixKey, Amount: pix.Amount(x.AmountCents), Status: x.Status,
		RequestedAt: x.RequestedAt, SettledAt: x.SettledAt,
	}
	for _, b := range x.Returns {
		out.Returns = append(out.Returns, pix.PayoutReturn{ReturnID: b.ReturnID, Amount: pix.Amount(b.AmountCents), SettledAt: b.SettledAt})
	}
	return out
}

// post is one callback of the run's own.
func (r *run) post(ctx context.Context, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.house.frontURL+"/pix", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set(pix.SignatureHeader, r.sign(body))
	resp, err := r.merchant.http.Do(req)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// moved says what differs between two looks at the store, of what must not.
func moved(before, after receiver.ChangeSet) string {
	const told = "delivering everything again "
	switch {
	case len(after.Transactions) != len(before.Transactions):
		return told + "posted " + after.Transactions[len(after.Transactions)-1].Reference
	case len(after.Outbox) != len(before.Outbox):
		return told + fmt.Sprintf("told the merchant of %d more events", len(after.Outbox)-len(before.Outbox))
	case len(after.Payouts) != len(before.Payouts):
		return told + "made payouts"
	case len(after.Refunds) != len(before.Refunds) || len(after.Charges) != len(before.Charges) || len(after.Cases) != len(before.Cases):
		return told + "made refunds, charges or cases"
	}
	for i, c := range after.Refunds {
		if c.After.State != before.Refunds[i].After.State {
			return told + "changed refund " + string(c.After.ID)
		}
	}
	for i, c := range after.Charges {
		if c.After.State != before.Charges[i].After.State || c.After.Settled != before.Charges[i].After.Settled {
			return told + "changed charge " + c.After.Reference
		}
	}
	for i, c := range after.Cases {
		if c.After.State != before.Cases[i].After.State || c.After.Amount != before.Cases[i].After.Amount {
			return told + "changed case " + c.After.ID
		}
	}
	return ""
}

// collect gathers what the run left behind.
func (r *run) collect(ctx context.Context, out *scenarios.Outcome) error {
	var err error
	if out.Rows, err = r.house.db.dump(ctx); err != nil {
		return err
	}
	if out.Stored, err = r.house.db.balances(ctx); err != nil {
		return err
	}
	if out.Statement, err = r.psp.Statement(ctx); err != nil {
		return err
	}
	if err := r.collectTruth(ctx, out); err != nil {
		return err
	}
	faults, err := r.psp.Faults(ctx)
	if err != nil {
		return err
	}
	fired := map[string]int{}
	for _, k := range faults.Kinds {
		fired[k.Kind] = k.Fired
	}
	for _, k := range r.referee.counts() {
		out.Faults = append(out.Faults, chaos.KindCount{Kind: k.Kind, Planned: k.Planned, Fired: k.Fired + fired[k.Kind]})
	}
	out.Answers = r.merchant.answered()
	out.Arrived, out.Died = r.endpoint.arrived(), r.house.death()
	out.Calls, out.Took = r.house.front.count(), time.Since(r.began)
	return r.collectAcks(ctx, out)
}

func (r *run) collectTruth(ctx context.Context, out *scenarios.Outcome) error {
	truth, err := r.psp.Truth(ctx)
	if err != nil {
		return err
	}
	for _, s := range truth.Payments {
		out.Settled = append(out.Settled, fakepsp.SettledPix{Subject: s.Subject, Payment: pix.Payment{
			EndToEndID: s.EndToEndID, TxID: s.TxID, PixKey: s.PixKey, Amount: pix.Amount(s.AmountCents), PaidAt: s.PaidAt,
		}})
	}
	for _, x := range truth.Refunds {
		out.Refunds = append(out.Refunds, fakepsp.RefundRow{
			EndToEndID: x.EndToEndID, Refund: refundOf(x), Subject: x.Subject, Part: x.Part,
		})
	}
	for _, x := range truth.Payouts {
		out.Payouts = append(out.Payouts, fakepsp.PayoutRow{Subject: x.Subject, Payout: payoutOf(x)})
	}
	verdict, err := r.psp.Check(ctx)
	if err != nil {
		return err
	}
	if !verdict.OK {
		out.Contradiction = verdict.Detail
	}
	state, err := r.psp.Plan(ctx)
	for _, v := range state.Void {
		out.Void = append(out.Void, scenarios.Void{Payment: v.Subject, Reason: v.Reason})
	}
	return err
}

// collectAcks are what the receivers answer for.
func (r *run) collectAcks(ctx context.Context, out *scenarios.Outcome) error {
	sent, err := r.psp.Deliveries(ctx)
	if err != nil {
		return err
	}
	out.Refused = sent.Refused + sent.GivenUp
	return r.psp.Acknowledged(ctx, func(a psp.Ack) error {
		if a.Unreadable {
			out.Unreadable++
			return nil
		}
		out.Acknowledged = append(out.Acknowledged, scenarios.Acknowledged{At: a.At, Items: itemsOf(a), Payouts: payoutItemsOf(a)})
		return nil
	})
}

// itemsOf are the items of an acknowledged callback, as far as a checker asks.
func itemsOf(a psp.Ack) []pix.CallbackItem {
	var out []pix.CallbackItem
	for _, it := range a.Items {
		p := pix.Payment{EndToEndID: it.EndToEndID, TxID: it.TxID}
		for _, x := range it.Refunds {
			p.Refunds = append(p.Refunds, pix.Refund{ID: x.ID, Status: x.Status})
		}
		out = append(out, pix.CallbackItem{EndToEndID: string(it.EndToEndID), Payment: p})
	}
	for _, bad := range a.Bad {
		out = append(out, pix.CallbackItem{Raw: bad, Err: malformed{}})
	}
	return out
}

func payoutItemsOf(a psp.Ack) []pix.PayoutItem {
	var out []pix.PayoutItem
	for _, it := range a.Payouts {
		x := pix.Payout{Key: it.Key, Status: it.Status}
		for _, id := range it.Returns {
			x.Returns = append(x.Returns, pix.PayoutReturn{ReturnID: id})
		}
		out = append(out, pix.PayoutItem{Payout: x})
	}
	return out
}

// malformed is what was wrong with an item, which the PSP's journal does not keep.
type malformed struct{}

// Error says so.
func (malformed) Error() string { return "malformed" }
