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
	now     pix.Charge   // without Payments, Location and BRCode: see [PSP.shown]
	earlier []pix.Charge // by revision; now is the one after the last
	paid    []pix.EndToEndID
	hiding  *hiding // nil where no fault hides it
}

// chargeBook holds the charges by id and in the order of their creation.
type chargeBook struct {
	byID   map[pix.TxID]*charge
	byTime []*charge // by (CreatedAt, TxID)
	made   int       // txids chosen by the PSP
}

func newChargeBook() chargeBook { return chargeBook{byID: map[pix.TxID]*charge{}} }

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
func chargeAfter(a, b *pix.Charge) bool {
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
	c := &charge{now: pix.Charge{
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
func (p *PSP) shown(c pix.Charge) pix.Charge {
	c.Location = locationHost + payloadToken(p.cfg.ISPB, c.TxID)
	c.BRCode = pix.DynamicBRCode{URL: c.Location, Name: p.cfg.MerchantName, City: p.cfg.MerchantCity}.String()
	return c
}

// payloadToken is the part of a location that nobody is to guess.
func payloadToken(ispb string, txid pix.TxID) string {
	sum := sha256.Sum256([]byte(ispb + "/" + string(txid)))
	return hex.EncodeToString(sum[:16])
}

// requested is c after a PUT: every member that the request leaves out takes
// its default.
func requested(c pix.Charge, r pix.ChargeRequest) pix.Charge {
	c.ExpiresIn = r.ExpiresIn
	if c.ExpiresIn == 0 {
		c.ExpiresIn = pix.DefaultExpiry
	}
	c.Amount, c.PixKey, c.Debtor = r.Amount, r.PixKey, r.Debtor
	c.PayerPrompt, c.Extra = r.PayerPrompt, r.Extra
	return c
}

// patched is c after a PATCH: what is nil stays.
func patched(c pix.Charge, r pix.ChargePatch) pix.Charge {
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
	return c
}

// sameTerms tells whether a and b ask the payer for the same.
func sameTerms(a, b pix.Charge) bool {
	debtors := a.Debtor == b.Debtor || a.Debtor != nil && b.Debtor != nil && *a.Debtor == *b.Debtor
	return debtors && a.ExpiresIn == b.ExpiresIn && a.Amount == b.Amount && a.PixKey == b.PixKey &&
		a.PayerPrompt == b.PayerPrompt && slices.Equal(a.Extra, b.Extra)
}

// revise makes next the charge's present; what it was stays readable.
func (p *PSP) revise(c *charge, next pix.Charge) {
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
