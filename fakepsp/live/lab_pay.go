package live

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// pay is POST /lab/payments. A list is taken whole or not at all, but for
// payments that are void: each says so for itself.
func (l *lab) pay(r *http.Request) (any, error) {
	body, err := readBody(r, maxOrders)
	if err != nil {
		return nil, err
	}
	var orders []PayOrder
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		err = decodeStrictly(body, &orders)
	} else {
		orders = make([]PayOrder, 1)
		err = decodeStrictly(body, &orders[0])
	}
	if err != nil {
		return nil, err
	}
	return l.m.pay(orders)
}

func (m *machine) pay(orders []PayOrder) ([]Paid, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	if err := m.payable(orders); err != nil {
		return nil, err
	}
	out := make([]Paid, len(orders))
	for i, o := range orders {
		out[i] = Paid{EndToEndID: o.EndToEndID}
		receipt, err := m.psp.Pay(o.order())
		if err != nil {
			out[i].Void = err.Error()
			continue
		}
		out[i].SettledAt = receipt.Pix.PaidAt
		m.moved, m.past = true, nil
	}
	m.courierBell.ring()
	return out, nil
}

// payable is nil if no payer's institution could object to one of the orders.
func (m *machine) payable(orders []PayOrder) error {
	seen := make(map[pix.EndToEndID]struct{}, len(orders))
	for _, o := range orders {
		if err := o.check(m.opt.PixKeys); err != nil {
			return badRequest("Pix %q: %s", o.EndToEndID, err)
		}
		if _, twice := seen[o.EndToEndID]; twice {
			return conflict("Pix %s stands twice in the list", o.EndToEndID)
		}
		seen[o.EndToEndID] = struct{}{}
		if _, known := m.psp.Payment(o.EndToEndID); known {
			return conflict("Pix %s: %s", o.EndToEndID, fakepsp.ErrExists)
		}
		if m.run != nil && m.run.subjects[string(o.EndToEndID)] != "" {
			return conflict("Pix %s is the plan's payment %s", o.EndToEndID, m.run.subjects[string(o.EndToEndID)])
		}
	}
	return nil
}

func (o PayOrder) order() fakepsp.PayOrder {
	return fakepsp.PayOrder{
		EndToEndID: o.EndToEndID, TxID: o.TxID, Static: o.Static, PixKey: o.PixKey, Amount: pix.Amount(o.AmountCents),
		PayerNote: o.PayerNote, Payer: o.Payer, Lax: o.Lax, NotifyAfter: chaos.MS(o.NotifyAfterMS).Duration(),
	}
}

// check refuses what no payer could send.
func (o PayOrder) check(keys []pix.PixKey) error {
	if _, err := pix.ParseEndToEndID(string(o.EndToEndID)); err != nil {
		return err
	}
	if o.TxID != "" {
		if _, err := pix.ParseTxID(string(o.TxID)); err != nil {
			return err
		}
	}
	ours := o.PixKey == ""
	for _, key := range keys {
		ours = ours || key == o.PixKey
	}
	amount := pix.Amount(o.AmountCents)
	switch {
	case o.Static && (o.TxID == "" || len(o.TxID) > 25):
		return errors.New("a static code wants a txid of 1 to 25 characters")
	case !ours:
		return errors.New("pix_key is not of this account")
	case amount <= 0 || !amount.Valid():
		return errors.New("amount_cents: want 1 to " + pix.MaxAmount.String() + " in cents")
	}
	return inTime("notify_after_ms", o.NotifyAfterMS)
}

// inTime refuses a length of time that is negative, or longer than anybody
// would wait for in real time.
func inTime(member string, ms int64) error {
	if ms < 0 || ms > 3_600_000 {
		return errors.New(member + ": want 0 to 3600000, an hour")
	}
	return nil
}
