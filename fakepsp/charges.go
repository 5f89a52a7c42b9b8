package fakepsp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// locationHost is where payloads of charges would be found.
const locationHost = "pix.example.com/qr/v2/"

// charge is one cob: its record now, what it was before, and its money.
type charge struct {
	now     chargeRecord
	earlier []chargeRecord // by revision; now is the one after the last
	paid    []pix.EndToEndID
	hiding  *hiding // nil where no fault hides it
}

// chargeRecord is what is kept of a revision. The rest of it follows from this,
// see [PSP.shown]; what few charges have stands apart.
type chargeRecord struct {
	TxID      pix.TxID
	CreatedAt time.Time
	ExpiresIn time.Duration
	Revision  int
	Status    pix.ChargeStatus
	Amount    pix.Amount
	PixKey    pix.PixKey
	more      *chargeMore // nil where the charge has none of it
}

// chargeMore is what a charge may have besides.
type chargeMore struct {
	debtor *pix.Debtor
	prompt string
	extra  []pix.ExtraInfo
}

// with is what is kept of c, the rest taken from an object as the API has it.
func (c chargeRecord) with(o pix.Charge) chargeRecord {
	c.ExpiresIn, c.Amount, c.PixKey, c.more = o.ExpiresIn, o.Amount, o.PixKey, nil
	if o.Debtor != nil || o.PayerPrompt != "" || len(o.Extra) > 0 {
		c.more = &chargeMore{o.Debtor, o.PayerPrompt, o.Extra}
	}
	return c
}

// object is c as the API has it, but for what [PSP.shown] adds.
func (c chargeRecord) object() pix.Charge {
	out := pix.Charge{
		TxID: c.TxID, CreatedAt: c.CreatedAt, ExpiresIn: c.ExpiresIn, Revision: c.Revision, Status: c.Status,
		Amount: c.Amount, PixKey: c.PixKey,
	}
	if c.more != nil {
		out.Debtor, out.PayerPrompt, out.Extra = c.more.debtor, c.more.prompt, c.more.extra
	}
	return out
}

// debtor is whom the charge is meant for, nil if that is not said.
func (c chargeRecord) debtor() *pix.Debtor {
	if c.more == nil {
		return nil
	}
	return c.more.debtor
}

// expiresAt is the last moment at which it may be paid.
func (c chargeRecord) expiresAt() time.Time { return c.CreatedAt.Add(c.ExpiresIn) }

// chargeBook holds the charges by id and in the order of their creation.
type chargeBook struct {
	byID   map[pix.TxID]*charge
	byTime []*charge // by (CreatedAt, TxID)
	made   int       // txids chosen by the PSP
}

func newChargeBook(room Room) chargeBook {
	return chargeBook{byID: make(map[pix.TxID]*charge, room.Pix), byTime: make([]*charge, 0, room.Pix)}
}

// find is nil for a txid that has no charge.
func (b *chargeBook) find(txid pix.TxID) *charge { return b.byID[txid] }

func (b *chargeBook) add(c *charge) {
	b.byID[c.now.TxID] = c
	at := sort.Search(len(b.byTime), func(i int) bool { return chargeAfter(&b.byTime[i].now, &c.now) })
	b.byTime = slices.Insert(b.byTime, at, c)
}

// span finds the charges created from from to to, both inclusive.
func (b *chargeBook) span(from, to time.Time) []*charge {
	lo := sort.Search(len(b.byTime), func(i int) bool { return !b.byTime[i].now.CreatedAt.Before(from) })
	hi := sort.Search(len(b.byTime), func(i int) bool { return b.byTime[i].now.CreatedAt.After(to) })
	return b.byTime[lo:max(lo, hi)]
}

// chargeAfter is the total order of GET /v2/cob: (criacao, txid).
func chargeAfter(a, b *chargeRecord) bool {
	if !a.CreatedAt.Equal(b.CreatedAt) {
		return a.CreatedAt.After(b.CreatedAt)
	}
	return a.TxID > b.TxID
}

// freshTxID is a txid of 32 characters that no charge has.
func (p *PSP) freshTxID() pix.TxID {
	for {
		p.charges.made++
		txid := pix.TxID(fmt.Sprintf("%s%024d", p.cfg.ISPB, p.charges.made))
		if p.charges.find(txid) == nil {
			return txid
		}
	}
}

// createCharge makes the charge that was asked for.
func (p *PSP) createCharge(txid pix.TxID, r pix.ChargeRequest, now time.Time) *charge {
	c := &charge{now: chargeRecord{
		TxID:      pix.TxID(strings.Clone(string(txid))), // not the whole URL that it was part of
		CreatedAt: now.UTC().Truncate(time.Millisecond),
		Status:    pix.ChargeActive,
	}}
	c.now = requested(c.now, r)
	p.charges.add(c)
	p.version++
	return c
}

// shown is a revision as the API shows it. Where its payload is found, and the
// code that says so, follow from the txid: they are made when somebody asks, and
// not kept.
func (p *PSP) shown(c chargeRecord) pix.Charge {
	out := c.object()
	out.Location = locationHost + payloadToken(p.cfg.ISPB, c.TxID)
	out.BRCode = pix.DynamicBRCode{URL: out.Location, Name: p.cfg.MerchantName, City: p.cfg.MerchantCity}.String()
	return out
}

// payloadToken is the part of a location that nobody is to guess.
func payloadToken(ispb string, txid pix.TxID) string {
	sum := sha256.Sum256([]byte(ispb + "/" + string(txid)))
	return hex.EncodeToString(sum[:16])
}

// requested is c after a PUT: every member that the request leaves out takes
// its default.
func requested(c chargeRecord, r pix.ChargeRequest) chargeRecord {
	asked := pix.Charge{
		ExpiresIn: r.ExpiresIn, Amount: r.Amount, PixKey: r.PixKey, Debtor: r.Debtor, PayerPrompt: r.PayerPrompt, Extra: r.Extra,
	}
	if asked.ExpiresIn == 0 {
		asked.ExpiresIn = pix.DefaultExpiry
	}
	return c.with(asked)
}

// patched is c after a PATCH: what is nil stays.
func patched(now chargeRecord, r pix.ChargePatch) chargeRecord {
	c := now.object()
	if r.ExpiresIn != nil {
		c.ExpiresIn = *r.ExpiresIn
	}
	if r.Amount != nil {
		c.Amount = *r.Amount
	}
	if r.PixKey != nil {
		c.PixKey = *r.PixKey
	}
	if r.Debtor != nil {
		c.Debtor = r.Debtor
	}
	if r.PayerPrompt != nil {
		c.PayerPrompt = *r.PayerPrompt
	}
	if r.Extra != nil {
		c.Extra = r.Extra
	}
	return now.with(c)
}

// sameTerms tells whether a and b ask the payer for the same.
func sameTerms(x, y chargeRecord) bool {
	a, b := x.object(), y.object()
	debtors := a.Debtor == b.Debtor || a.Debtor != nil && b.Debtor != nil && *a.Debtor == *b.Debtor
	return debtors && a.ExpiresIn == b.ExpiresIn && a.Amount == b.Amount && a.PixKey == b.PixKey &&
		a.PayerPrompt == b.PayerPrompt && slices.Equal(a.Extra, b.Extra)
}

// revise makes next the charge's present; what it was stays readable.
func (p *PSP) revise(c *charge, next chargeRecord) {
	c.earlier = append(c.earlier, c.now)
	next.Revision++
	c.now = next
	p.version++
}

// complete is the charge with its Pix, as CobCompleta shows it.
func (p *PSP) complete(c *charge) pix.Charge {
	out := p.shown(c.now)
	for _, id := range c.paid {
		if item, ok := p.truth.Payment(id); ok {
			out.Payments = append(out.Payments, item)
		}
	}
	return out
}
