package receiver

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"github.com/pixlab/pixlab/pix"
)

// The lengths of the txids we make, in characters: API Pix wants 26 to 35 on a
// dynamic charge, and a static code has room for 25.
const (
	dynamicTxIDLen = 32
	staticTxIDLen  = 25
)

// chargeRequest is the body of POST /charges.
type chargeRequest struct {
	Reference string     `json:"reference"`
	Kind      ChargeKind `json:"kind,omitempty"` // dynamic unless said
	// Amount is what is due; a static code may leave it out.
	Amount pix.Amount `json:"amount,omitempty"`
	// ExpiresInS is in seconds; a day unless said.
	ExpiresInS int64 `json:"expires_in_s,omitempty"`
	// TxID registers a charge that exists at the PSP already.
	TxID pix.TxID `json:"txid,omitempty"`
}

// chargeAnswer is a charge as the merchant sees it.
type chargeAnswer struct {
	Reference string      `json:"reference"`
	TxID      pix.TxID    `json:"txid"`
	Kind      ChargeKind  `json:"kind"`
	State     ChargeState `json:"state"`
	Amount    pix.Amount  `json:"amount"`
	Settled   pix.Amount  `json:"settled"`
	BRCode    string      `json:"br_code,omitempty"`
	Problem   string      `json:"problem,omitempty"`
}

func answerOf(c Charge) chargeAnswer {
	return chargeAnswer{
		Reference: c.Reference, TxID: c.TxID, Kind: c.Kind, State: c.State,
		Amount: c.Due, Settled: c.Settled, BRCode: c.BRCode, Problem: c.Problem,
	}
}

func (q chargeRequest) validate() error {
	switch {
	case q.Reference == "" || len(q.Reference) > 255:
		return fmt.Errorf("reference: want 1 to 255 characters")
	case q.Kind != ChargeDynamic && q.Kind != ChargeStatic:
		return fmt.Errorf("kind %q: want dynamic or static", q.Kind)
	case q.Kind == ChargeDynamic && q.Amount <= 0:
		return fmt.Errorf("amount: want more than zero")
	case q.Amount < 0 || q.ExpiresInS < 0:
		return fmt.Errorf("amount, expires_in_s: want no negative number")
	}
	return nil
}

// constant is a kind as the constant that it equals: what was read from a body
// would be kept once for each charge.
func (k ChargeKind) constant() ChargeKind {
	if k == ChargeStatic {
		return ChargeStatic
	}
	return ChargeDynamic
}

// serveCreateCharge stores the intention, calls the PSP and answers with what
// is known, see [NewCharge.Answer]. It is the one route that answers for a call
// of its own: until then the key is in flight, and repeats get 409.
func (r *Receiver) serveCreateCharge(w http.ResponseWriter, req *http.Request, k keyed) {
	q := chargeRequest{Kind: ChargeDynamic}
	if !k.read(w, &q) {
		return
	}
	o, err := r.createCharge(req.Context(), k, q)
	if err != nil {
		unavailable(w, err)
		return
	}
	r.answerKey(w, o.Key, answerOf(o.Charge))
}

func chargeStatus(c Charge) int {
	switch c.State {
	case ChargeIntended:
		return http.StatusAccepted
	case ChargeFailed:
		return http.StatusUnprocessableEntity
	}
	return http.StatusCreated
}

// createCharge stores intention and key, and commits; makes the call; and stores
// what it taught with the answer. A request whose key was taken from a dead one
// asks the PSP before it repeats anything.
func (r *Receiver) createCharge(ctx context.Context, k keyed, q chargeRequest) (CreateOutcome, error) {
	now, err := r.now(ctx)
	if err != nil {
		return CreateOutcome{}, err
	}
	outs, err := r.store.CreateCharges(ctx, []NewCharge{{Charge: r.intention(k.consumer, q, now), At: now, Key: &k.claim}})
	if err != nil {
		return CreateOutcome{}, err
	}
	o := outs[0]
	if o.Key.Result != KeyMine && o.Key.Result != KeyTakenOver {
		return o, nil
	}
	r.cfg.reachedIf(o.Key.Result == KeyTakenOver, MarkKeyTakenOver)
	hold := KeyHold{Ref: k.claim.Ref, Version: o.Key.Version}
	after, err := r.settleCall(ctx, o.Charge, !o.Created, &hold)
	if err != nil {
		r.release(ctx, hold)
		return CreateOutcome{}, err
	}
	return CreateOutcome{Charge: after.Charge, Key: after.Key}, nil
}

// intention is the charge as it is stored before anybody is called. The job
// that asks about open calls comes only after this request has had its time.
func (r *Receiver) intention(consumer string, q chargeRequest, now time.Time) Charge {
	c := Charge{
		Consumer: consumer, Reference: q.Reference, Kind: q.Kind.constant(), TxID: q.TxID, PixKey: r.cfg.PixKeys[0],
		Due: q.Amount, ExpiresIn: time.Duration(q.ExpiresInS) * time.Second,
		State: ChargeIntended, DueAt: now.Add(3 * r.cfg.CallTimeout),
	}
	n := dynamicTxIDLen
	if q.Kind == ChargeStatic {
		n, c.State, c.DueAt = staticTxIDLen, ChargeActive, time.Time{}
	} else if c.ExpiresIn == 0 {
		c.ExpiresIn = 24 * time.Hour
	}
	if c.TxID == "" {
		c.TxID = pix.TxID(r.cfg.NewID("txid", IntentionKey(consumer, q.Reference), n))
	}
	return c
}

// settleCall makes the call that an intended charge owes and stores what it
// taught. ask first looks what became of an earlier call: nothing is repeated
// before the PSP was asked. hold, where set, is the request's that waits for it.
func (r *Receiver) settleCall(ctx context.Context, c Charge, ask bool, hold *KeyHold) (CallOutcome, error) {
	fate := outCall[pix.Charge]{
		asks:  ask,
		ask:   func(ctx context.Context) (pix.Charge, answer) { return r.psp.getCharge(ctx, c.TxID) },
		send:  func(ctx context.Context) (pix.Charge, answer) { return r.psp.putCharge(ctx, c) },
		final: func(a answer) bool { return a.verdict == verdictRefused },
	}.make(ctx)
	now, err := r.now(ctx)
	if err != nil {
		return CallOutcome{}, err
	}
	call := ChargeCall{Ref: ChargeRef{c.Consumer, c.Reference}}
	if hold != nil {
		hold.At, call.Key = now, hold
	}
	switch made := fate.found; {
	case fate.verdict == verdictDone:
		call.State, call.CreatedAt, call.BRCode = ChargeActive, made.CreatedAt, made.BRCode
		if made.Status == pix.ChargeRemovedByMerchant || made.Status == pix.ChargeRemovedByPSP {
			call.State = ChargeRemoved
		}
	case fate.refused:
		call.State, call.Problem = ChargeFailed, string(fate.refusal.body)
	default:
		call.DueAt = now.Add(r.cfg.pause("charge:"+c.Reference, c.Attempts+1, fate.wait))
	}
	after, err := r.store.RecordCalls(ctx, []ChargeCall{call})
	if err != nil {
		return CallOutcome{}, err
	}
	return after[0], nil
}

func (r *Receiver) serveGetCharge(w http.ResponseWriter, req *http.Request, consumer string) {
	c, err := r.findCharge(req, consumer)
	switch {
	case err != nil:
		unavailable(w, err)
	case c == nil:
		notFound(r, w, req)
	default:
		writeJSON(w, http.StatusOK, answerOf(*c))
	}
}

func (r *Receiver) findCharge(req *http.Request, consumer string) (*Charge, error) {
	ref := ChargeRef{Consumer: consumer, Reference: mux.Vars(req)["reference"]}
	found, err := r.store.FindCharges(req.Context(), []ChargeRef{ref})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// serveRemoveCharge takes a charge back: 200 removed, 409 paid or never made,
// 503 not known yet. Removing is idempotent at the PSP, so the caller repeats.
func (r *Receiver) serveRemoveCharge(w http.ResponseWriter, req *http.Request, consumer string) {
	c, err := r.findCharge(req, consumer)
	if err != nil {
		unavailable(w, err)
		return
	}
	if c == nil || c.Kind == ChargeStatic {
		notFound(r, w, req)
		return
	}
	if c.State == ChargeRemoved {
		writeJSON(w, http.StatusOK, answerOf(*c))
		return
	}
	switch a := r.psp.removeCharge(req.Context(), c.TxID); a.verdict {
	case verdictDone:
		r.recordRemoval(w, req, *c)
	case verdictRefused, verdictAbsent:
		refuse(w, http.StatusConflict, pix.ProblemChargeInvalid, "the PSP does not remove it: "+string(a.body))
	default:
		unavailable(w, a.Err())
	}
}

func (r *Receiver) recordRemoval(w http.ResponseWriter, req *http.Request, c Charge) {
	after, err := r.store.RecordCalls(req.Context(), []ChargeCall{{
		Ref: ChargeRef{c.Consumer, c.Reference}, State: ChargeRemoved,
	}})
	if err != nil {
		unavailable(w, err)
		return
	}
	writeJSON(w, http.StatusOK, answerOf(after[0].Charge))
}

// chargeSender finds out what became of calls whose answer never came.
type chargeSender struct{ r *Receiver }

func (s chargeSender) Name() string { return "charges" }
func (s chargeSender) Queue() Queue { return QueueCharges }

// RunOnce asks about one batch of open charges.
func (s chargeSender) RunOnce(ctx context.Context) (Progress, error) {
	return settleOpen(ctx, s.r, 3, s.r.store.LeaseCharges, func(ctx context.Context, c Charge) error {
		_, err := s.r.settleCall(ctx, c, true, nil)
		return err
	})
}
