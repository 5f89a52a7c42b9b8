package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// CloseCases closes open cases. What a case holds in suspense goes to receita
// or to credito_a_devolver; no other account can take it.
func (s *Store) CloseCases(ctx context.Context, in []receiver.CaseClosing) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "close cases", func(ctx context.Context, tx *tx) error {
		clear(out)
		about, err := tx.readClosed(ctx, in)
		if err != nil {
			return err
		}
		for i, cl := range in {
			e2e, known := about[cl.CaseID]
			if !known || !tx.isOpen(cl.CaseID, e2e) {
				continue
			}
			c := tx.caseOf(cl.CaseID, e2e)
			if tx.item(ctx, func() error { return tx.close(c, cl) }) != nil {
				continue
			}
			out[i] = true
			tx.record(receiver.OperatorRecord{At: cl.Now, Operator: cl.Operator, Action: receiver.ActionClose, Subject: cl.CaseID, Note: cl.Note})
		}
		return nil
	})
	return out, err
}

// readClosed reads cases with everything about their Pix, and the charges that
// these are on. Which they are is read first, without locks; a Pix that went
// to another charge meanwhile begins the command again. It returns the Pix of
// each case, which never changes.
func (tx *tx) readClosed(ctx context.Context, in []receiver.CaseClosing) (map[string]pix.EndToEndID, error) {
	about := map[string]pix.EndToEndID{}
	var ids []pix.EndToEndID
	var refs []receiver.ChargeRef
	p := tx.begin()
	caseIDs := texts(in, func(c receiver.CaseClosing) string { return c.CaseID })
	p.query(readCases, []any{caseIDs}, func(rows pgx.Rows) error {
		var id string
		var e2e pix.EndToEndID
		var ref receiver.ChargeRef
		if err := rows.Scan(&id, &e2e, &ref.Consumer, &ref.Reference); err != nil {
			return err
		}
		about[id], ids, refs = e2e, append(ids, e2e), append(refs, ref)
		return nil
	})
	if err := tx.send(ctx, p); err != nil {
		return nil, err
	}
	p = tx.begin()
	tx.lockCharges(p, refs)
	tx.lockPix(p, ids)
	tx.readReferences(p, column(caseIDs, receiver.CaseReference))
	if err := tx.send(ctx, p); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if p := tx.payment(id); p != nil && !tx.charges.knows(receiver.ChargeRef{Consumer: p.Consumer, Reference: p.Charge}) {
			return nil, errRaced
		}
	}
	return about, nil
}

const readCases = `SELECT c.id, c.end_to_end_id, coalesce(p.consumer, ''), coalesce(p.charge, '')
FROM suspense_case AS c
LEFT JOIN payment AS p ON p.end_to_end_id = c.end_to_end_id
WHERE c.id = ANY ($1)`

func (tx *tx) close(c *receiver.Case, cl receiver.CaseClosing) error {
	tx.closeCase(c.ID, c.EndToEndID, cl.Note, cl.Now)
	p := tx.payment(c.EndToEndID)
	var charge *receiver.Charge
	if p != nil {
		charge = tx.charge(receiver.ChargeRef{Consumer: p.Consumer, Reference: p.Charge})
	}
	d, err := tx.rules().Release(*c, p, charge, cl)
	if err != nil {
		return err
	}
	if d.Transaction != nil {
		d.Transaction.Reference = tx.ledger.unused(d.Transaction.Reference)
	}
	return tx.put(d, cl.Now)
}
