package postgres

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// event is a row of the inbox. The raw bytes are read only for who asks for
// events, never to decide.
type event = receiver.Event

// eventKey is unique in the inbox.
type eventKey struct{ source, key string }

func keyOf(e *event) eventKey { return eventKey{e.Source, e.Key} }

// What an event is about.
const (
	aboutCredit  = "credit"
	aboutRefund  = "refund"
	aboutPayout  = "payout"
	aboutNothing = "nothing"
)

// content is what an event or a variant says, flat as in its row.
type content struct {
	about    string
	e2e      pix.EndToEndID
	txid     pix.TxID
	key      pix.PixKey
	amount   pix.Amount
	paidAt   time.Time
	refund   pix.RefundID
	returnID pix.ReturnID
	nature   string
	status   pix.RefundStatus
	payout   string // its key
}

func flat(of receiver.Content) content {
	switch c, x, o := of.Credit, of.Refund, of.Payout; {
	case o != nil:
		return content{
			about: aboutPayout, e2e: o.EndToEndID, key: o.PixKey, amount: o.Amount, returnID: o.ReturnID,
			status: pix.RefundStatus(o.Status), payout: o.Key,
		}
	case x != nil:
		return content{
			about: aboutRefund, e2e: x.EndToEndID, amount: x.Amount,
			refund: x.ID, returnID: x.ReturnID, nature: x.Nature, status: x.Status,
		}
	case c != nil:
		return content{about: aboutCredit, e2e: c.EndToEndID, txid: c.TxID, key: c.PixKey, amount: c.Amount, paidAt: c.PaidAt}
	}
	return content{about: aboutNothing}
}

func (c content) unfold() receiver.Content {
	switch c.about {
	case aboutCredit:
		return receiver.Content{Credit: &receiver.Credit{
			EndToEndID: c.e2e, TxID: c.txid, PixKey: c.key, Amount: c.amount, PaidAt: c.paidAt,
		}}
	case aboutRefund:
		return receiver.Content{Refund: &receiver.RefundContent{
			EndToEndID: c.e2e, ID: c.refund, ReturnID: c.returnID, Amount: c.amount, Nature: c.nature, Status: c.status,
		}}
	case aboutPayout:
		return receiver.Content{Payout: &receiver.PayoutContent{
			Key: c.payout, EndToEndID: c.e2e, PixKey: c.key, Amount: c.amount, Status: pix.PayoutStatus(c.status), ReturnID: c.returnID,
		}}
	}
	return receiver.Content{}
}

// contentColumns are the columns of [content], in the order of [content.into].
const contentColumns = `about, end_to_end_id, txid, pix_key, amount_cents, paid_at, refund_id, return_id, nature, refund_status, payout_key`

func (c *content) into() []any {
	return []any{
		&c.about, &c.e2e, &c.txid, &c.key, &c.amount, unknown{&c.paidAt}, &c.refund, &c.returnID, &c.nature, &c.status, &c.payout,
	}
}

// contentArrays are the columns of many contents, for unnest.
func contentArrays[R any](rows []R, get func(R) content) []any {
	return []any{
		texts(rows, func(r R) string { return get(r).about }),
		texts(rows, func(r R) pix.EndToEndID { return get(r).e2e }),
		texts(rows, func(r R) pix.TxID { return get(r).txid }),
		texts(rows, func(r R) pix.PixKey { return get(r).key }),
		cents(rows, func(r R) pix.Amount { return get(r).amount }),
		column(rows, func(r R) *time.Time {
			if c := get(r); c.about == aboutCredit {
				return &c.paidAt
			}
			return nil
		}),
		texts(rows, func(r R) pix.RefundID { return get(r).refund }),
		texts(rows, func(r R) pix.ReturnID { return get(r).returnID }),
		texts(rows, func(r R) string { return get(r).nature }),
		texts(rows, func(r R) pix.RefundStatus { return get(r).status }),
		texts(rows, func(r R) string { return get(r).payout }),
	}
}

// eventColumns are the columns that [scanEvent] reads; the raw bytes follow.
const eventColumns = `id, source, event_key, channel, ` + contentColumns + `,
    confirmed, received_at, state, quarantine, reason, attempts, due_at, version, holder`

func scanEvent(rows pgx.Rows) (*event, error) {
	var e event
	var c content
	into := append([]any{&e.ID, &e.Source, &e.Key, &e.Channel}, c.into()...)
	into = append(into, &e.Confirmed, &e.ReceivedAt, &e.State, &e.Quarantine, &e.Reason, &e.Attempts, &e.DueAt, &e.Version, &e.Holder)
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	says := c.unfold()
	e.Credit, e.Refund, e.Payout = says.Credit, says.Refund, says.Payout
	return &e, nil
}

// scanWhole reads an event with its raw bytes.
func scanWhole(rows pgx.Rows) (receiver.Event, error) {
	var raw []byte
	e, err := scanEvent(behind(rows, &raw))
	if err != nil {
		return receiver.Event{}, err
	}
	e.Raw = raw
	return *e, nil
}

func (tx *tx) readEvent(rows pgx.Rows) error {
	e, err := scanEvent(rows)
	if err != nil {
		return err
	}
	if tx.reserved[e.ID] {
		return nil // a place, not yet an event
	}
	if x := e.Refund; x != nil && tx.events.rows[e.ID] == nil {
		tx.aboutRefunds[x.EndToEndID] = append(tx.aboutRefunds[x.EndToEndID], e.ID)
	}
	tx.events.read(e.ID, e)
	tx.byKey[keyOf(e)] = e.ID
	return nil
}

// lockEvents reads events under locks, and with those about credits the events
// that wait for their Pix to be booked.
func (tx *tx) lockEvents(p *pipeline, ids []int64) {
	tx.events.missing(ids)
	p.query(lockEvents, []any{ids}, tx.readEvent)
}

const lockEvents = `SELECT ` + eventColumns + ` FROM inbox_event
WHERE id IN (
    SELECT unnest($1::bigint[])
    UNION ALL
    SELECT w.id FROM inbox_event AS e JOIN inbox_event AS w ON w.end_to_end_id = e.end_to_end_id
    WHERE e.id = ANY ($1) AND e.about = 'credit' AND w.quarantine = 'waiting' AND w.about = 'refund'
)
ORDER BY id -- the lock order
FOR UPDATE`

// lockKeys reads the events of keys under locks.
func (tx *tx) lockKeys(p *pipeline, keys []eventKey) {
	p.query(lockKeys, keyArrays(keys), tx.readEvent)
}

const lockKeys = `SELECT ` + eventColumns + ` FROM inbox_event
WHERE (source, event_key) IN (SELECT * FROM unnest($1::text[], $2::text[]))
ORDER BY id -- the lock order
FOR UPDATE`

// event is an event that was read, nil if there is none.
func (tx *tx) event(id int64) *event {
	tx.want(tx.events.knows(id), "event", id)
	return tx.events.rows[id]
}

// eventOf is the event of a key that was read, nil if there is none.
func (tx *tx) eventOf(key eventKey) *event {
	id, ok := tx.byKey[key]
	if !ok {
		return nil
	}
	return tx.event(id)
}

// sortedEvents are the events read, by id.
func (tx *tx) sortedEvents() []*event {
	var out []*event
	for _, id := range slices.Sorted(maps.Keys(tx.events.rows)) {
		if e := tx.events.rows[id]; e != nil {
			out = append(out, e)
		}
	}
	return out
}

func (tx *tx) putEvent(e event) { tx.events.put(e.ID, &e) }

// writeEvents writes what became of events: their work, and where it changed
// their content. All are locked.
func (tx *tx) writeEvents(p *pipeline) {
	added, changed := tx.events.pending()
	all := append(changed, added...) // those added hold their place already
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b change[int64, event]) int { return cmp.Compare(a.key, b.key) })
	var learned []*event
	rows := make([]*event, len(all))
	for i, c := range all {
		rows[i] = c.after
		if b := c.before; b == nil || b.Content() != c.after.Content() || b.Confirmed != c.after.Confirmed {
			learned = append(learned, c.after)
		}
	}
	p.exec(
		updateEvents, column(rows, func(e *event) int64 { return e.ID }),
		texts(rows, func(e *event) receiver.EventState { return e.State }),
		texts(rows, func(e *event) receiver.QuarantineKind { return e.Quarantine }),
		texts(rows, func(e *event) string { return e.Reason }),
		column(rows, func(e *event) time.Time { return e.DueAt }),
	)
	if len(learned) > 0 {
		args := []any{column(learned, func(e *event) int64 { return e.ID }), column(learned, func(e *event) bool { return e.Confirmed })}
		p.exec(updateContents, append(args, contentArrays(learned, func(e *event) content { return flat(e.Content()) })...)...)
	}
}

const updateEvents = `UPDATE inbox_event AS e
SET state = n.state, quarantine = n.quarantine, reason = n.reason, due_at = n.due_at
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
    AS n (id, state, quarantine, reason, due_at)
WHERE e.id = n.id`

const updateContents = `UPDATE inbox_event AS e
SET confirmed = n.confirmed, about = n.about, end_to_end_id = n.end_to_end_id, txid = n.txid, pix_key = n.pix_key,
    amount_cents = n.amount_cents, paid_at = n.paid_at, refund_id = n.refund_id, return_id = n.return_id,
    nature = n.nature, refund_status = n.refund_status, payout_key = n.payout_key
FROM unnest($1::bigint[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
    $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    AS n (id, confirmed, ` + contentColumns + `)
WHERE e.id = n.id`
