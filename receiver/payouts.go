package receiver

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"github.com/pixlab/pixlab/pix"
)

// payoutKeyLen is the length of the keys that we choose, in characters.
const payoutKeyLen = 32

// payoutRequest is the body of POST /payouts.
type payoutRequest struct {
	Reference string     `json:"reference"`
	PixKey    pix.PixKey `json:"pix_key"`
	Amount    pix.Amount `json:"amount"`
}

// payoutAnswer is a payout as the merchant sees it.
type payoutAnswer struct {
	Reference  string         `json:"reference"`
	PixKey     pix.PixKey     `json:"pix_key"`
	Amount     pix.Amount     `json:"amount"`
	EndToEndID pix.EndToEndID `json:"endToEndId,omitempty"`
	State      PayoutState    `json:"state"`
	// Queued says that a person looks after it.
	Queued   bool       `json:"queued,omitempty"`
	Returned pix.Amount `json:"returned"`
	Problem  string     `json:"problem,omitempty"`
}

func payoutAnswerOf(p Payout) payoutAnswer {
	return payoutAnswer{
		Reference: p.Reference, PixKey: p.PixKey, Amount: p.Amount, EndToEndID: p.EndToEndID,
		State: p.State, Queued: p.Queued, Returned: p.Returned(), Problem: p.Problem,
	}
}

func (q payoutRequest) validate() error {
	if q.Reference == "" || len(q.Reference) > 255 {
		return errors.New("reference: want 1 to 255 characters")
	}
	if q.Amount <= 0 {
		return errors.New("amount: want more than zero")
	}
	_, err := pix.ParsePixKey(string(q.PixKey))
	return err
}

// serveCreatePayout stores intention, key and answer in one transaction and takes
// the money aside, see [NewPayout.Answer]; the sender does the rest.
func (r *Receiver) serveCreatePayout(w http.ResponseWriter, req *http.Request, k keyed) {
	var q payoutRequest
	if !k.read(w, &q) {
		return
	}
	now, err := r.now(req.Context())
	if err != nil {
		unavailable(w, err)
		return
	}
	outs, err := r.store.ReservePayouts(req.Context(), []NewPayout{{At: now, Key: &k.claim, Payout: Payout{
		Consumer: k.consumer, Reference: q.Reference, PixKey: q.PixKey, Amount: q.Amount,
		Key: r.cfg.NewID("payout", IntentionKey(k.consumer, q.Reference), payoutKeyLen), DueAt: now,
	}}})
	if err != nil {
		unavailable(w, err)
		return
	}
	r.answerKey(w, outs[0].Key, payoutAnswerOf(outs[0].Payout))
}

// Answer is what the request that wanted this payout gets: 202 accepted, 422
// refused or another payout's reference.
func (n NewPayout) Answer(o ReservePayoutOutcome) Answer {
	if o.Result == ReserveKnown && (o.Payout.PixKey != n.Payout.PixKey || o.Payout.Amount != n.Payout.Amount) {
		o = ReservePayoutOutcome{Result: ReserveRefused, Reason: ReasonOtherPayout}
	}
	if o.Result == ReserveRefused {
		return problemAnswer(http.StatusUnprocessableEntity, pix.ProblemInvalidRequest, o.Reason)
	}
	return jsonAnswer(http.StatusAccepted, payoutAnswerOf(o.Payout))
}

// Conclude ends a claim on a new payout whose row is next: intention, key and
// answer are one.
func (n NewPayout) Conclude(o ReservePayoutOutcome, next Key) (ReservePayoutOutcome, Key) {
	a := n.Answer(o)
	o.Key.Result, o.Key.Answer = KeyDone, a
	reference := ""
	if a.Status < 300 {
		reference = o.Payout.Reference
	}
	return o, next.Done(a, reference, n.At)
}

func (r *Receiver) serveGetPayout(w http.ResponseWriter, req *http.Request, consumer string) {
	ref := PayoutRef{Consumer: consumer, Reference: mux.Vars(req)["reference"]}
	found, err := r.store.FindPayouts(req.Context(), []PayoutRef{ref})
	switch {
	case err != nil:
		unavailable(w, err)
	case found[0] == nil:
		notFound(r, w, req)
	default:
		writeJSON(w, http.StatusOK, payoutAnswerOf(*found[0]))
	}
}

// payoutSender carries payouts to the PSP, and asks what became of them for as
// long as that is not known. It sends a payout Config.PayoutAttempts times at
// most, and only while the PSP remembers its key; then the payout waits in the
// conciliation queue for a person, asked about all the same.
type payoutSender struct{ r *Receiver }

func (s payoutSender) Name() string { return "payouts" }
func (s payoutSender) Queue() Queue { return QueuePayouts }

// RunOnce works through one batch of open payouts.
func (s payoutSender) RunOnce(ctx context.Context) (Progress, error) {
	return settleOpen(ctx, s.r, 4, s.r.store.LeasePayouts, s.settle)
}

// settle makes the next call about one payout and stores what it taught.
func (s payoutSender) settle(ctx context.Context, x Payout) error {
	now, err := s.r.now(ctx)
	if err != nil {
		return err
	}
	call := PayoutCall{Ref: PayoutRef{x.Consumer, x.Reference}, Version: x.Version}
	sendable := x.State == PayoutReserved && !x.Queued && s.keyHolds(x, now)
	if sendable && s.r.cfg.PayoutLookup && x.EndToEndID == "" {
		if x, err = s.lookUp(ctx, x, call); err != nil {
			return err
		}
		if x.EndToEndID == "" {
			sendable = x.Attempts > 1 // nothing to send with: at most asked
		}
	}
	fate := s.carry(ctx, x, sendable)
	if call.Now, err = s.r.now(ctx); err != nil {
		return err
	}
	s.learn(x, fate, sendable, &call)
	_, err = s.r.store.RecordPayouts(ctx, []PayoutCall{call})
	return err
}

// keyHolds says whether a request that leaves now reaches a PSP that still
// remembers the payout's key, if it ever had it.
func (s payoutSender) keyHolds(x Payout, now time.Time) bool {
	return x.PriorCallAt.IsZero() || now.Add(s.r.cfg.CallTimeout).Before(x.FirstCallAt.Add(s.r.cfg.PayoutKeyTTL))
}

// lookUp gets the endToEndId from a PSP that hands it out before, and stores it
// before anything is sent under it.
func (s payoutSender) lookUp(ctx context.Context, x Payout, call PayoutCall) (Payout, error) {
	found, a := s.r.psp.lookUpPayee(ctx, x.PixKey)
	if a.verdict != verdictDone {
		return x, nil
	}
	var err error
	call.LookedUp, call.EndToEndID = true, found.EndToEndID
	if call.Now, err = s.r.now(ctx); err != nil {
		return x, err
	}
	after, err := s.r.store.RecordPayouts(ctx, []PayoutCall{call})
	if err == nil && after[0].Version == x.Version {
		x = after[0]
	}
	return x, err
}

func (s payoutSender) carry(ctx context.Context, x Payout, sendable bool) callFate[pix.Payout] {
	return outCall[pix.Payout]{
		asks: !sendable || x.Attempts > 1 || !x.PriorCallAt.IsZero(), only: !sendable, first: x.PriorCallAt.IsZero(),
		ask: func(ctx context.Context) (pix.Payout, answer) {
			s.r.cfg.reachedIf(x.State == PayoutReserved && !x.PriorCallAt.IsZero(), MarkPayoutAsked)
			return s.r.psp.getPayout(ctx, x.Key)
		},
		send: func(ctx context.Context) (pix.Payout, answer) {
			s.r.cfg.reachedIf(!x.PriorCallAt.IsZero(), MarkPayoutRepeated)
			return s.r.psp.postPayout(ctx, x)
		},
		final: func(a answer) bool {
			return a.verdict == verdictRefused && !keyInUse(a.body) && x.PriorCallAt.IsZero()
		},
	}.make(ctx)
}

// learn takes over what came of a call.
func (s payoutSender) learn(x Payout, f callFate[pix.Payout], sendable bool, call *PayoutCall) {
	cfg := &s.r.cfg
	call.Answered = f.answered
	call.DueAt = call.Now.Add(max(cfg.AskEvery, whole(call.Now.Sub(x.RequestedAt)/8)))
	switch {
	case f.verdict == verdictDone && f.found.Key == x.Key:
		call.EndToEndID, call.Status, call.Problem = f.found.EndToEndID, f.found.Status, f.found.Reason
		return
	case f.refused:
		call.Refused, call.Problem = true, string(f.refusal.body)
		return
	case f.refusal != nil && f.refusal.verdict == verdictRefused && !keyInUse(f.refusal.body):
		call.RefusedAt, call.Problem = call.Now, string(f.refusal.body)
	case !sendable && f.verdict == verdictAbsent && s.neverMade(x, call.Now):
		call.Refused, call.Problem = true, x.Problem
		return
	}
	switch {
	case x.State != PayoutReserved || x.Queued:
	case x.Attempts >= cfg.PayoutAttempts:
		call.Queue = true
	case !s.keyHolds(x, call.Now):
		cfg.reached(MarkPayoutKeyOver)
		call.Queue = true
	default:
		call.DueAt = call.Now.Add(cfg.retryPause("payout:"+x.Reference, x.Attempts, f.wait))
	}
}

// neverMade says whether a payout that the PSP does not know, and whose repeat it
// refused, was never made: the last call that could have taken effect is longer
// ago than the PSP hides anything.
func (s payoutSender) neverMade(x Payout, now time.Time) bool {
	return !x.RefusedAt.IsZero() && now.Sub(x.LastCallAt) >= s.r.cfg.ProofAfter
}

// keyInUse says whether a refusal is about the key, not about the payout: the PSP
// has something under it, which is the opposite of a proof.
func keyInUse(body []byte) bool {
	p, err := pix.ParseProblem(body)
	if err != nil {
		return false
	}
	for _, v := range p.Violations {
		if v.Property == "Idempotency-Key" {
			return true
		}
	}
	return false
}

func (p pspClient) postPayout(ctx context.Context, x Payout) (pix.Payout, answer) {
	body := pix.PayoutRequest{Amount: x.Amount, PixKey: x.PixKey}
	if p.cfg.PayoutLookup {
		body.EndToEndID = x.EndToEndID
	}
	return decode[pix.Payout](p.doKeyed(ctx, http.MethodPost, "/pagamentos/pix", x.Key, body))
}

func (p pspClient) getPayout(ctx context.Context, key string) (pix.Payout, answer) {
	return decode[pix.Payout](p.do(ctx, http.MethodGet, "/pagamentos/pix/chave-idempotencia/"+url.PathEscape(key), nil))
}

func (p pspClient) getPayoutByID(ctx context.Context, id pix.EndToEndID) (pix.Payout, answer) {
	return decode[pix.Payout](p.do(ctx, http.MethodGet, "/pagamentos/pix/"+url.PathEscape(string(id)), nil))
}

func (p pspClient) lookUpPayee(ctx context.Context, key pix.PixKey) (pix.PayeeLookup, answer) {
	return decode[pix.PayeeLookup](p.do(ctx, http.MethodGet, "/pagamentos/chaves/"+url.PathEscape(string(key)), nil))
}
