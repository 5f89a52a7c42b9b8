package broken

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// snapshotOverwrites writes the state that a callback carries over the state
// that is there: the callback that comes last wins, not the newest.
func snapshotOverwrites() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "snapshot-overwrites", Invariant: "I8",
		Doc: "writes a callback's refund states over what is known, older ones too",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				out, err := e.Store.AppendInbox(ctx, in)
				if err != nil {
					return out, err
				}
				return out, e.Exec(ctx, "OverwriteRefunds", nil, func(tx *memory.Tx) error { return overwriteRefunds(tx, in) })
			}
			return reference(e, o)
		},
	}
}

func overwriteRefunds(tx *memory.Tx, in []receiver.InboxItem) error {
	for _, it := range in {
		if it.Refund == nil {
			continue
		}
		for _, r := range tx.Refunds(it.Refund.EndToEndID) {
			if r.ReturnID != it.Refund.ReturnID || r.ReturnID == "" {
				continue
			}
			was := r.State
			switch it.Refund.Status {
			case pix.RefundProcessing:
				r.State = receiver.RefundProcessing
			case pix.RefundFailed:
				r.State = receiver.RefundFailed
			default:
				continue
			}
			if r.State != was {
				if err := tx.PutRefund(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// creditLostBesideRefund takes a callback with refunds for a notice about the
// refunds alone: where the credit was not known yet, it is never learned.
func creditLostBesideRefund() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "credit-lost-beside-refund", Invariant: "I5",
		Doc: "reads only the refunds of a Pix that carries any (and repairs nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store, repair: repairsNothing}
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				var kept []receiver.InboxItem
				var at []int
				out := make([]receiver.AppendOutcome, len(in))
				for i, it := range in {
					beside := i+1 < len(in) && in[i+1].Refund != nil
					if it.Credit == nil || !beside {
						kept, at = append(kept, it), append(at, i)
					}
				}
				stored, err := e.Store.AppendInbox(ctx, kept)
				for k, o := range stored {
					out[at[k]] = o
				}
				return out, err
			}
			return reference(e, o)
		},
	}
}

// refundIDAlone makes ledger references of a refund's id, which is unique
// within its Pix only.
func refundIDAlone() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "refund-id-alone", Invariant: "I4",
		Doc: "takes a refund's id for unique everywhere (and repairs nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			used := map[pix.RefundID]pix.EndToEndID{}
			o := onEvents(e, isRefund, "BookByID", func(tx *memory.Tx, ev receiver.Event, _ receiver.Application) (receiver.ApplyResult, error) {
				x := ev.Refund
				if !x.Status.Final() {
					return "", nil
				}
				if first, ok := used[x.ID]; ok && first != x.EndToEndID {
					return receiver.ApplyBooked, nil // "known already"
				}
				used[x.ID] = x.EndToEndID
				return "", nil
			})
			o.repair = repairsNothing
			return reference(e, o)
		},
	}
}

// earlyRefundDropped throws a refund away whose credit it has not seen.
func earlyRefundDropped() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "early-refund-dropped", Invariant: "I4",
		Doc: "drops a refund that comes before its credit (and repairs nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := onEvents(e, isRefund, "DropEarly", func(tx *memory.Tx, ev receiver.Event, _ receiver.Application) (receiver.ApplyResult, error) {
				if _, known := tx.Payment(ev.Refund.EndToEndID); !known && ev.Refund.Status == pix.RefundReturned {
					return receiver.ApplyBooked, nil
				}
				return "", nil
			})
			o.repair = repairsNothing
			return reference(e, o)
		},
	}
}
