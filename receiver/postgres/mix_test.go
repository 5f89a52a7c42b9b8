package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// mixer is one worker that does whatever comes, on a handful of Pix.
type mixer struct {
	*rand.Rand
	s    *postgres.Store
	at   time.Time
	held []receiver.Event
	due  []receiver.OutboxEvent
	open []receiver.Case
}

const mixPix = 6

func (m *mixer) pix() pix.EndToEndID { return e2e(1 + m.IntN(mixPix)) }

func (m *mixer) item() receiver.InboxItem {
	n := 1 + m.IntN(mixPix)
	in := item(n, n)
	if m.IntN(4) == 0 {
		x := m.content()
		in.Credit, in.Refund, in.Key = nil, &x, x.Key()
		return in
	}
	switch m.IntN(4) {
	case 0:
		in.Credit.TxID = ""
	case 1:
		in.Credit.Amount = 900
	}
	in.Confirmed = m.IntN(2) == 0
	return in
}

func (m *mixer) content() receiver.RefundContent {
	n := 1 + m.IntN(3)
	return receiver.RefundContent{
		EndToEndID: m.pix(), ID: pix.RefundID(fmt.Sprint("M", n)), ReturnID: pix.ReturnID(fmt.Sprint("D", n)),
		Amount: 100, Status: pix.RefundReturned,
	}
}

// batch makes a few, in any order and with repetitions.
func batch[V any](m *mixer, one func() V) []V {
	out := make([]V, 1+m.IntN(5))
	for i := range out {
		out[i] = one()
	}
	return out
}

// commands are all that write.
func (m *mixer) commands() []func(context.Context) error {
	s := m.s
	return []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := s.CreateCharges(ctx, batch(m, func() receiver.NewCharge { return charge(1 + m.IntN(mixPix)) }))
			return err
		},
		func(ctx context.Context) error {
			_, err := s.RecordCalls(ctx, batch(m, func() receiver.ChargeCall {
				return receiver.ChargeCall{Ref: ref(1 + m.IntN(mixPix)), State: receiver.ChargeActive, CreatedAt: start()}
			}))
			return err
		},
		func(ctx context.Context) error { _, err := s.AppendInbox(ctx, batch(m, m.item)); return err },
		m.work, m.work, m.defer_, m.refunds, m.outbox, m.reconcile, m.operate,
		func(ctx context.Context) error {
			_, err := s.PutMemos(ctx, batch(m, func() receiver.Memo {
				return receiver.Memo{ID: fmt.Sprint("med", m.IntN(3)), EndToEndID: m.pix(), Amount: pix.Amount(1 + m.IntN(50)), At: m.at}
			}))
			return err
		},
		func(ctx context.Context) error {
			d, ok, err := s.BeginDuty(ctx, receiver.DutyClaim{Name: receiver.DutySweep, Now: m.at, For: time.Second})
			if ok {
				_, err = s.SaveDuty(ctx, d, true)
			}
			return err
		},
	}
}

func (m *mixer) lease(limit int) receiver.Lease {
	return receiver.Lease{Holder: "w", Now: m.at, For: time.Second, Limit: limit}
}

func (m *mixer) work(ctx context.Context) (err error) {
	if m.held, err = m.s.ClaimEvents(ctx, m.lease(4)); err != nil {
		return err
	}
	apps := applications(m.held)
	for i, e := range m.held {
		apps[i].Refund = e.Refund
	}
	_, err = m.s.ApplyEvents(ctx, apps)
	return err
}

func (m *mixer) defer_(ctx context.Context) error {
	events, err := m.s.ClaimEvents(ctx, m.lease(4))
	if err != nil {
		return err
	}
	ds := make([]receiver.Deferral, len(events))
	for i, e := range events {
		ds[i] = receiver.Deferral{EventID: e.ID, Version: e.Version, Until: m.at}
		if m.IntN(2) == 0 {
			ds[i].Quarantine = receiver.QuarantineWaiting
		}
	}
	_, err = m.s.DeferEvents(ctx, ds)
	return err
}

func (m *mixer) refunds(ctx context.Context) error {
	_, err := m.s.ReserveRefunds(ctx, batch(m, func() receiver.NewRefund {
		n := m.IntN(10)
		return receiver.NewRefund{At: m.at, Refund: receiver.Refund{
			Consumer: "shop", Reference: fmt.Sprint("back-", n), EndToEndID: m.pix(), ID: pix.RefundID(fmt.Sprint("R", n)),
			Amount: 300, DueAt: m.at,
		}}
	}))
	if err != nil {
		return err
	}
	leased, err := m.s.LeaseRefunds(ctx, m.lease(3))
	if err != nil {
		return err
	}
	calls := make([]receiver.RefundCall, len(leased))
	for i, x := range leased {
		calls[i] = receiver.RefundCall{
			Ref: receiver.RefundRef{Consumer: x.Consumer, Reference: x.Reference}, Version: x.Version, Now: m.at,
			ReturnID: pix.ReturnID("D" + x.Reference), Status: pix.RefundReturned,
		}
		if m.IntN(3) == 0 {
			calls[i].Status = pix.RefundFailed
		}
	}
	_, err = m.s.RecordRefunds(ctx, calls)
	return err
}

func (m *mixer) outbox(ctx context.Context) (err error) {
	if m.due, err = m.s.LeaseOutbox(ctx, m.lease(5)); err != nil {
		return err
	}
	results := make([]receiver.OutboxResult, len(m.due))
	for i, o := range m.due {
		results[i] = receiver.OutboxResult{ID: o.ID, Version: o.Version, Sent: m.IntN(3) > 0, DueAt: m.at}
	}
	_, err = m.s.FinishOutbox(ctx, results)
	return err
}

func (m *mixer) reconcile(ctx context.Context) error {
	_, err := m.s.MatchStatement(ctx, batch(m, func() pix.StatementLine {
		return pix.StatementLine{Kind: pix.KindPixIn, EndToEndID: m.pix(), Cents: 1000, SettledAt: start()}
	}))
	if err != nil {
		return err
	}
	if _, err = m.s.RepairEvents(ctx, batch(m, func() receiver.Repair { return receiver.Repair{Item: m.item(), Now: m.at} })); err != nil {
		return err
	}
	_, err = m.s.PostAdjustments(ctx, batch(m, func() receiver.Adjustment {
		return receiver.Adjustment{EndToEndID: m.pix(), Want: pix.Amount(900 + 100*m.IntN(3)), Reason: receiver.MatchDivergent, Now: m.at}
	}))
	return err
}

func (m *mixer) operate(ctx context.Context) (err error) {
	decide := func() receiver.Decision {
		return receiver.Decision{EventID: 1 + m.Int64N(20), Operator: "ana", Now: m.at}
	}
	if _, err = m.s.RequeueEvents(ctx, batch(m, decide)); err != nil {
		return err
	}
	if _, err = m.s.AttachPayments(ctx, batch(m, func() receiver.Attachment {
		return receiver.Attachment{EndToEndID: m.pix(), Charge: ref(1 + m.IntN(mixPix)), Operator: "ana", Now: m.at}
	})); err != nil {
		return err
	}
	if m.open, err = m.s.ListCases(ctx, receiver.CaseQuery{State: receiver.CaseOpen}); err != nil || len(m.open) == 0 {
		return err
	}
	_, err = m.s.CloseCases(ctx, batch(m, func() receiver.CaseClosing {
		c := m.open[m.IntN(len(m.open))]
		return receiver.CaseClosing{CaseID: c.ID, To: receiver.AccountToReturn, Operator: "ana", Now: m.at}
	}))
	return err
}

// All commands at once on the same few rows: no deadlock, no error, and the
// books are right.
func TestCommandsMixed(t *testing.T) {
	t.Parallel()
	const workers = 8
	rounds := 60
	if n, err := strconv.Atoi(os.Getenv("PIXLAB_CHECKS")); err == nil {
		rounds = max(rounds, n)
	}
	s, url := openAt(t, postgres.Config{Rules: rules(), Now: start, MaxConns: workers})
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			m := &mixer{Rand: rand.New(rand.NewPCG(1, uint64(w))), s: s, at: start()}
			commands := m.commands()
			for range rounds {
				m.at = m.at.Add(time.Second)
				if err := commands[m.IntN(len(commands))](t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	s.Close() // so that the sessions have told what they counted
	conn := connect(t, url)
	checkBooks(t, conn)
	var deadlocks int
	err := conn.QueryRow(t.Context(), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks)
	if err != nil || deadlocks != 0 {
		t.Errorf("deadlocks: got %d, error %v", deadlocks, err)
	}
	var transactions, refunds int
	err = conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM ledger_transaction), (SELECT count(*) FROM refund)`).Scan(&transactions, &refunds)
	if err != nil || transactions < mixPix || refunds == 0 {
		t.Errorf("the mix did little: %d transactions, %d refunds, error %v", transactions, refunds, err)
	}
}
