package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// AppendInbox stores items: new ones by one statement, and what comes under a
// known key afterwards, in a transaction of its own. Where more than one thing
// became of an item, the answer is the first of: variant, revived, enriched,
// known.
//
// Where that second transaction fails, the new items are stored: the error says
// so, as receiver.ErrCommitUnknown.
func (s *Store) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	const command = "append to inbox"
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	items := column(in, storable)
	out := make([]receiver.AppendOutcome, len(items))
	known, err := s.appendNew(ctx, command, items, now, out)
	if err != nil || len(known) == 0 {
		return out, err
	}
	fresh := len(items) > len(known)
	known, err = s.appendKnown(ctx, command, items, known, out)
	if err == nil && len(known) > 0 {
		err = s.run(ctx, command, func(ctx context.Context, tx *tx) error {
			tx.at = now
			return tx.appendAgain(ctx, items, known, out)
		})
	}
	if err != nil && fresh && !errors.Is(err, receiver.ErrCommitUnknown) {
		err = fmt.Errorf("%w: %w", receiver.ErrCommitUnknown, err)
	}
	return out, err
}

// maxKey bounds a key in bytes; an index takes no more than some 2,700. Only
// the status of a refund, which is kept as received, can make one longer.
const maxKey = 1024

// storable is an item as the database can store it. Ids have been checked
// before; what a PSP may have put into words is freed of zero bytes, and a key
// too long for an index is cut and ends in its digest.
func storable(in receiver.InboxItem) receiver.InboxItem {
	in.Source, in.Key = text(in.Source), text(in.Key)
	if len(in.Key) > maxKey {
		sum := sha256.Sum256([]byte(in.Key))
		in.Key = text(in.Key[:maxKey/2]) + ":sha256:" + hex.EncodeToString(sum[:])
	}
	if in.Refund != nil {
		x := *in.Refund
		x.Nature, x.Status = text(x.Nature), pix.RefundStatus(text(x.Status))
		in.Refund = &x
	}
	if in.Payout != nil {
		x := *in.Payout
		x.Key, x.Status = text(x.Key), pix.PayoutStatus(text(x.Status))
		in.Payout = &x
	}
	if in.Raw == nil {
		in.Raw = []byte{}
	}
	return in
}

// appendNew stores the items whose key is new, and returns the places of the
// others.
func (s *Store) appendNew(
	ctx context.Context, command string, items []receiver.InboxItem, now time.Time, out []receiver.AppendOutcome,
) (known []int, err error) {
	first := make(map[eventKey]int, len(items))
	var fresh []*event
	for i := range items {
		key := eventKey{items[i].Source, items[i].Key}
		if _, twice := first[key]; !twice {
			first[key] = i
			fresh = append(fresh, receiver.NewEvent(&items[i], now))
		}
	}
	stored, err := all(ctx, s, command, writes, insertEvents, eventArrays(fresh), scanKey)
	if err != nil {
		return nil, err
	}
	ids := make(map[int]int64, len(stored))
	for _, k := range stored {
		ids[first[k.eventKey]] = k.id
	}
	for i := range items {
		id, ok := ids[i]
		if !ok {
			// A copy of what this very statement stored needs no further look.
			from := first[eventKey{items[i].Source, items[i].Key}]
			if id, ok = ids[from]; ok && tellsNothing(receiver.NewEvent(&items[from], now), &items[i]) {
				out[i] = receiver.AppendOutcome{EventID: id, Result: receiver.AppendKnown, Confirmed: items[from].Readable() && items[from].Confirmed}
				continue
			}
			known = append(known, i)
			continue
		}
		out[i] = receiver.AppendOutcome{EventID: id, Result: receiver.AppendNew, Confirmed: items[i].Readable() && items[i].Confirmed}
	}
	return known, nil
}

// keyed is an event's id and key.
type keyed struct {
	eventKey
	id int64
}

func scanKey(rows pgx.Rows) (k keyed, err error) {
	return k, rows.Scan(&k.id, &k.source, &k.key)
}

// insertEvents numbers the events in the order of the items and inserts them in
// that of their keys: two batches that share keys wait for each other in one
// order.
const insertEvents = `INSERT INTO inbox_event (
    id, source, event_key, channel, ` + contentColumns + `,
    confirmed, raw, received_at, state, quarantine, reason, due_at, attempts, version, holder)
SELECT n.*, 0, 0, ''
FROM (
    SELECT nextval('inbox_event_id') AS id, i.*
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
        $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::boolean[], $16::bytea[],
        $17::timestamptz[], $18::text[], $19::text[], $20::text[], $21::timestamptz[])
        AS i (source, event_key, channel, ` + contentColumns + `,
            confirmed, raw, received_at, state, quarantine, reason, due_at)
) AS n
ORDER BY n.source, n.event_key
ON CONFLICT (source, event_key) DO NOTHING -- the row that is there may know more: it is looked at afterwards
RETURNING id, source, event_key`

func eventArrays(rows []*event) []any {
	args := []any{
		texts(rows, func(e *event) string { return e.Source }),
		texts(rows, func(e *event) string { return e.Key }),
		texts(rows, func(e *event) receiver.Channel { return e.Channel }),
	}
	args = append(args, contentArrays(rows, func(e *event) content { return flat(e.Content()) })...)
	return append(
		args,
		column(rows, func(e *event) bool { return e.Confirmed }),
		column(rows, func(e *event) []byte { return e.Raw }),
		column(rows, func(e *event) time.Time { return e.ReceivedAt }),
		texts(rows, func(e *event) receiver.EventState { return e.State }),
		texts(rows, func(e *event) receiver.QuarantineKind { return e.Quarantine }),
		texts(rows, func(e *event) string { return e.Reason }),
		column(rows, func(e *event) time.Time { return e.DueAt }),
	)
}

// appendKnown answers the items that tell nothing new, without a lock: what an
// event knows it never forgets. It returns the places of the others.
func (s *Store) appendKnown(
	ctx context.Context, command string, items []receiver.InboxItem, places []int, out []receiver.AppendOutcome,
) (left []int, err error) {
	keys := column(places, func(i int) eventKey { return eventKey{items[i].Source, items[i].Key} })
	rows, err := all(ctx, s, command, reads, readKeys, keyArrays(keys), scanEvent)
	if err != nil {
		return nil, err
	}
	events := make(map[eventKey]*event, len(rows))
	for _, e := range rows {
		events[keyOf(e)] = e
	}
	for n, i := range places {
		e := events[keys[n]]
		if e == nil || !tellsNothing(e, &items[i]) {
			events[keys[n]] = nil // further items of the key come behind this one
			left = append(left, i)
			continue
		}
		out[i] = receiver.AppendOutcome{EventID: e.ID, Result: receiver.AppendKnown, Confirmed: e.Confirmed}
	}
	return left, nil
}

const readKeys = `SELECT ` + eventColumns + ` FROM inbox_event
WHERE (source, event_key) IN (SELECT * FROM unnest($1::text[], $2::text[]))`

func keyArrays(keys []eventKey) []any {
	return []any{
		texts(keys, func(k eventKey) string { return k.source }), texts(keys, func(k eventKey) string { return k.key }),
	}
}

// tellsNothing says whether an item leaves an event as it is.
func tellsNothing(before *event, item *receiver.InboxItem) bool {
	if !before.Alike(item) {
		return true
	}
	h := before.Hear(item, before.DueAt)
	return h.Other == nil && !h.Changed
}
