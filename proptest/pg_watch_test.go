package proptest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// refundRow names a refund's row: the merchant's by its intention, others by rtrId.
type refundRow struct {
	consumer, reference string
	pix                 pix.EndToEndID
	returned            pix.ReturnID
}

func refundRowOf(x *receiver.Refund) refundRow {
	if x.Origin == receiver.RefundByMerchant {
		return refundRow{consumer: x.Consumer, reference: x.Reference}
	}
	return refundRow{pix: x.EndToEndID, returned: x.ReturnID}
}

// image is what the changes of a database add up to.
type image struct {
	events   map[int64]*receiver.Event
	variants []receiver.Variant
	keys     map[receiver.KeyRef]*receiver.Key
	charges  map[receiver.ChargeRef]*receiver.Charge
	payments map[pix.EndToEndID]*receiver.Payment
	refunds  map[refundRow]*receiver.Refund
	order    []refundRow
	memos    map[string]receiver.Memo
	payouts  map[receiver.PayoutRef]*receiver.Payout
	ledger   []receiver.Transaction
	cases    map[string]*receiver.Case
	outbox   map[int64]*receiver.OutboxEvent
	records  []receiver.OperatorRecord
	findings []receiver.Finding
}

func newImage() *image {
	return &image{
		events: map[int64]*receiver.Event{}, keys: map[receiver.KeyRef]*receiver.Key{}, charges: map[receiver.ChargeRef]*receiver.Charge{},
		payments: map[pix.EndToEndID]*receiver.Payment{}, refunds: map[refundRow]*receiver.Refund{},
		memos: map[string]receiver.Memo{}, cases: map[string]*receiver.Case{}, outbox: map[int64]*receiver.OutboxEvent{},
		payouts: map[receiver.PayoutRef]*receiver.Payout{},
	}
}

// put replaces a row and gives the one before.
func put[K comparable, R any](rows map[K]*R, key K, after *R) (before *R) {
	before = rows[key]
	rows[key] = after
	return before
}

// follow takes changes in, and completes them by the rows as they were before.
func (im *image) follow(cs *receiver.ChangeSet) {
	for i, c := range cs.Events {
		cs.Events[i].Before = put(im.events, c.After.ID, c.After)
	}
	for i, c := range cs.Keys {
		cs.Keys[i].Before = put(im.keys, c.After.KeyRef, c.After)
	}
	for i, c := range cs.Charges {
		cs.Charges[i].Before = put(im.charges, receiver.ChargeRef{Consumer: c.After.Consumer, Reference: c.After.Reference}, c.After)
	}
	for i, c := range cs.Payments {
		cs.Payments[i].Before = put(im.payments, c.After.EndToEndID, c.After)
	}
	for i, c := range cs.Refunds {
		key := refundRowOf(c.After)
		if cs.Refunds[i].Before = put(im.refunds, key, c.After); cs.Refunds[i].Before == nil {
			im.order = append(im.order, key)
		}
	}
	for i, c := range cs.Payouts {
		cs.Payouts[i].Before = put(im.payouts, receiver.PayoutRef{Consumer: c.After.Consumer, Reference: c.After.Reference}, c.After)
	}
	for _, m := range cs.Memos {
		im.memos[m.ID] = m
	}
	for i, c := range cs.Cases {
		cs.Cases[i].Before = put(im.cases, c.After.ID, c.After)
	}
	for i, c := range cs.Outbox {
		cs.Outbox[i].Before = put(im.outbox, c.After.ID, c.After)
	}
	im.variants = append(im.variants, cs.Variants...)
	im.ledger = append(im.ledger, cs.Transactions...)
	im.records = append(im.records, cs.Operators...)
	im.findings = append(im.findings, cs.Findings...)
}

// changedNothing says whether a command wrote no row.
func changedNothing(cs *receiver.ChangeSet) bool {
	return len(cs.Events)+len(cs.Variants)+len(cs.Charges)+len(cs.Payments)+len(cs.Refunds)+len(cs.Memos)+
		len(cs.Transactions)+len(cs.Cases)+len(cs.Outbox)+len(cs.Operators)+len(cs.Findings)+len(cs.Payouts)+len(cs.Keys) == 0
}

// dump is the image in the order of [postgres.Store.Dump].
func (im *image) dump() receiver.ChangeSet {
	cs := receiver.ChangeSet{Command: "Dump", Transactions: im.ledger, Operators: im.records, Findings: slices.SortedFunc(slices.Values(im.findings), receiver.Finding.Compare)}
	for _, id := range slices.Sorted(maps.Keys(im.events)) {
		cs.Events = append(cs.Events, receiver.EventChange{After: im.events[id]})
	}
	cs.Variants = slices.Clone(im.variants)
	slices.SortStableFunc(cs.Variants, func(a, b receiver.Variant) int { return cmp.Compare(a.EventID, b.EventID) })
	for _, ref := range im.keyRefs() {
		cs.Keys = append(cs.Keys, receiver.KeyChange{After: im.keys[ref]})
	}
	for _, ref := range slices.SortedFunc(maps.Keys(im.charges), func(a, b receiver.ChargeRef) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
	}) {
		cs.Charges = append(cs.Charges, receiver.ChargeChange{After: im.charges[ref]})
	}
	for _, id := range slices.Sorted(maps.Keys(im.payments)) {
		cs.Payments = append(cs.Payments, receiver.PaymentChange{After: im.payments[id]})
	}
	for _, key := range im.order {
		cs.Refunds = append(cs.Refunds, receiver.RefundChange{After: im.refunds[key]})
	}
	slices.SortStableFunc(cs.Refunds, func(a, b receiver.RefundChange) int { return cmp.Compare(a.After.EndToEndID, b.After.EndToEndID) })
	for _, ref := range slices.SortedFunc(maps.Keys(im.payouts), func(a, b receiver.PayoutRef) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
	}) {
		cs.Payouts = append(cs.Payouts, receiver.PayoutChange{After: im.payouts[ref]})
	}
	for _, id := range slices.Sorted(maps.Keys(im.memos)) {
		cs.Memos = append(cs.Memos, im.memos[id])
	}
	for _, id := range slices.Sorted(maps.Keys(im.cases)) {
		cs.Cases = append(cs.Cases, receiver.CaseChange{After: im.cases[id]})
	}
	for _, id := range slices.Sorted(maps.Keys(im.outbox)) {
		cs.Outbox = append(cs.Outbox, receiver.OutboxChange{After: im.outbox[id]})
	}
	return cs
}

// keyRefs are the idempotency keys in the order of [postgres.Store.Dump].
func (im *image) keyRefs() []receiver.KeyRef {
	return slices.SortedFunc(maps.Keys(im.keys), func(a, b receiver.KeyRef) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Route, b.Route), cmp.Compare(a.Key, b.Key))
	})
}

// watched is the store on PostgreSQL, driven one command at a time: after each
// that may write, the database is asked what has changed. A command looks at its
// context once, before it begins, as one in memory does; the deadline of a
// virtual clock is nothing that a socket could keep.
type watched struct {
	rules   receiver.Rules
	pg      *postgres.Store
	conn    *pgx.Conn // for what is no command
	now     func() time.Time
	observe func(*receiver.ChangeSet)
	image   *image
	next    int64
	due     map[receiver.Queue]dueAnswer
	failed  error // the lab's own
}

// told carries out a command and tells of what it changed.
func told[In, Out any](ctx context.Context, w *watched, command string, in In, do func(context.Context, In) (Out, error)) (Out, error) {
	var none Out
	if err := ctx.Err(); err != nil {
		return none, err
	}
	ctx = context.WithoutCancel(ctx)
	clear(w.due)
	out, err := do(ctx, in)
	cs, next, lookErr := w.pg.Changes(ctx, w.next)
	if lookErr != nil {
		w.failed = errors.Join(w.failed, lookErr)
		return none, errors.Join(err, lookErr)
	}
	w.next = next
	gone, lookErr := w.forget(ctx, command)
	if lookErr != nil {
		w.failed = errors.Join(w.failed, lookErr)
		return none, errors.Join(err, lookErr)
	}
	// One whose day is closed is written again, and says the same.
	cs.Findings = slices.DeleteFunc(cs.Findings, func(f receiver.Finding) bool { return slices.Contains(w.image.findings, f) })
	if changedNothing(&cs) && len(gone) == 0 {
		return out, err
	}
	cs.Command = command
	w.image.follow(&cs)
	cs.Keys = append(cs.Keys, gone...)
	if w.observe != nil {
		w.observe(&cs)
	}
	return out, err
}

// forget takes keys out of the image that a command has deleted, and tells
// of them: the database tells of no row that is gone.
func (w *watched) forget(ctx context.Context, command string) (gone []receiver.KeyChange, err error) {
	if command != "PurgeKeys" && command != "ReleaseKeys" {
		return nil, nil
	}
	refs := w.image.keyRefs()
	rows, err := w.pg.FindKeys(ctx, refs)
	for i, row := range rows {
		if row == nil {
			gone = append(gone, receiver.KeyChange{Before: w.image.keys[refs[i]]})
			delete(w.image.keys, refs[i])
		}
	}
	return gone, err
}

// seen carries out a command that only reads.
func seen[In, Out any](ctx context.Context, in In, do func(context.Context, In) (Out, error)) (Out, error) {
	if err := ctx.Err(); err != nil {
		var none Out
		return none, err
	}
	return do(context.WithoutCancel(ctx), in)
}

// Balance adds up an account's entries, in the database.
func (w *watched) Balance(a receiver.Account) (sum pix.Amount) {
	const entries = `SELECT coalesce(sum(cents), 0)::bigint FROM ledger_entry WHERE account = $1`
	if err := w.conn.QueryRow(context.Background(), entries, string(a)).Scan(&sum); err != nil {
		w.failed = errors.Join(w.failed, err)
	}
	return sum
}

// Transactions are the ledger's, in the order posted.
func (w *watched) Transactions() []receiver.Transaction { return slices.Clone(w.image.ledger) }

// Dump is every row.
func (w *watched) Dump() receiver.ChangeSet { return w.image.dump() }

// check wants the rows of the database to be those that its changes add up to.
func (w *watched) check() error {
	if w.failed != nil {
		return w.failed
	}
	rows, err := w.pg.Dump(context.Background())
	if err != nil {
		return err
	}
	a, b := reflect.ValueOf(rows), reflect.ValueOf(w.image.dump())
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		if a.Type().Field(i).Name == "Keys" { // rows that are purged: a change of none is told of
			continue
		}
		if x.Kind() == reflect.Slice && x.Len()+y.Len() == 0 {
			continue
		}
		if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			return fmt.Errorf("%s: the changes told of are not those that were made", a.Type().Field(i).Name)
		}
	}
	return nil
}

const emptyAll = `SET session_replication_role = replica;
TRUNCATE payout, idempotency_key, inbox_event, inbox_variant, charge, payment, suspense_case, ledger_transaction, ledger_entry, refund, memo,
    outbox_event, duty, operator_record, reconcile_finding, reconcile_window, day_report RESTART IDENTITY;
UPDATE account_balance SET settlement_cents = 0, in_process_cents = 0, blocked_cents = 0`

// begin empties all tables, which the ledger's triggers refuse to everybody but
// a superuser, and goes by another clock from now on.
func (w *watched) begin(now func() time.Time, observe func(*receiver.ChangeSet)) error {
	ctx := context.Background()
	w.now = now
	if _, err := w.conn.Exec(ctx, emptyAll); err != nil {
		return err
	}
	w.observe, w.image, w.due, w.failed = observe, newImage(), map[receiver.Queue]dueAnswer{}, nil
	_, next, err := w.pg.Changes(ctx, 0)
	w.next = next
	return err
}

// Now is the store's clock.
func (w *watched) Now(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	return w.pg.Now(context.WithoutCancel(ctx))
}
