package broken

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// dedupeByDelivery takes each delivery for another event, and books each
// event once: a retry is another delivery.
func dedupeByDelivery() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "dedupe-by-delivery", Invariant: "I1",
		Doc: "recognises a repeat by the delivery's id, not by the Pix's",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				for i := range in {
					if in[i].Channel == receiver.ChannelCallback && in[i].Credit != nil {
						in[i].Key += "/" + strconv.FormatInt(in[i].ReceivedAt.UnixMicro(), 36)
					}
				}
				return e.Store.AppendInbox(ctx, in)
			}
			o.apply = func(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
				return applyEach(ctx, e, in)
			}
			return reference(e, o)
		},
	}
}

// applyEach books every event, under a reference of the event's own.
func applyEach(ctx context.Context, e scenarios.Env, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	out := make([]receiver.ApplyOutcome, len(in))
	err := e.Exec(ctx, "BookDelivery", appKeys(in), func(tx *memory.Tx) error {
		for i, a := range in {
			ev, ok := tx.Event(a.EventID)
			if !ok || ev.Credit == nil || ev.Version != a.Version || ev.State != receiver.EventReceived {
				out[i].Result = receiver.ApplyLost
				continue
			}
			c, confirmed := *ev.Credit, ev.Confirmed
			if a.Confirmed != nil {
				c, confirmed = *a.Confirmed, true
			}
			if err := book(tx, c, confirmed, nil, receiver.CreditReference(c.EndToEndID)+"/"+strconv.FormatInt(ev.ID, 10)); err != nil {
				out[i].Result = receiver.ApplyConfirm
				continue
			}
			out[i].Result = receiver.ApplyBooked
			if _, _, err := finish(tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
