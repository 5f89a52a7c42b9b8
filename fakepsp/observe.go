package fakepsp

import (
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Observer is told of what happens at the PSP, after it happened and without
// the PSP's lock, so it may call the PSP. Where several goroutines use the PSP
// it is called from several. Embed [NoObserver] to care for a few events only.
type Observer interface {
	// Settled tells of a Pix that became truth.
	Settled(row SettledPix)
	// Void tells of a payment that was refused, and why.
	Void(order PayOrder, reason error)
	// RefundAsked tells of a refund that was begun: by the API, in the bank's
	// app, or as the return of a MED case. It is EM_PROCESSAMENTO.
	RefundAsked(row RefundRow)
	// RefundSettled tells of a refund's final state: DEVOLVIDO or NAO_REALIZADO.
	RefundSettled(row RefundRow)
	// PayoutAsked tells of a payout that was taken: it is EM_PROCESSAMENTO.
	PayoutAsked(row PayoutRow)
	// PayoutEnded tells of a payout's final state: CONFIRMADO or REJEITADO.
	PayoutEnded(row PayoutRow)
	// PayoutReturned tells of money of a confirmed payout that came back.
	PayoutReturned(row PayoutRow, back pix.PayoutReturn)
	// Disputed tells of each stage that a MED case comes to.
	Disputed(c DisputeCase)
	// Sent tells of an attempt that [PSP.Take] handed out.
	Sent(a *Attempt)
	// Dropped tells of an attempt that a fault lost; the PSP takes the callback
	// for delivered.
	Dropped(at chaos.CallbackAddress)
	// Lost tells of a notice that had no registered URL to go to.
	Lost(at chaos.CallbackAddress)
	// Acknowledged tells of a body that was answered 2xx: what the receiver
	// now answers for. The body must not be changed.
	Acknowledged(at chaos.CallbackAddress, body []byte, when time.Time)
	// Refused tells of an attempt without acknowledgement; the next one is due
	// at next.
	Refused(at chaos.CallbackAddress, answer Answer, next time.Time)
	// GivenUp tells of the last attempt of a callback that was never
	// acknowledged.
	GivenUp(at chaos.CallbackAddress, answer Answer)
	// Called tells of a call of the API that was answered.
	Called(c APICall)
	// Reached tells of a mark that was reached.
	Reached(m Mark)
}

// APICall is one call of the PSP's API, as it was answered.
type APICall struct {
	Method string
	Target string // path and query
	// Route, Subject and Nth are the call's fault address; all are zero for a
	// route that has none. Nth is counted where a fault strikes the subject.
	Route, Subject string
	Nth            int
	Status         int           // as sent; 0 if the connection was cut
	After          time.Duration // how long the answer was held back
	Faulted        bool          // a fault changed the answer
}

// NoObserver hears everything and does nothing.
type NoObserver struct{}

var _ Observer = NoObserver{}

// Settled does nothing.
func (NoObserver) Settled(SettledPix) {}

// Void does nothing.
func (NoObserver) Void(PayOrder, error) {}

// RefundAsked does nothing.
func (NoObserver) RefundAsked(RefundRow) {}

// RefundSettled does nothing.
func (NoObserver) RefundSettled(RefundRow) {}

// PayoutAsked does nothing.
func (NoObserver) PayoutAsked(PayoutRow) {}

// PayoutEnded does nothing.
func (NoObserver) PayoutEnded(PayoutRow) {}

// PayoutReturned does nothing.
func (NoObserver) PayoutReturned(PayoutRow, pix.PayoutReturn) {}

// Disputed does nothing.
func (NoObserver) Disputed(DisputeCase) {}

// Sent does nothing.
func (NoObserver) Sent(*Attempt) {}

// Dropped does nothing.
func (NoObserver) Dropped(chaos.CallbackAddress) {}

// Lost does nothing.
func (NoObserver) Lost(chaos.CallbackAddress) {}

// Acknowledged does nothing.
func (NoObserver) Acknowledged(chaos.CallbackAddress, []byte, time.Time) {}

// Refused does nothing.
func (NoObserver) Refused(chaos.CallbackAddress, Answer, time.Time) {}

// GivenUp does nothing.
func (NoObserver) GivenUp(chaos.CallbackAddress, Answer) {}

// Called does nothing.
func (NoObserver) Called(APICall) {}

// Reached does nothing.
func (NoObserver) Reached(Mark) {}

// news is one event on its way to the observer.
type news func(Observer)

// tell keeps an event until the lock is released.
func (p *PSP) tell(n news) {
	if p.cfg.Observe != nil {
		p.news = append(p.news, n)
	}
}

// unlock releases the lock and then tells the observer what happened under it.
func (p *PSP) unlock() {
	events := p.news
	p.news = nil
	p.mu.Unlock()
	for _, event := range events {
		event(p.cfg.Observe)
	}
}
