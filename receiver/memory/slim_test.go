package memory_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

// A slim store forgets outbox events that were sent, and nobody who leases,
// reports back late or asks what is due can tell.
func TestSlimOutboxAnswersAsAFullOne(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		rules := receiver.Rules{Endpoints: []string{"a", "b"}}
		full := memory.New(memory.Config{Rules: rules, Now: clock})
		slim := memory.New(memory.Config{Rules: rules, Now: clock, Slim: true})
		draw := rand.New(rand.NewPCG(seed, 7))
		var told []receiver.OutboxResult
		numbers := map[pix.EndToEndID]int{}
		for step := range 60 {
			now = now.Add(time.Second)
			id := pix.EndToEndID([]string{"E1", "E2", "E3"}[draw.IntN(3)])
			numbers[id]++
			event := receiver.OutboxEvent{EndToEndID: id, Number: numbers[id], Kind: receiver.OutboxCredited, Amount: 5, At: now, DueAt: now}
			lease := receiver.Lease{Holder: "x", Now: now, For: time.Minute, Limit: 1 + draw.IntN(2), Endpoint: rules.Endpoints[draw.IntN(2)]}
			late := draw.IntN(4)
			var got [2][]any
			var leased []receiver.OutboxEvent
			for i, s := range []*memory.Store{full, slim} {
				if err := s.Exec(t.Context(), "Tell", func(tx *memory.Tx) error { tx.AddOutbox(event); return nil }); err != nil {
					t.Fatal(err)
				}
				out, err := s.LeaseOutbox(t.Context(), lease)
				if err != nil {
					t.Fatal(err)
				}
				leased = out
				again, err := s.FinishOutbox(t.Context(), told)
				if err != nil {
					t.Fatal(err)
				}
				due, is, err := s.NextDue(t.Context(), receiver.OutboxQueue(lease.Endpoint))
				if err != nil {
					t.Fatal(err)
				}
				dead, err := s.ListOutbox(t.Context(), receiver.OutboxQuery{Dead: true})
				if err != nil {
					t.Fatal(err)
				}
				got[i] = []any{out, again, due, is, dead}
			}
			if !reflect.DeepEqual(got[0], got[1]) {
				t.Fatalf("seed %d, step %d: full %+v, slim %+v", seed, step, got[0], got[1])
			}
			for _, o := range leased {
				told = append(told, receiver.OutboxResult{
					ID: o.ID, Version: o.Version - int64(draw.IntN(5)/4), Sent: late > 0, Dead: late == 0 && draw.IntN(2) == 0, DueAt: now,
				})
			}
		}
	}
}
