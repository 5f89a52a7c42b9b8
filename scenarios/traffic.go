package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// schedulePlan puts everything the plan wants done into the schedule.
func (w *World) schedulePlan() {
	for i := range w.plan.Charges {
		w.scheduleCharge(&w.plan.Charges[i])
	}
	for i := range w.plan.Payments {
		p := &w.plan.Payments[i]
		w.schedulePayment(p)
		if len(w.faults.Notices(p.ID)) > 0 {
			if err := w.psp.Expect(w.order(p)); err != nil {
				w.fail(fmt.Errorf("announce payment %s: %w", p.ID, err))
			}
		}
	}
	w.scheduleRefunds()
	w.schedulePayouts()
	w.scheduleOperator()
	w.payments = nil // whatever is about a payment has it by now
	w.scheduleCourier()
	for edge := w.faults.NextEdge(0); edge != chaos.Never; edge = w.faults.NextEdge(edge) {
		w.at(edge, "world/window/"+strconv.FormatInt(int64(edge), 10), "", "window", func() {
			w.windows++
			w.rouse()
		})
	}
}

func (w *World) scheduleCharge(c *chaos.Charge) {
	sale := &sale{w: w, charge: c}
	if c.Elsewhere {
		w.wish(chaos.MS(c.CreateAtMS), "elsewhere/"+c.ID, c.ID, "create", sale.createElsewhere)
		if c.AdoptAtMS > 0 {
			w.wish(chaos.MS(c.AdoptAtMS), "merchant/"+c.ID, c.ID, "adopt", sale.create)
		}
	} else {
		w.wish(chaos.MS(c.CreateAtMS), "merchant/"+c.ID, c.ID, "create", sale.create)
	}
	if at := w.removeAt(c); at > 0 {
		w.wish(chaos.MS(at), "merchant/"+c.ID+"/remove", c.ID, "remove", sale.remove)
	}
}

// removeAt is when the merchant takes the charge back, zero for never: the
// plan says so on the charge, or a fault on one of its payments does.
func (w *World) removeAt(c *chaos.Charge) int64 {
	if c.RemoveAtMS > 0 {
		return c.RemoveAtMS
	}
	return w.removals[c.ID]
}

// sale is the merchant's side of one charge: it asks the receiver for it until
// it has an answer that settles the matter.
type sale struct {
	w      *World
	charge *chaos.Charge
	tries  int
}

// maxSaleTries bounds a merchant's patience.
const maxSaleTries = 40

// saleBody is POST /charges. Its members stand in the order of the alphabet.
type saleBody struct {
	Amount     pix.Amount `json:"amount,omitempty"`
	ExpiresInS int64      `json:"expires_in_s"`
	Kind       string     `json:"kind"`
	Reference  string     `json:"reference"`
	TxID       string     `json:"txid,omitempty"`
}

func (s *sale) create() {
	c := s.charge
	body := saleBody{Amount: pix.Amount(max(c.AmountCents, 0)), ExpiresInS: c.ExpiresInS, Kind: string(c.Kind), Reference: c.Reference}
	if c.Elsewhere {
		body.TxID = chaos.Txid(s.w.plan.Seed, *c)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		s.w.fail(err)
		return
	}
	ask := &asking{w: s.w, subject: c.ID, route: receiver.RouteCharges, reference: c.Reference, body: raw}
	ask.altered = func() ([]byte, error) {
		body.Amount++
		return json.Marshal(body)
	}
	s.tries++
	in := ask.request(s.name(http.MethodPost), raw, false)
	if s.tries == 1 {
		ask.first(in)
	}
	s.send(in, s.create)
}

func (s *sale) remove() {
	s.tries++
	s.send(&inbound{
		name: s.name(http.MethodDelete), subject: s.charge.ID,
		method: http.MethodDelete, path: "/charges/" + url.PathEscape(s.charge.Reference),
		header: s.w.merchantHeader(s.charge.Reference), timeout: askTimeout,
	}, s.remove)
}

func (s *sale) name(method string) string {
	return "merchant/" + s.charge.ID + "/" + method + "/" + strconv.Itoa(s.tries)
}

// send sends one request of the merchant and repeats it while its outcome is not
// known.
func (s *sale) send(in *inbound, again func()) {
	w := s.w
	in.then = func(status int, _ []byte, err error) {
		w.emit("merchant", "charge.answer", outcome(status, err), "subject", s.charge.ID)
		if err == nil && status < 500 && !inFlight(in.method, status) || s.tries >= maxSaleTries {
			return
		}
		pause := chaos.Second << min(s.tries, 8)
		w.at(w.sched.Now()+pause, "merchant/"+s.charge.ID+"/again/"+strconv.Itoa(s.tries), s.charge.ID, "again", again)
	}
	w.send(in)
}

// createElsewhere makes the charge at the PSP, past the receiver, as another
// system of the merchant does; it tries again where the PSP is in trouble.
func (s *sale) createElsewhere() {
	w, c := s.w, s.charge
	s.tries++
	body, err := json.Marshal(pix.ChargeRequest{
		Amount: pix.Amount(c.AmountCents), PixKey: merchantKey, ExpiresIn: time.Duration(c.ExpiresInS) * time.Second,
	})
	if err != nil {
		w.fail(err)
		return
	}
	reply := w.callPSP(http.MethodPut, "/v2/cob/"+chaos.Txid(w.plan.Seed, *c), "application/json", "Bearer "+w.tokenElsewhere(), body)
	w.emit("elsewhere", "charge.made", strconv.Itoa(reply.Status), "subject", c.ID)
	if reply.Status != http.StatusCreated && s.tries < maxSaleTries {
		w.at(w.sched.Now()+10*chaos.Second, "elsewhere/"+c.ID+"/again/"+strconv.Itoa(s.tries), c.ID, "again", s.createElsewhere)
	}
}

// tokenElsewhere is a fresh token of the other system, empty if none is given.
func (w *World) tokenElsewhere() string {
	client := otherClient(w.plan.Seed)
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client.ID}, "client_secret": {client.Secret}}
	reply := w.callPSP(http.MethodPost, "/oauth/token", "application/x-www-form-urlencoded", "", []byte(form.Encode()))
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if reply.Status != http.StatusOK || json.Unmarshal(reply.Body, &answer) != nil {
		return ""
	}
	return answer.AccessToken
}

// callPSP is a call that does not come from the receiver.
func (w *World) callPSP(method, path, contentType, authorization string, body []byte) fakepsp.Reply {
	header := http.Header{"Content-Type": {contentType}}
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	req, err := serverRequest(&inbound{method: method, path: path, body: body, header: header})
	if err != nil {
		w.fail(err)
		return fakepsp.Reply{}
	}
	return w.psp.Handle(req)
}

func outcome(status int, err error) string {
	if err != nil {
		return err.Error()
	}
	return strconv.Itoa(status)
}

// schedulePayment has the payer try at the planned instant, or where a fault
// moved it.
func (w *World) schedulePayment(p *chaos.Payment) {
	at := p.AtMS
	if m := w.faults.Payment(p.ID); m.Change.PayAtMS > 0 {
		at = m.Change.PayAtMS
	}
	w.wish(chaos.MS(at), "payer/"+p.ID, p.ID, "pay", func() { w.pay(p) })
	if w.option.ApplyTwice {
		w.wish(chaos.MS(at)+chaos.Minute, "payer/"+p.ID+"/twice", p.ID, "pay", func() { w.payTwice(p) })
	}
}

func (w *World) pay(p *chaos.Payment) {
	if _, err := w.psp.Pay(w.order(p)); err != nil {
		w.void = append(w.void, Void{Payment: p.ID, Reason: err.Error()})
		w.emit("payer", "payment.void", err.Error(), "payment", p.ID)
	} else {
		w.tally.Fire(w.faults.Payment(p.ID).From)
	}
	w.scheduleCourier()
	w.rouse()
}

// payTwice applies a payment a second time: a Pix that exists is refused.
func (w *World) payTwice(p *chaos.Payment) {
	order := w.order(p)
	order.Lax = true
	known := w.view.at(order.EndToEndID).Truth.Settled
	_, err := w.psp.Pay(order)
	w.emit("payer", "payment.twice", fmt.Sprint(err), "payment", p.ID)
	if known && !errors.Is(err, fakepsp.ErrExists) {
		w.judge.report("PSP", fmt.Sprintf("Pix %s was paid a second time and the PSP answered: %v", order.EndToEndID, err), nil)
	}
	w.scheduleCourier()
	w.rouse()
}

// order is the payment as the payer makes it, its faults included.
func (w *World) order(p *chaos.Payment) fakepsp.PayOrder {
	m := w.faults.Payment(p.ID)
	order := fakepsp.PayOrder{
		Payment: p.ID, EndToEndID: pix.EndToEndID(p.EndToEndID), PixKey: merchantKey,
		Amount: pix.Amount(p.AmountCents), NotifyAfter: time.Duration(p.NotifyAfterMS) * time.Millisecond,
		Lax: m.Change.Lax,
	}
	if m.Change.PayCents > 0 {
		order.Amount = pix.Amount(m.Change.PayCents)
	}
	charge := p.Charge
	if m.Change.PayCharge != "" {
		charge = m.Change.PayCharge
	}
	if c := w.charges[charge]; c != nil {
		order.TxID = pix.TxID(chaos.Txid(w.plan.Seed, *c))
		order.Static = c.Kind == chaos.ChargeStatic
	}
	return order
}

// scheduleCourier wakes the PSP's courier when its next callback is due.
func (w *World) scheduleCourier() {
	due, ok := w.psp.Due()
	if !ok {
		w.sched.Remove(w.courier)
		return
	}
	at := max(w.sched.Now(), w.virtual(due))
	if w.courier.Parked() {
		w.sched.Rewake(w.courier, at)
		return
	}
	w.sched.Park(w.courier, at, "", "deliver")
}

// deliver sends every callback that is due.
func (w *World) deliver() {
	for a := w.psp.Take(); a != nil; a = w.psp.Take() {
		w.sendAttempt(a)
	}
	w.scheduleCourier()
}

func (w *World) sendAttempt(a *fakepsp.Attempt) {
	u, err := url.Parse(a.URL)
	if err != nil {
		w.psp.Done(a, fakepsp.Answer{Err: err})
		return
	}
	in := &inbound{
		name: attemptName(a.Address), subject: a.Address.Subject, bent: w.bent(a.Address),
		method: http.MethodPost, path: u.RequestURI(), header: a.Header, body: a.Body,
		timeout: a.Timeout, loseAnswer: a.LoseAnswer,
		then: func(status int, _ []byte, err error) {
			w.psp.Done(a, fakepsp.Answer{Status: status, Err: err})
			w.scheduleCourier()
		},
	}
	in.answered = func(inst *instance, status int) { w.answered(a, in, inst, status) }
	w.send(in)
}

func attemptName(a chaos.CallbackAddress) string {
	return "cb/" + a.Subject + "/" + a.Notice + "/" + strconv.Itoa(a.Copy) + "/" + strconv.Itoa(a.Attempt)
}
