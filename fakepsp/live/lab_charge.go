package live

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// charge is POST /lab/charges: dynamic charges made at the PSP in the lab's own
// name, for a load that is larger than anybody wants to make call by call. The
// first that the PSP does not make ends the list; those before it stand.
func (l *lab) charge(r *http.Request) (any, error) {
	var orders []ChargeOrder
	if err := readJSON(r, &orders); err != nil {
		return nil, err
	}
	return l.m.charge(orders)
}

func (m *machine) charge(orders []ChargeOrder) ([]Charged, error) {
	for _, o := range orders {
		if err := o.check(); err != nil {
			return nil, badRequest("charge %q: %s", o.TxID, err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	header, reply, err := m.labHeader()
	if err == nil && header == nil {
		err = refusal{reply.Status, "the PSP gives the lab no token"}
	}
	if err != nil {
		return nil, err
	}
	out := make([]Charged, len(orders))
	for i, o := range orders {
		if out[i], err = m.chargeOne(header, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *machine) chargeOne(header http.Header, o ChargeOrder) (Charged, error) {
	key := o.PixKey
	if key == "" {
		key = m.opt.PixKeys[0]
	}
	body, err := json.Marshal(pix.ChargeRequest{
		Amount: pix.Amount(o.AmountCents), PixKey: key, ExpiresIn: time.Duration(o.ExpiresInS) * time.Second,
	})
	if err != nil {
		return Charged{}, err
	}
	reply, err := m.callWith(header, http.MethodPut, "/v2/cob/"+string(o.TxID), body)
	if err != nil {
		return Charged{}, err
	}
	if reply.Status != http.StatusCreated {
		return Charged{}, refusal{reply.Status, "charge " + string(o.TxID) + ": the PSP says " + string(reply.Body)}
	}
	return Charged{TxID: o.TxID, CreatedAt: m.now.Truncate(time.Millisecond)}, nil
}

// check refuses what is no charge's.
func (o ChargeOrder) check() error {
	if _, err := pix.ParseChargeTxID(string(o.TxID)); err != nil {
		return err
	}
	return nil
}
