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
			o := onEvents(e, isCredit, "BookDelivery", bookDelivery)
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				for i := range in {
					if in[i].Channel == receiver.ChannelCallback && in[i].Credit != nil {
						in[i].Key += "/" + strconv.FormatInt(in[i].ReceivedAt.UnixMicro(), 36)
					}
				}
				return e.Store.AppendInbox(ctx, in)
			}
			return reference(e, o)
		},
	}
}

// bookDelivery books an event under a reference of its own.
func bookDelivery(tx *memory.Tx, ev receiver.Event, a receiver.Application) (receiver.ApplyResult, error) {
	c, confirmed := told(ev, a)
	reference := receiver.CreditReference(c.EndToEndID) + "/" + strconv.FormatInt(ev.ID, 10)
	if err := book(tx, c, confirmed, reference); err != nil {
		return receiver.ApplyConfirm, nil
	}
	return receiver.ApplyBooked, nil
}
