package broken

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// trustsCompleted confirms a Pix by its charge: CONCLUIDA is taken for "this
// Pix paid it, in full". CONCLUIDA says that some Pix did.
func trustsCompleted() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "trusts-completed", Invariant: "I3",
		Doc: "takes a charge's CONCLUIDA for proof that the Pix in hand paid what was due",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			t := &chargeTruster{next: e.Config.HTTP, clock: e.Config.Clock, txids: map[pix.EndToEndID]pix.TxID{}}
			e.Config.HTTP = t
			o := overlay{Store: e.Store}
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				for _, it := range in {
					if it.Credit != nil && it.Credit.TxID != "" {
						t.txids[it.Credit.EndToEndID] = it.Credit.TxID
					}
				}
				return e.Store.AppendInbox(ctx, in)
			}
			return reference(e, o)
		},
	}
}

// chargeTruster answers GET /v2/pix/{endToEndId} from GET /v2/cob/{txid}.
type chargeTruster struct {
	next  receiver.Doer
	clock receiver.Clock
	txids map[pix.EndToEndID]pix.TxID
}

// Do sends a request, another one where a Pix is asked about.
func (t *chargeTruster) Do(req *http.Request) (*http.Response, error) {
	id := pix.EndToEndID(path.Base(req.URL.Path))
	txid, known := t.txids[id]
	if !known || !strings.HasPrefix(req.URL.Path, "/v2/pix/") {
		return t.next.Do(req)
	}
	url := *req.URL
	url.Path = "/v2/cob/" + string(txid)
	ask := *req
	ask.URL = &url
	resp, err := t.next.Do(&ask)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	defer resp.Body.Close()
	var c pix.Charge
	if err := json.NewDecoder(resp.Body).Decode(&c); err != nil {
		return nil, err
	}
	if c.Status != pix.ChargeCompleted {
		resp.StatusCode = http.StatusNotFound
		return resp, nil
	}
	body, err := json.Marshal(pix.Payment{
		EndToEndID: id, TxID: txid, Amount: c.Amount, PixKey: c.PixKey, PaidAt: t.clock.Now(),
	})
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, err
}
