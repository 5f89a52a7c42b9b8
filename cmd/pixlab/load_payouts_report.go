package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
)

// payoutReport is what a load of payouts came to, for machines.
type payoutReport struct {
	Payouts    int         `json:"payouts"`
	Accepted   int         `json:"accepted"`
	Repeated   int         `json:"repeated"` // requests of the merchant's under a known key
	Confirmed  int         `json:"confirmed"`
	Failed     int         `json:"failed"`
	Open       int         `json:"open"`
	Debits     int         `json:"debits"`     // lines of the account statement
	Calls      int         `json:"calls"`      // that asked the PSP for a payout
	Unanswered int         `json:"unanswered"` // of those, given up by the receiver
	Late       int         `json:"late"`       // of those, that reached the PSP only afterwards
	Receivers  int         `json:"receivers"`
	Seconds    float64     `json:"seconds"`
	Checks     []loadCheck `json:"checks"`
}

func (r *payoutReport) held() bool {
	return !slices.ContainsFunc(r.Checks, func(c loadCheck) bool { return !c.Held })
}

// paidOut is a payout as the receiver has it.
type paidOut struct {
	reference, state string
	cents            pix.Amount
	id               pix.EndToEndID
	payee            pix.PixKey
}

// until polls while a query says that something is still so.
func (b *books) until(ctx context.Context, patience time.Duration, what, sql string) error {
	for end := time.Now().Add(patience); ; {
		var some bool
		err := b.conn.QueryRow(ctx, sql).Scan(&some)
		if err != nil || !some {
			return wrapBooks(err)
		}
		if time.Now().After(end) {
			return environmentError{"wait for " + what, context.DeadlineExceeded}
		}
		select {
		case <-time.After(restPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// untilPaid waits until every payout has its end, and says how many have none when
// it gives up.
func (b *books) untilPaid(ctx context.Context, patience time.Duration) (open int, err error) {
	for end := time.Now().Add(patience); ; {
		err := b.conn.QueryRow(ctx, `SELECT count(*) FROM payout WHERE state IN ('reserved', 'processing')`).Scan(&open)
		if err != nil || open == 0 || time.Now().After(end) {
			return open, wrapBooks(err)
		}
		select {
		case <-time.After(restPoll):
		case <-ctx.Done():
			return open, ctx.Err()
		}
	}
}

func (b *books) payouts(ctx context.Context) ([]paidOut, error) {
	rows, err := b.conn.Query(ctx, `SELECT reference, state, amount_cents, end_to_end_id, pix_key FROM payout ORDER BY reference`)
	if err != nil {
		return nil, wrapBooks(err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p paidOut, err error) {
		return p, row.Scan(&p.reference, &p.state, &p.cents, &p.id, &p.payee)
	})
	return out, wrapBooks(err)
}

// judge holds the receiver's payouts against the lines of the account statement,
// which is where a second debit shows, whatever key it had.
func (r *payoutReport) judge(ctx context.Context, h *loadHouse, b *books) error {
	all, err := b.payouts(ctx)
	if err != nil {
		return err
	}
	lines, err := h.lab.Statement(ctx)
	if err != nil {
		return environmentError{"ask the PSP", err}
	}
	verdict, err := h.lab.Check(ctx)
	if err != nil {
		return environmentError{"ask the PSP", err}
	}
	var aside pix.Amount
	if err := b.conn.QueryRow(ctx, `SELECT coalesce(sum(cents), 0)::bigint FROM ledger_entry WHERE account = 'payout:em_transito'`).Scan(&aside); err != nil {
		return wrapBooks(err)
	}
	r.Checks = r.audit(all, lines)
	r.Checks = append(r.Checks,
		loadCheck{Name: "every payout has an end", Held: r.Open == 0},
		loadCheck{Name: "nothing is left in transit", Held: aside == 0, Detail: aside.String()},
		loadCheck{Name: "the PSP was slower than the receivers had patience", Held: r.Unanswered >= r.Payouts},
		loadCheck{Name: "the PSP agrees with itself", Held: verdict.OK, Detail: verdict.Detail},
	)
	return nil
}

// audit counts debits against intentions.
func (r *payoutReport) audit(all []paidOut, lines []pix.StatementLine) []loadCheck {
	debits := map[pix.EndToEndID][]pix.Amount{}
	for _, l := range lines {
		if l.Kind == pix.KindPixOut {
			debits[l.EndToEndID] = append(debits[l.EndToEndID], pix.Amount(l.Cents))
			r.Debits++
		}
	}
	var twice, other []string
	for _, p := range all {
		switch p.state {
		case "confirmed":
			r.Confirmed++
		case "failed":
			r.Failed++
		}
		got := debits[p.id]
		delete(debits, p.id)
		switch {
		case len(got) > 1:
			twice = append(twice, p.reference)
		case p.state == "confirmed" && (len(got) != 1 || got[0] != p.cents || p.payee != loadPayee):
			other = append(other, p.reference)
		}
	}
	alien := 0
	for _, cents := range debits {
		alien += len(cents)
	}
	return []loadCheck{
		{Name: "every payout asked for is kept", Held: len(all) == r.Payouts && r.Accepted == r.Payouts, Detail: fmt.Sprintf("%d are", len(all))},
		{Name: "every payout is confirmed", Held: r.Confirmed == r.Payouts, Detail: fmt.Sprintf("%d are", r.Confirmed)},
		{Name: "no payout was debited twice", Held: len(twice) == 0 && r.Debits <= r.Payouts, Detail: fmt.Sprintf("%d debits of %d payouts", r.Debits, r.Payouts)},
		{Name: "every confirmed payout is one debit of its amount", Held: len(other) == 0, Detail: fmt.Sprintf("%d are not", len(other))},
		{Name: "no debit is of a payout that nobody knows", Held: alien == 0, Detail: fmt.Sprintf("%d are", alien)},
	}
}

// payoutPage is the report for people.
func (c *cli) payoutPage(r *payoutReport) []byte {
	p := &page{colour: coloured(c.out)}
	p.field("load", "%s by %s, from a PSP that answers after the caller's time-out", counted(r.Payouts, "payout", "payouts"), counted(r.Receivers, "receiver", "receivers"))
	p.line("")
	p.field("accepted", "%s; %s under a known key", grouped(r.Accepted), counted(r.Repeated, "repeat", "repeats"))
	p.field("calls", "%s for a payout, %s given up, %s of them carried out after that", grouped(r.Calls), grouped(r.Unanswered), grouped(r.Late))
	p.field("ended", "%s confirmed, %s failed, %s open, after %.1f s", grouped(r.Confirmed), grouped(r.Failed), grouped(r.Open), r.Seconds)
	p.field("debits", "%s at the PSP", grouped(r.Debits))
	p.line("")
	for _, check := range r.Checks {
		detail := ""
		if !check.Held {
			detail = detailed(check.Detail)
		}
		p.line("  %s %s%s", p.mark(check.Held), check.Name, detail)
	}
	return p.Bytes()
}
