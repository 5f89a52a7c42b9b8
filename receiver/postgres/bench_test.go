package postgres_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// onServers runs a benchmark on a server that writes to disk before it answers,
// and on one that does not.
func onServers(b *testing.B, run func(b *testing.B, s *postgres.Store)) {
	b.Run("durable", func(b *testing.B) {
		ctx := context.WithoutCancel(b.Context())
		c := pgtest.Start(b, pgcluster.Options{})
		must(b, true, c.CreateDatabase(ctx, "bench"))
		must(b, true, postgres.Migrate(ctx, c.SocketURL("bench")))
		run(b, reopen(b, c.SocketURL("bench"), postgres.Config{Rules: rules(), MaxConns: 16}))
	})
	b.Run("fast", func(b *testing.B) {
		run(b, open(b, postgres.Config{Rules: rules(), MaxConns: 16}))
	})
}

// One item at a time from many callbacks at once: what the PSP waits for.
func BenchmarkAppendOne(b *testing.B) {
	onServers(b, func(b *testing.B, s *postgres.Store) {
		for _, callbacks := range []int{1, 16} {
			b.Run(strconv.Itoa(callbacks), func(b *testing.B) {
				var n atomic.Int64
				n.Store(int64(callbacks) * 1e9)
				b.SetParallelism(callbacks) // of each processor
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						i := int(n.Add(1))
						if _, err := s.AppendInbox(b.Context(), []receiver.InboxItem{item(i, i)}); err != nil {
							b.Error(err)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
			})
		}
	})
}

// A thousand items in one callback, all new and then all known.
func BenchmarkAppendThousand(b *testing.B) {
	const size = 1000
	onServers(b, func(b *testing.B, s *postgres.Store) {
		n := 0
		items := func() []receiver.InboxItem {
			in := make([]receiver.InboxItem, size)
			for i := range in {
				n++
				in[i] = item(n, n)
			}
			return in
		}
		for _, known := range []bool{false, true} {
			b.Run(map[bool]string{false: "new", true: "known"}[known], func(b *testing.B) {
				in := items()
				_, err := s.AppendInbox(b.Context(), in)
				must(b, true, err)
				rounds := 0
				for b.Loop() {
					if !known {
						in = items()
					}
					if _, err := s.AppendInbox(b.Context(), in); err != nil {
						b.Fatal(err)
					}
					rounds++
				}
				b.ReportMetric(float64(size*rounds)/b.Elapsed().Seconds(), "items/s")
			})
		}
	})
}

// Claim and apply, as workers do it, each Pix on a charge of its own.
func BenchmarkClaimApply(b *testing.B) {
	onServers(b, func(b *testing.B, s *postgres.Store) {
		n := 0
		for _, size := range []int{1, 16, 100, 1000} {
			b.Run(strconv.Itoa(size), func(b *testing.B) {
				rounds, stocked := 0, 0
				for b.Loop() {
					if stocked == 0 {
						b.StopTimer()
						stocked = max(1000/size, 1)
						stock(b, s, &n, stocked*size)
						b.StartTimer()
					}
					stocked--
					work(b, s, size)
					rounds++
				}
				b.ReportMetric(float64(size*rounds)/b.Elapsed().Seconds(), "events/s")
				b.StopTimer()
				for range stocked {
					work(b, s, size)
				}
			})
		}
	})
}

// stock makes charges and their events.
func stock(b *testing.B, s *postgres.Store, n *int, size int) {
	charges, items := make([]receiver.NewCharge, size), make([]receiver.InboxItem, size)
	for i := range size {
		*n++
		charges[i], items[i] = charge(*n), item(*n, *n)
	}
	_, err := s.CreateCharges(b.Context(), charges)
	must(b, true, err)
	_, err = s.AppendInbox(b.Context(), items)
	must(b, true, err)
}

// work claims and applies a batch, and wants all of it booked.
func work(b *testing.B, s *postgres.Store, size int) {
	now, err := s.Now(b.Context())
	events, err2 := s.ClaimEvents(b.Context(), receiver.Lease{Now: must(b, now, err), For: time.Minute, Limit: size})
	apps := make([]receiver.Application, len(must(b, events, err2)))
	for i, e := range events {
		apps[i] = receiver.Application{EventID: e.ID, Version: e.Version, Now: now}
	}
	outs, err := s.ApplyEvents(b.Context(), apps)
	if len(must(b, outs, err)) != size {
		b.Fatalf("claimed %d, want %d", len(outs), size)
	}
	for i, out := range outs {
		if out.Result != receiver.ApplyBooked {
			b.Fatalf("%s: got %+v", events[i].Key, out)
		}
	}
}
