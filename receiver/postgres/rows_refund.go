package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// refundKey names a refund for good: the merchant's by its intention, the PSP's
// own by its Pix and rtrId.
type refundKey struct {
	intention receiver.RefundRef
	e2e       pix.EndToEndID
	returned  pix.ReturnID
}

func refundKeyOf(x *receiver.Refund) refundKey {
	if x.Origin == receiver.RefundByMerchant {
		return intended(receiver.RefundRef{Consumer: x.Consumer, Reference: x.Reference})
	}
	return refundKey{e2e: x.EndToEndID, returned: x.ReturnID}
}

// intended is the key of a merchant's refund.
func intended(ref receiver.RefundRef) refundKey { return refundKey{intention: ref} }

// refundColumns are the columns that [scanRefund] reads.
const refundColumns = `consumer, reference, end_to_end_id, refund_id, rekeys, return_id, amount_cents, nature, origin, state,
    from_to_return_cents, from_unidentified_cents, from_divergent_cents, from_revenue_cents, excess, clash, problem,
    in_statement, requested_at, first_call_at, last_call_at, prior_call_at, finished_at, attempts, due_at, version`

// sourceOrder is the order of the source columns, which is that in which money
// is taken.
func sourceOrder() [4]receiver.Account {
	return [4]receiver.Account{
		receiver.AccountToReturn, receiver.AccountUnidentified, receiver.AccountDivergence, receiver.AccountRefunds,
	}
}

func scanRefund(rows pgx.Rows) (receiver.Refund, error) {
	var x receiver.Refund
	var from [4]pix.Amount
	err := rows.Scan(
		&x.Consumer, &x.Reference, &x.EndToEndID, &x.ID, &x.Rekeys, &x.ReturnID, &x.Amount, &x.Nature, &x.Origin, &x.State,
		&from[0], &from[1], &from[2], &from[3], &x.Excess, &x.Clash, &x.Problem,
		&x.InStatement, &x.RequestedAt, unknown{&x.FirstCallAt}, unknown{&x.LastCallAt}, unknown{&x.PriorCallAt},
		unknown{&x.FinishedAt}, &x.Attempts, &x.DueAt, &x.Version,
	)
	for i, account := range sourceOrder() {
		if from[i] != 0 {
			x.Source = append(x.Source, receiver.Part{Account: account, Cents: from[i]})
		}
	}
	return x, err
}

func (tx *tx) readRefund(rows pgx.Rows) error {
	x, err := scanRefund(rows)
	if err != nil {
		return err
	}
	tx.keepRefund(x)
	return nil
}

// keepRefund notes a refund as the database has it.
func (tx *tx) keepRefund(x receiver.Refund) {
	key := refundKeyOf(&x)
	tx.refunds.read(key, &x)
	if !slices.Contains(tx.ofPix[x.EndToEndID], key) {
		tx.ofPix[x.EndToEndID] = append(tx.ofPix[x.EndToEndID], key)
	}
}

const lockRefundsOfPix = `SELECT ` + refundColumns + ` FROM refund
WHERE end_to_end_id = ANY ($1)
ORDER BY number -- the lock order
FOR UPDATE`

// refund is the merchant's refund of a reference, nil if there is none.
func (tx *tx) refund(ref receiver.RefundRef) *receiver.Refund {
	tx.want(tx.refunds.knows(intended(ref)), "refund", ref)
	return tx.refunds.rows[intended(ref)]
}

// firstRefund is the first refund of a Pix that fits, nil if none does.
func (tx *tx) firstRefund(id pix.EndToEndID, fits func(*receiver.Refund) bool) *receiver.Refund {
	tx.want(tx.payments.knows(id), "refunds of", id)
	for _, key := range tx.ofPix[id] {
		if x := tx.refunds.rows[key]; x != nil && fits(x) {
			return x
		}
	}
	return nil
}

// returned is the refund of a Pix with that rtrId, whoever asked for it.
func (tx *tx) returned(id pix.EndToEndID, rtr pix.ReturnID) *receiver.Refund {
	if rtr == "" {
		return nil
	}
	return tx.firstRefund(id, func(x *receiver.Refund) bool { return x.ReturnID == rtr })
}

// ownRefund is the open refund of the merchant's with that id at the PSP.
func (tx *tx) ownRefund(id pix.EndToEndID, refund pix.RefundID) *receiver.Refund {
	return tx.firstRefund(id, func(x *receiver.Refund) bool { return x.OpenOwn() && x.ID == refund })
}

func (tx *tx) putRefund(x receiver.Refund) {
	key := refundKeyOf(&x)
	tx.refunds.put(key, &x)
	if !slices.Contains(tx.ofPix[x.EndToEndID], key) {
		tx.ofPix[x.EndToEndID] = append(tx.ofPix[x.EndToEndID], key)
	}
}

// undoRefunds takes back puts; a key left in ofPix without its row is passed
// over.
func (tx *tx) undoRefunds(n int) {
	for _, c := range tx.refunds.log[n:] {
		if c.before == nil {
			id := c.after.EndToEndID
			tx.ofPix[id] = slices.DeleteFunc(tx.ofPix[id], func(k refundKey) bool { return k == c.key })
		}
	}
	tx.refunds.undo(n)
}

// writeRefunds writes refunds one by one: they are few.
func (tx *tx) writeRefunds(p *pipeline) {
	added, changed := tx.refunds.pending()
	for _, c := range added {
		p.exec(insertRefund, refundArgs(c.after)...)
	}
	for _, c := range changed {
		sql := updateOwnRefund
		if c.after.Origin != receiver.RefundByMerchant {
			sql = updateOtherRefund
		}
		p.exec(sql, refundArgs(c.after)...)
	}
}

// insertRefund has no ON CONFLICT: an intention or rtrId that came in between
// is an error, upon which the command begins again and finds it.
const insertRefund = `INSERT INTO refund (` + refundColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`

const updateRefund = `UPDATE refund
SET (` + refundColumns + `)
    = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) `

const updateOwnRefund = updateRefund + `WHERE consumer = $1 AND reference = $2 AND origin = 'merchant'`

const updateOtherRefund = updateRefund + `WHERE end_to_end_id = $3 AND return_id = $6 AND origin = 'psp'`

func refundArgs(x *receiver.Refund) []any {
	var from [4]int64
	order := sourceOrder()
	for _, part := range x.Source {
		from[slices.Index(order[:], part.Account)] += int64(part.Cents)
	}
	return []any{
		text(x.Consumer), text(x.Reference), text(x.EndToEndID), text(x.ID), x.Rekeys, text(x.ReturnID), int64(x.Amount),
		text(x.Nature), text(x.Origin), text(x.State), from[0], from[1], from[2], from[3], x.Excess, x.Clash, text(x.Problem),
		x.InStatement, x.RequestedAt, optional(x.FirstCallAt), optional(x.LastCallAt), optional(x.PriorCallAt),
		optional(x.FinishedAt), x.Attempts, x.DueAt, x.Version,
	}
}
