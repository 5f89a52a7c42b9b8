package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// lastContentWins upserts: whatever comes last under a key is what the key
// says, and what it said before is gone.
func lastContentWins() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "last-content-wins", Invariant: "I9",
		Doc: "stores a callback by INSERT … ON CONFLICT DO UPDATE: other content under a key replaces what was there",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				out, err := e.Store.AppendInbox(ctx, in)
				if err != nil {
					return out, err
				}
				return out, e.Exec(ctx, "UpsertEvents", nil, func(tx *memory.Tx) error { return upsert(tx, in) })
			}
			return reference(e, o)
		},
	}
}

func upsert(tx *memory.Tx, in []receiver.InboxItem) error {
	for _, it := range in {
		ev, ok := tx.EventByKey(it.Source, it.Key)
		if !ok || it.Credit == nil || it.Confirmed || ev.Credit == nil || ev.Credit.SameContent(*it.Credit) {
			continue
		}
		c := *it.Credit
		ev.Credit, ev.Confirmed = &c, false
		if _, err := tx.PutEvent(ev); err != nil {
			return err
		}
	}
	return nil
}
