package receiver

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"github.com/pixlab/pixlab/pix"
)

// refundIDLen is the length of the ids that we choose, in characters (API Pix:
// 1 to 35).
const refundIDLen = 32

// refundRequest is the body of POST /refunds.
type refundRequest struct {
	Reference  string         `json:"reference"`
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	Amount     pix.Amount     `json:"amount"`
}

// refundAnswer is a refund as the merchant sees it.
type refundAnswer struct {
	Reference  string         `json:"reference"`
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	ID         pix.RefundID   `json:"id"`
	ReturnID   pix.ReturnID   `json:"rtrId,omitempty"`
	Amount     pix.Amount     `json:"amount"`
	State      RefundState    `json:"state"`
	Problem    string         `json:"problem,omitempty"`
}

func refundAnswerOf(r Refund) refundAnswer {
	return refundAnswer{
		Reference: r.Reference, EndToEndID: r.EndToEndID, ID: r.ID, ReturnID: r.ReturnID,
		Amount: r.Amount, State: r.State, Problem: r.Problem,
	}
}

func (q refundRequest) validate() error {
	if q.Reference == "" || len(q.Reference) > 255 {
		return errors.New("reference: want 1 to 255 characters")
	}
	if q.Amount <= 0 {
		return errors.New("amount: want more than zero")
	}
	_, err := pix.ParseEndToEndID(string(q.EndToEndID))
	return err
}

// serveCreateRefund stores intention, key and answer in one transaction, see
// [NewRefund.Answer]; the sender does the rest.
func (r *Receiver) serveCreateRefund(w http.ResponseWriter, req *http.Request, k keyed) {
	var q refundRequest
	if !k.read(w, &q) {
		return
	}
	now, err := r.now(req.Context())
	if err != nil {
		unavailable(w, err)
		return
	}
	outs, err := r.store.ReserveRefunds(req.Context(), []NewRefund{{At: now, Key: &k.claim, Refund: Refund{
		Consumer: k.consumer, Reference: q.Reference, EndToEndID: q.EndToEndID, Amount: q.Amount,
		ID: r.refundID(k.consumer, q.Reference, 0), Nature: pix.NatureOriginal, DueAt: now,
	}}})
	if err != nil {
		unavailable(w, err)
		return
	}
	r.markReserve(outs[0])
	r.answerKey(w, outs[0].Key, refundAnswerOf(outs[0].Refund))
}

// markReserve tells the observer of refunds that were not accepted.
func (r *Receiver) markReserve(out ReserveOutcome) {
	r.cfg.reachedIf(out.Result == ReserveEarly, MarkRefundEarly)
	r.cfg.reachedIf(out.Reason == ReasonOverCap, MarkRefundOverCap)
	r.cfg.reachedIf(out.Reason == ReasonNoBalance, MarkRefundNoBalance)
}

// refundID is the id of an intention at the PSP; after a clash the next one.
func (r *Receiver) refundID(consumer, reference string, rekeys int) pix.RefundID {
	reference = IntentionKey(consumer, reference)
	if rekeys > 0 {
		reference += "/" + strconv.Itoa(rekeys)
	}
	return pix.RefundID(r.cfg.NewID("refund", reference, refundIDLen))
}

func (r *Receiver) serveGetRefund(w http.ResponseWriter, req *http.Request, consumer string) {
	ref := RefundRef{Consumer: consumer, Reference: mux.Vars(req)["reference"]}
	found, err := r.store.FindRefunds(req.Context(), []RefundRef{ref})
	switch {
	case err != nil:
		unavailable(w, err)
	case found[0] == nil:
		notFound(r, w, req)
	default:
		writeJSON(w, http.StatusOK, refundAnswerOf(*found[0]))
	}
}

// refundSender carries the merchant's refunds to the PSP. A time-out is no
// answer: it asks before it repeats, and repeats under the same id only.
type refundSender struct{ r *Receiver }

func (s refundSender) Name() string { return "refunds" }
func (s refundSender) Queue() Queue { return QueueRefunds }

// RunOnce works through one batch of open refunds.
func (s refundSender) RunOnce(ctx context.Context) (Progress, error) {
	return settleOpen(ctx, s.r, 3, s.r.store.LeaseRefunds, s.settle)
}

// settle makes the next call about one refund and stores what it taught.
func (s refundSender) settle(ctx context.Context, x Refund) error {
	call := RefundCall{Ref: RefundRef{x.Consumer, x.Reference}, Version: x.Version, ID: x.ID}
	var wait time.Duration
	switch {
	case x.Clash:
		s.r.cfg.reached(MarkRefundRekeyed)
		call.NewID = s.r.refundID(x.Consumer, x.Reference, x.Rekeys+1)
	default:
		fate := s.carry(ctx, x)
		wait, call.Answered = fate.wait, fate.answered
		switch {
		case fate.refused:
			s.r.cfg.reached(MarkRefundRefused)
			call.Refused, call.Problem = true, string(fate.refusal.body)
		case fate.verdict == verdictDone:
			learn(x, fate.found, &call)
		}
	}
	now, err := s.r.now(ctx)
	if err != nil {
		return err
	}
	call.Now = now
	call.DueAt = now.Add(s.r.cfg.pause("refund:"+x.Reference, x.Attempts, wait))
	if x.Clash {
		call.DueAt = now
	}
	_, err = s.r.store.RecordRefunds(ctx, []RefundCall{call})
	return err
}

// carry makes the request, or asks what became of an earlier one. A refused first
// request ends the refund. A later one may be refused because an earlier one took
// effect: it ends the refund only once the last one that nobody has an answer of
// is longer ago than the PSP may hide its effect, and the PSP still knows nothing.
//
// The same holds of one that is answered "not found": the PSP does not know the
// Pix, at first perhaps not yet. A refund that it will never make must not hold
// its money, and be asked for, without end. Should the PSP have made it after
// all, its line of the statement is booked as the PSP's own.
func (s refundSender) carry(ctx context.Context, x Refund) callFate[pix.Refund] {
	return outCall[pix.Refund]{
		asks: x.Attempts > 1,
		ask: func(ctx context.Context) (pix.Refund, answer) {
			s.r.cfg.reachedIf(x.State == RefundReserved && x.Attempts > 1, MarkRefundAsked)
			return s.r.psp.getRefund(ctx, x.EndToEndID, x.ID)
		},
		send: func(ctx context.Context) (pix.Refund, answer) {
			s.r.cfg.reachedIf(x.Attempts > 1, MarkRefundRepeated)
			return s.r.psp.putRefund(ctx, x)
		},
		final: func(a answer) bool { return s.provesRefusal(ctx, x, a) },
		first: x.Attempts == 1,
	}.make(ctx)
}

// learn takes over what the PSP says of a refund. Another amount under our id
// is another's refund.
func learn(x Refund, d pix.Refund, call *RefundCall) {
	call.ReturnID, call.Status = d.ReturnID, d.Status
	if d.Amount != x.Amount {
		call.Status = StatusClash
	}
}

// StatusClash is our own word, in a [RefundCall], for a refund of another's under our id.
const StatusClash pix.RefundStatus = "CLASH"

// provesRefusal says whether a refused PUT ends the matter if the PSP knows no
// such refund then. One that says that the id is in use never does.
func (s refundSender) provesRefusal(ctx context.Context, x Refund, a answer) bool {
	if a.verdict == verdictRefused && idInUse(a.body) {
		return false
	}
	if x.Attempts == 1 {
		return a.verdict == verdictRefused
	}
	since := x.PriorCallAt
	if since.IsZero() { // every call so far was answered with a refusal
		since = x.FirstCallAt
	}
	now, err := s.r.now(ctx)
	return err == nil && now.Sub(since) >= s.r.cfg.ProofAfter
}

// idInUse says whether a refusal is about the id, not about the refund.
func idInUse(body []byte) bool {
	p, err := pix.ParseProblem(body)
	if err != nil {
		return true // not understood: no proof
	}
	for _, v := range p.Violations {
		if v.Property == "devolucao.id" || v.Property == "id" {
			return true
		}
	}
	return len(p.Violations) == 0
}

// contentOf is what a refund object of the API says.
func contentOf(id pix.EndToEndID, d pix.Refund) RefundContent {
	return RefundContent{
		EndToEndID: id, ID: d.ID, ReturnID: d.ReturnID, Amount: d.Amount, Nature: d.Nature, Status: d.Status,
	}
}
