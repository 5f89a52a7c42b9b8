package proptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ordersView is what the store holds, added up commit by commit from the rows
// and transactions alone. The first thing that must not be is kept in wrong.
type ordersView struct {
	payments map[pix.EndToEndID]receiver.Payment
	refunds  map[pix.EndToEndID]map[string]receiver.Refund // by what names the row
	ids      map[string]map[pix.RefundID]bool              // that a merchant's refund has gone by, by reference
	cases    map[string]receiver.Case
	outbox   map[int64]receiver.OutboxEvent
	memos    map[string]receiver.Memo
	held     map[pix.EndToEndID]map[receiver.Account]pix.Amount
	lines    map[ledgerLine]pix.Amount
	credits  map[pix.EndToEndID]int
	uses     map[string]int
	balance  map[receiver.Account]pix.Amount
	commits  int
	wrong    string

	settled func(pix.EndToEndID) pix.Amount // by the truth
}

// ledgerLine names what the settlement account has for one line of the statement.
type ledgerLine struct {
	id     pix.EndToEndID
	refund pix.ReturnID
}

func newOrdersView(settled func(pix.EndToEndID) pix.Amount) *ordersView {
	return &ordersView{
		payments: map[pix.EndToEndID]receiver.Payment{}, refunds: map[pix.EndToEndID]map[string]receiver.Refund{},
		ids: map[string]map[pix.RefundID]bool{}, cases: map[string]receiver.Case{},
		outbox: map[int64]receiver.OutboxEvent{}, memos: map[string]receiver.Memo{},
		held: map[pix.EndToEndID]map[receiver.Account]pix.Amount{}, lines: map[ledgerLine]pix.Amount{},
		credits: map[pix.EndToEndID]int{}, uses: map[string]int{}, balance: map[receiver.Account]pix.Amount{},
		settled: settled,
	}
}

// nameOf is what names a refund's row: the merchant's reference, or the rtrId.
func nameOf(x *receiver.Refund) string {
	if x.Origin == receiver.RefundByMerchant {
		return "ref " + x.Reference
	}
	return "rtr " + string(x.ReturnID)
}

func (v *ordersView) complain(format string, args ...any) {
	if v.wrong == "" {
		v.wrong = fmt.Sprintf(format, args...)
	}
}

// follow takes over one commit and looks at the Pix that it touched.
func (v *ordersView) follow(cs *receiver.ChangeSet) {
	v.commits++
	touched := map[pix.EndToEndID]bool{}
	for _, c := range cs.Payments {
		v.payments[c.After.EndToEndID] = *c.After
		touched[c.After.EndToEndID] = true
	}
	for _, c := range cs.Refunds {
		v.refund(c)
		touched[c.After.EndToEndID] = true
	}
	for _, c := range cs.Cases {
		v.cases[c.After.ID] = *c.After
	}
	for _, c := range cs.Outbox {
		v.outbox[c.After.ID] = *c.After
	}
	for _, m := range cs.Memos {
		v.memos[m.ID] = m
	}
	for _, tx := range cs.Transactions {
		v.post(tx)
		touched[tx.Entries[0].EndToEndID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(touched)) {
		v.look(id)
	}
}

func (v *ordersView) refund(c receiver.RefundChange) {
	x := *c.After
	rows := v.refunds[x.EndToEndID]
	if rows == nil {
		rows = map[string]receiver.Refund{}
		v.refunds[x.EndToEndID] = rows
	}
	if before, known := rows[nameOf(&x)]; known {
		if before.State.Final() && before.State != x.State {
			v.complain("refund %s went from %s to %s", x.ID, before.State, x.State)
		}
		if before.State == receiver.RefundProcessing && x.State == receiver.RefundReserved {
			v.complain("refund %s went back to %s", x.ID, x.State)
		}
	}
	rows[nameOf(&x)] = x
	if x.Origin == receiver.RefundByMerchant {
		if v.ids[x.Reference] == nil {
			v.ids[x.Reference] = map[pix.RefundID]bool{}
		}
		v.ids[x.Reference][x.ID] = true
	}
}

func (v *ordersView) post(tx receiver.Transaction) {
	if err := tx.Validate(); err != nil {
		v.complain("%v", err)
	}
	if v.uses[tx.Reference]++; v.uses[tx.Reference] > 1 {
		v.complain("reference %s stands in the ledger %d times", tx.Reference, v.uses[tx.Reference])
	}
	for _, e := range tx.Entries {
		v.balance[e.Account] += e.Cents
		if v.held[e.EndToEndID] == nil {
			v.held[e.EndToEndID] = map[receiver.Account]pix.Amount{}
		}
		v.held[e.EndToEndID][e.Account] += e.Cents
		if e.Account != receiver.AccountSettlement {
			continue
		}
		v.lines[ledgerLine{e.EndToEndID, e.ReturnID}] += e.Cents
		if e.Cents > 0 && !strings.HasPrefix(tx.Reference, receiver.AdjustReference("")) {
			v.credits[e.EndToEndID]++
		}
	}
}

// holdings are where the ledger says that a Pix's money sits.
func (v *ordersView) holdings(id pix.EndToEndID) receiver.Holdings {
	h := v.held[id]
	return receiver.Holdings{
		Revenue:  -h[receiver.AccountRevenue] - h[receiver.AccountRefunds],
		ToReturn: -h[receiver.AccountToReturn], Unidentified: -h[receiver.AccountUnidentified],
		Divergent: -h[receiver.AccountDivergence],
	}
}

// look says what is wrong with a Pix.
func (v *ordersView) look(id pix.EndToEndID) {
	if v.credits[id] > 1 {
		v.complain("Pix %s was credited %d times", id, v.credits[id])
	}
	var open, returned, sum pix.Amount
	for _, x := range v.refunds[id] {
		switch {
		case x.State == receiver.RefundReturned && !x.Excess:
			returned += x.Amount
		case !x.State.Final():
			open += x.Amount
		}
	}
	sum = open + returned
	if most := min(v.lines[ledgerLine{id, ""}], v.settled(id)); sum > most {
		v.complain("refunds of Pix %s come to %d cents, it brought %d", id, sum, most)
	}
	p, booked := v.payments[id]
	if !booked {
		return
	}
	if h := v.holdings(id); p.Held != h {
		v.complain("Pix %s holds %+v, the ledger says %+v", id, p.Held, h)
	}
	if process := -v.held[id][receiver.AccountInProcess]; p.Refunding != open || p.Refunding != process {
		v.complain("Pix %s has %d cents in process, its refunds %d, the ledger %d", id, p.Refunding, open, process)
	}
	if p.Refunded != returned {
		v.complain("Pix %s has returned %d cents, its refunds %d", id, p.Refunded, returned)
	}
}

// free is what the account has to spend; what nobody has vouched for is not there.
func (v *ordersView) free() pix.Amount {
	free := v.balance[receiver.AccountSettlement] + v.balance[receiver.AccountInProcess]
	for _, m := range v.memos {
		if !m.Released {
			free -= m.Amount
		}
	}
	for id, p := range v.payments {
		if !p.Confirmed {
			free -= max(0, v.holdings(id).Total())
		}
	}
	return free
}

// casesAreSuspense says where the open cases are not what suspense holds, ""
// if they are.
func (v *ordersView) casesAreSuspense() string {
	type place struct {
		account receiver.Account
		id      pix.EndToEndID
	}
	diff := map[place]pix.Amount{}
	for id, h := range v.held {
		for account, cents := range h {
			if account.Suspense() {
				diff[place{account, id}] -= cents
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.cases)) {
		c := v.cases[name]
		if len(c.Reasons) == 0 {
			return "case " + c.ID + " has no reason"
		}
		if c.State == receiver.CaseOpen && c.Account != "" {
			diff[place{c.Account, c.EndToEndID}] -= c.Amount
		}
	}
	worst := ""
	for at, cents := range diff {
		if s := fmt.Sprintf("%s holds %d cents of Pix %s more than the open cases say", at.account, cents, at.id); cents != 0 && (worst == "" || s < worst) {
			worst = s
		}
	}
	return worst
}
