package memory

import (
	"context"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ListEvents lists events by id. Listing those received or quarantined does
// not look at the rest.
func (s *Store) ListEvents(ctx context.Context, q receiver.EventQuery) ([]receiver.Event, error) {
	tx, err := s.begin(ctx, "ListEvents")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	var out []receiver.Event
	take := func(id int64) (more bool) {
		if e := s.events.byID(id); e != nil && matches(q, e) {
			out = append(out, cloneEvent(e))
		}
		return q.Limit <= 0 || len(out) < q.Limit
	}
	switch {
	case q.ID != 0:
		take(q.ID)
	case q.State == receiver.EventReceived:
		each(s.events.received(), q.AfterID, take)
	case q.State == receiver.EventQuarantined:
		each(s.events.aside, q.AfterID, take)
	default:
		for id := max(q.AfterID, 0) + 1; id < s.events.nextID() && take(id); id++ {
		}
	}
	return out, nil
}

// each calls take for the ids after a cursor, as long as it wants more.
func each(ids []int64, after int64, take func(int64) bool) {
	i, _ := slices.BinarySearch(ids, after+1)
	for _, id := range ids[i:] {
		if !take(id) {
			return
		}
	}
}

func matches(q receiver.EventQuery, e *receiver.Event) bool {
	return (q.State == "" || e.State == q.State) &&
		(q.Quarantine == "" || e.State == receiver.EventQuarantined && e.Quarantine == q.Quarantine) &&
		(q.ID == 0 || e.ID == q.ID) && e.ID > q.AfterID
}

// ListCases lists cases by id.
func (s *Store) ListCases(ctx context.Context, q receiver.CaseQuery) ([]receiver.Case, error) {
	tx, err := s.begin(ctx, "ListCases")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	all, ids := s.cases.ordered(), slices.Sorted(slices.Values(q.Pix))
	i, found := slices.BinarySearch(all, q.AfterID)
	if found {
		i++
	}
	var out []receiver.Case
	for _, id := range all[i:] {
		if q.Limit > 0 && len(out) == q.Limit {
			break
		}
		if c := s.cases.rows[id]; (q.State == "" || c.State == q.State) && (q.ID == "" || c.ID == q.ID) && about(c, ids) {
			out = append(out, cloneCase(c))
		}
	}
	return out, nil
}

// FindPayments reads booked Pix.
func (s *Store) FindPayments(ctx context.Context, in []pix.EndToEndID) ([]*receiver.Payment, error) {
	tx, err := s.begin(ctx, "FindPayments")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]*receiver.Payment, len(in))
	for i, id := range in {
		if p, ok := tx.Payment(id); ok {
			out[i] = &p
		}
	}
	return out, nil
}

// ListRecords reads the operators' book.
func (s *Store) ListRecords(ctx context.Context, q receiver.RecordQuery) ([]receiver.OperatorRecord, error) {
	tx, err := s.begin(ctx, "ListRecords")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	var out []receiver.OperatorRecord
	for n := max(q.After, 0); n < int64(len(s.records)) && (q.Limit <= 0 || len(out) < q.Limit); n++ {
		r := s.records[n]
		r.Number = n + 1
		out = append(out, r)
	}
	return out, nil
}
