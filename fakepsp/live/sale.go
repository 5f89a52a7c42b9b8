package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// sale is a charge that the lab makes at the PSP by itself, past the receiver,
// through the API as any other client.
type sale struct {
	run    *run
	charge *chaos.Charge
	tries  int
}

// A PSP in trouble is asked again, for as long as the longest plan.
const (
	saleTries = 40
	salePause = 500 * time.Millisecond
)

func (s *sale) create(m *machine) {
	c := s.charge
	body, err := json.Marshal(pix.ChargeRequest{
		Amount: pix.Amount(c.AmountCents), PixKey: s.run.key, ExpiresIn: time.Duration(c.ExpiresInS) * time.Second,
	})
	s.call(m, http.MethodPut, body, err, s.create)
}

func (s *sale) remove(m *machine) {
	body, err := json.Marshal(map[string]pix.ChargeStatus{"status": pix.ChargeRemovedByMerchant})
	s.call(m, http.MethodPatch, body, err, s.remove)
}

// call asks the PSP, and asks again later if it is in trouble.
func (s *sale) call(m *machine, method string, body []byte, err error, again func(*machine)) {
	reply := fakepsp.Reply{}
	if err == nil {
		s.tries++
		reply, err = m.callAPI(method, "/v2/cob/"+chaos.Txid(s.run.plan.Seed, *s.charge), body)
	}
	switch trouble := reply.Status == 0 || reply.Status == http.StatusTooManyRequests || reply.Status >= 500; {
	case err == nil && trouble && s.tries < saleTries:
		s.run.todo.add(m.now.Add(salePause), again)
	case err == nil && (trouble || reply.Status > 299):
		s.run.note(s.charge.ID, fmt.Errorf("%s of the charge: the PSP answered %d %s", method, reply.Status, reply.Body))
	default:
		s.run.note(s.charge.ID, err)
	}
}

// callAPI is a call of the API by the lab itself. The lock is held. An answer
// that is held back is taken at once.
func (m *machine) callAPI(method, target string, body []byte) (fakepsp.Reply, error) {
	header, reply, err := m.labHeader()
	if err != nil || header == nil {
		return reply, err
	}
	return m.callWith(header, method, target, body)
}

// labHeader is what the lab's own calls carry: a fresh token. It is nil where
// the PSP gives none; then reply says why.
func (m *machine) labHeader() (http.Header, fakepsp.Reply, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {m.self.ID}, "client_secret": {m.self.Secret}}
	req, err := newRequest(http.MethodPost, "/oauth/token", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
	if err != nil {
		return nil, fakepsp.Reply{}, err
	}
	reply := m.act(req, []byte(form.Encode()))
	var token struct {
		AccessToken string `json:"access_token"`
	}
	if reply.Status != http.StatusOK || json.Unmarshal(reply.Body, &token) != nil {
		return nil, reply, nil
	}
	return http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + token.AccessToken}}, reply, nil
}

func (m *machine) callWith(header http.Header, method, target string, body []byte) (fakepsp.Reply, error) {
	req, err := newRequest(method, target, header)
	if err != nil {
		return fakepsp.Reply{}, err
	}
	return m.act(req, body), nil
}

// registerWebhooks registers a URL for all keys, as a receiver does.
func (m *machine) registerWebhooks(to string) error {
	body, err := json.Marshal(map[string]string{"webhookUrl": to})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	for _, key := range m.opt.PixKeys {
		target := "/v2/webhook/" + url.PathEscape(string(key))
		reply, err := m.callAPI(http.MethodPut, target, body)
		if err == nil && reply.Status != http.StatusOK {
			err = fmt.Errorf("the PSP answered %d %s", reply.Status, reply.Body)
		}
		if err != nil {
			return fmt.Errorf("register the webhook %s: %w", to, err)
		}
	}
	return nil
}
