package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// conditions are joined by AND; each has its parameters.
type conditions struct {
	words []string
	args  []any
}

// add adds a condition, in which ? is the parameter.
func (c *conditions) add(condition string, arg any) {
	c.args = append(c.args, arg)
	c.words = append(c.words, strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(c.args))))
}

// query is a SELECT with these conditions, an order and a limit.
func (c *conditions) query(what, order string, n int) (string, []any) {
	if len(c.words) > 0 {
		what += " WHERE " + strings.Join(c.words, " AND ")
	}
	what += " ORDER BY " + order
	if n > 0 {
		c.args = append(c.args, n)
		what += " LIMIT $" + strconv.Itoa(len(c.args))
	}
	return what, c.args
}

// ListEvents lists events by id. Listing those quarantined does not look at the
// rest.
func (s *Store) ListEvents(ctx context.Context, q receiver.EventQuery) ([]receiver.Event, error) {
	var c conditions
	c.add("id > ?", q.AfterID)
	if q.ID != 0 {
		c.add("id = ?", q.ID)
	}
	if q.State == receiver.EventQuarantined || q.Quarantine != "" {
		c.words = append(c.words, "state = 'QUARANTINED'") // as the index has it
	}
	if q.State != "" {
		c.add("state = ?", text(q.State))
	}
	if q.Quarantine != "" {
		c.add("quarantine = ?", text(q.Quarantine))
	}
	sql, args := c.query(`SELECT `+eventColumns+`, raw FROM inbox_event`, `id`, q.Limit)
	return all(ctx, s, "list events", reads, sql, args, scanWhole)
}

// ListCases lists cases by id.
func (s *Store) ListCases(ctx context.Context, q receiver.CaseQuery) ([]receiver.Case, error) {
	var c conditions
	c.add("id > ?", text(q.AfterID))
	if q.State != "" {
		c.add("state = ?", text(q.State))
	}
	if q.ID != "" {
		c.add("id = ?", text(q.ID))
	}
	if len(q.Pix) > 0 {
		c.add("end_to_end_id = ANY (?)", texts(q.Pix, func(id pix.EndToEndID) pix.EndToEndID { return id }))
	}
	sql, args := c.query(`SELECT `+caseColumns+` FROM suspense_case`, `id`, q.Limit)
	return all(ctx, s, "list cases", reads, sql, args, scanCase)
}

// FindPayments reads booked Pix.
func (s *Store) FindPayments(ctx context.Context, in []pix.EndToEndID) ([]*receiver.Payment, error) {
	args := []any{texts(in, func(id pix.EndToEndID) pix.EndToEndID { return id })}
	rows, err := all(ctx, s, "find payments", reads, findPayments, args, scanPayment)
	if err != nil {
		return nil, err
	}
	found := map[pix.EndToEndID]*receiver.Payment{}
	for i := range rows {
		found[rows[i].EndToEndID] = &rows[i]
	}
	return column(in, func(id pix.EndToEndID) *receiver.Payment { return found[id] }), nil
}

const findPayments = `SELECT ` + paymentColumns + ` FROM payment WHERE end_to_end_id = ANY ($1)`
