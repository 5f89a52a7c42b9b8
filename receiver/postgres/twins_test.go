package postgres_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// TestTwins runs the same commands on the store in memory and on this one, and
// wants the same answers and the same rows. Ids may differ, their order not.
func TestTwins(t *testing.T) {
	t.Parallel()
	c := &clock{}
	pg, url := openAt(t, postgres.Config{Rules: rules(), Now: c.now, MaxConns: 2})
	rapid.Check(t, func(t *rapid.T) {
		empty(t, url)
		c.set(start())
		w := &twins{
			T: t, ctx: context.Background(), clock: c, pg: pg,
			mem: memory.New(memory.Config{Rules: rules(), Now: c.now}),
		}
		w.Repeat(map[string]func(*rapid.T){
			"create charges": w.createCharges, "record calls": w.recordCalls, "append": w.append, "append again": w.append,
			"claim": w.claim, "apply": w.apply, "apply more": w.apply, "defer": w.deferEvents, "work": w.work,
			"reserve": w.reserve, "record refunds": w.recordRefunds,
			"reserve payouts": w.reservePayouts, "record payouts": w.recordPayouts, "resolve payouts": w.resolvePayouts, "memos": w.memos, "leases": w.leases,
			"duties": w.duties, "outbox": w.outbox, "match": w.match, "repair": w.repair, "adjust": w.adjust,
			"release keys": w.releaseKeys, "purge keys": w.purgeKeys, "decide": w.decide, "attach": w.attach, "close": w.close, "lists": w.lists, "pass time": w.passTime,
			"": w.same,
		})
	})
}

// empty empties all tables. Only a superuser can: the ledger's triggers refuse
// everybody else.
func empty(t *rapid.T, url string) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `SET session_replication_role = replica;
TRUNCATE idempotency_key, inbox_event, inbox_variant, charge, payment, suspense_case, ledger_transaction, ledger_entry, refund, payout, memo,
    outbox_event, duty, operator_record, reconcile_finding, reconcile_window, day_report RESTART IDENTITY;
UPDATE account_balance SET settlement_cents = 0, in_process_cents = 0, in_transit_cents = 0, blocked_cents = 0`)
	if err != nil {
		t.Fatal(err)
	}
}

// clock is moved by the test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// twins are the two stores and what is known of both.
type twins struct {
	*rapid.T
	ctx   context.Context
	clock *clock
	mem   *memory.Store
	pg    *postgres.Store

	toPG  map[int64]int64 // event ids
	toMem map[int64]int64
	sends map[int64]int64 // outbox ids, from memory's
	held  []receiver.Event
	due   []receiver.OutboxEvent
	cases []receiver.Case
	turns []receiver.Duty
}

func (w *twins) now() time.Time { return w.clock.now() }

// both runs a command on both stores and wants one answer, which it returns as
// memory gave it. prepare makes the input of each.
func both[In, Out any](
	w *twins, name string, mem, pg func(context.Context, In) (Out, error), in, inPG In, level func(*Out),
) Out {
	w.Helper()
	a, errA := mem(w.ctx, in)
	b, errB := pg(w.ctx, inPG)
	if errA != nil || errB != nil {
		w.Fatalf("%s: errors %v and %v", name, errA, errB)
	}
	if level != nil {
		w.learnIDs()
		level(&b)
	}
	w.equal(name, a, b, in)
	return a
}

// plain is both for what has no ids.
func plain[In, Out any](w *twins, name string, mem, pg func(context.Context, In) (Out, error), in In) Out {
	w.Helper()
	return both(w, name, mem, pg, in, in, nil)
}

func (w *twins) equal(what string, mem, pg, in any) {
	w.Helper()
	if v := reflect.ValueOf(mem); v.Kind() == reflect.Slice && v.Len() == 0 && reflect.ValueOf(pg).Len() == 0 {
		return
	}
	if !reflect.DeepEqual(mem, pg) {
		w.Fatalf("%s:\nin       %s\nmemory   %s\npostgres %s", what, deep(in), deep(mem), deep(pg))
	}
}

// deep prints what pointers point to.
func deep(v any) string {
	x := reflect.ValueOf(v)
	switch x.Kind() {
	case reflect.Pointer:
		if x.IsNil() {
			return "nil"
		}
		return deep(x.Elem().Interface())
	case reflect.Slice:
		if x.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("%q", v)
		}
		s := ""
		for i := range x.Len() {
			s += "\n  " + deep(x.Index(i).Interface())
		}
		return s
	case reflect.Struct:
		if at, ok := v.(time.Time); ok {
			return at.Format(time.RFC3339)
		}
		s := "{"
		for i := range x.NumField() {
			if !x.Field(i).IsZero() {
				s += x.Type().Field(i).Name + ":" + deep(x.Field(i).Interface()) + " "
			}
		}
		return s + "}"
	}
	return fmt.Sprint(v)
}

// learnIDs pairs the ids of both stores by their order.
func (w *twins) learnIDs() {
	mem := w.mem.Dump()
	pg, err := w.pg.Dump(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	if len(mem.Events) != len(pg.Events) || len(mem.Outbox) != len(pg.Outbox) {
		w.Fatalf("events: %d and %d, outbox: %d and %d", len(mem.Events), len(pg.Events), len(mem.Outbox), len(pg.Outbox))
	}
	w.toPG, w.toMem, w.sends = map[int64]int64{}, map[int64]int64{}, map[int64]int64{}
	for i, e := range mem.Events {
		w.toPG[e.After.ID], w.toMem[pg.Events[i].After.ID] = pg.Events[i].After.ID, e.After.ID
	}
	for i, o := range mem.Outbox {
		w.sends[o.After.ID] = pg.Outbox[i].After.ID
	}
}

// same wants both stores to have the same rows.
func (w *twins) same(*rapid.T) {
	w.learnIDs()
	mem := w.mem.Dump()
	pg, err := w.pg.Dump(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range pg.Events {
		e.After.ID = w.toMem[e.After.ID]
	}
	for i := range pg.Variants {
		pg.Variants[i].EventID = w.toMem[pg.Variants[i].EventID]
	}
	for i, o := range pg.Outbox {
		o.After.ID = mem.Outbox[i].After.ID
	}
	for _, findings := range [][]receiver.Finding{mem.Findings, pg.Findings} {
		for i := range findings {
			findings[i].Number = 0 // they may have gaps
		}
	}
	if len(pg.Transactions) == len(mem.Transactions) {
		for i := range pg.Transactions {
			pg.Transactions[i].ID = mem.Transactions[i].ID
		}
	}
	a, b := reflect.ValueOf(mem), reflect.ValueOf(pg)
	for i := range a.NumField() {
		w.equal(a.Type().Field(i).Name, a.Field(i).Interface(), b.Field(i).Interface(), nil)
	}
	for _, q := range []receiver.Queue{
		receiver.QueueInbox, receiver.QueueCharges, receiver.QueueRefunds, receiver.QueuePayouts, receiver.QueueOutbox, receiver.DutySweep,
	} {
		a, okA, _ := w.mem.NextDue(w.ctx, q)
		b, okB, err := w.pg.NextDue(w.ctx, q)
		if err != nil || okA != okB || !a.Equal(b) {
			w.Fatalf("next due of %s: memory %v %v, postgres %v %v, error %v", q, a, okA, b, okB, err)
		}
	}
}

func (w *twins) passTime(t *rapid.T) {
	w.clock.set(w.now().Add(time.Duration(rapid.SampledFrom([]int{1, 30, 60, 3600, 100_000}).Draw(t, "seconds")) * time.Second))
}

// pick draws one of a few.
func pick[V any](t *rapid.T, label string, from ...V) V {
	return rapid.SampledFrom(from).Draw(t, label)
}

// some draws one to three.
func some[V any](t *rapid.T, label string, draw func(*rapid.T) V) []V {
	out := make([]V, rapid.IntRange(1, 3).Draw(t, label))
	for i := range out {
		out[i] = draw(t)
	}
	return out
}

func drawPix(t *rapid.T) pix.EndToEndID { return e2e(rapid.IntRange(1, 4).Draw(t, "pix")) }
func drawAmount(t *rapid.T) pix.Amount  { return pick[pix.Amount](t, "cents", 1000, 600, 1500, 400) }

func (w *twins) drawCredit(t *rapid.T) receiver.Credit {
	c := receiver.Credit{
		EndToEndID: drawPix(t), Amount: drawAmount(t), PixKey: pick(t, "key", ourKey, ourKey, ourKey, "", "other@ex"),
		PaidAt: start().Add(-time.Duration(rapid.IntRange(0, 2).Draw(t, "minutes ago")) * time.Minute),
	}
	if n := rapid.IntRange(0, 4).Draw(t, "txid"); n > 0 {
		c.TxID = txid(n)
	}
	return c
}

func drawRefundContent(t *rapid.T) receiver.RefundContent {
	return receiver.RefundContent{
		EndToEndID: drawPix(t), ID: pix.RefundID(pick(t, "refund id", "R1", "R2", "M1")),
		ReturnID: pix.ReturnID(pick(t, "rtrId", "D1", "D2", "D3")), Amount: drawAmount(t), Nature: "ORIGINAL",
		Status: pick(t, "status", pix.RefundReturned, pix.RefundReturned, pix.RefundFailed, pix.RefundProcessing),
	}
}

func (w *twins) drawItem(t *rapid.T) receiver.InboxItem {
	in := receiver.InboxItem{
		Source: "psp", Channel: pick(t, "channel", receiver.ChannelCallback, receiver.ChannelSweep),
		Confirmed: rapid.Bool().Draw(t, "confirmed"), Raw: []byte("raw"), ReceivedAt: w.now(),
	}
	switch pick(t, "about", "credit", "credit", "credit", "refund", "payout", "nothing") {
	case "payout":
		x := drawPayoutContent(t)
		in.Payout, in.Key = &x, x.InboxKey()
	case "credit":
		c := w.drawCredit(t)
		in.Credit, in.Key = &c, receiver.CreditKey(c.EndToEndID)
	case "refund":
		x := drawRefundContent(t)
		in.Refund, in.Key = &x, x.Key()
	default:
		in.Key, in.Invalid = receiver.CreditKey(drawPix(t)), "cut short"
	}
	return in
}
