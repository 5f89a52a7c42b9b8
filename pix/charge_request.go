package pix

import (
	"errors"
	"fmt"
	"time"
)

// ChargeRequest is CobSolicitada, the body of PUT /v2/cob/{txid} and
// POST /v2/cob. Of the standard's optional parts loc, valor.retirada and
// valor.modalidadeAlteracao are not offered.
type ChargeRequest struct {
	ExpiresIn   time.Duration // calendario.expiracao, whole seconds; 0 means not given
	Amount      Amount        // valor.original, more than 0.00
	PixKey      PixKey        // chave
	Debtor      *Debtor       // devedor, nil if none
	PayerPrompt string        // solicitacaoPagador, at most 140 characters
	Extra       []ExtraInfo   // infoAdicionais, at most 50
}

// ChargePatch is CobRevisada, the body of PATCH /v2/cob/{txid}. What is nil is
// left as it is; an Extra that is empty but not nil takes the list away.
type ChargePatch struct {
	ExpiresIn   *time.Duration
	Amount      *Amount
	PixKey      *PixKey
	Debtor      *Debtor
	PayerPrompt *string
	Extra       []ExtraInfo
	Status      *ChargeStatus // ChargeRemovedByMerchant is the one value allowed
}

var errNotOffered = errors.New("not offered by this PSP")

// ParseChargeRequest reads the body of a charge request and validates it. The
// request is good if there are no violations.
func ParseChargeRequest(body []byte) (ChargeRequest, []Violation) {
	p, found := readChargePatch(body, true)
	if len(found) == 0 {
		found = p.Validate()
	}
	if len(found) > 0 {
		return ChargeRequest{}, found
	}
	return p.request(), nil
}

// ParseChargePatch is ParseChargeRequest for a change of a charge.
func ParseChargePatch(body []byte) (ChargePatch, []Violation) {
	p, found := readChargePatch(body, false)
	if len(found) == 0 {
		found = p.Validate()
	}
	if len(found) > 0 {
		return ChargePatch{}, found
	}
	return p, nil
}

// Validate lists what is wrong with r by itself, under properties "cob.…" as
// the standard writes them. Whether chave is the merchant's and whether the
// charge may be altered need the PSP's state and are not looked at here.
func (r ChargeRequest) Validate() []Violation {
	return r.patch().Validate()
}

// Validate is ChargeRequest.Validate for the members that are given. Taking a
// charge away together with other changes is refused by the PSP, which knows
// whether they change anything.
func (p ChargePatch) Validate() []Violation {
	c := check{at: "cob."}
	if p.ExpiresIn != nil {
		c.expiry(*p.ExpiresIn)
	}
	if p.Amount != nil {
		c.money("valor.original", *p.Amount)
	}
	if p.PixKey != nil {
		c.pixKey("chave", *p.PixKey)
	}
	if p.Debtor != nil {
		c.debtor(*p.Debtor)
	}
	if p.PayerPrompt != nil {
		c.length("solicitacaoPagador", *p.PayerPrompt, 140)
	}
	c.extra(p.Extra)
	if p.Status != nil && *p.Status != ChargeRemovedByMerchant {
		c.add("status", string(*p.Status), "want "+string(ChargeRemovedByMerchant))
	}
	return c.list
}

func (c *check) expiry(d time.Duration) {
	const most = time.Duration(1<<31-1) * time.Second
	if d <= 0 || d > most || d%time.Second != 0 {
		c.add("calendario.expiracao", d.String(), "want whole seconds, 1 to 2147483647")
	}
}

func (c *check) debtor(d Debtor) {
	switch {
	case (d.CPF == "") == (d.CNPJ == ""):
		c.add("devedor", d.CPF+d.CNPJ, "want one of cpf and cnpj")
	case d.CPF != "" && (len(d.CPF) != 11 || !digits(d.CPF)):
		c.add("devedor.cpf", d.CPF, "want 11 digits")
	case d.CNPJ != "" && (len(d.CNPJ) != 14 || !upperAlnum(d.CNPJ)):
		c.add("devedor.cnpj", d.CNPJ, "want 14 of [0-9A-Z]")
	}
	c.filled("devedor.nome", d.Name, 200)
}

func (c *check) extra(list []ExtraInfo) {
	if len(list) > 50 {
		c.add("infoAdicionais", "", fmt.Sprintf("%d items, want at most 50", len(list)))
	}
	for i, x := range list {
		c.filled(fmt.Sprintf("infoAdicionais[%d].nome", i), x.Name, 50)
		c.filled(fmt.Sprintf("infoAdicionais[%d].valor", i), x.Value, 200)
	}
}

// MarshalJSON writes r under the names of the standard. calendario is always
// there, since the standard requires it, and empty where no expiry is given.
func (r ChargeRequest) MarshalJSON() ([]byte, error) {
	if err := carried("cob", r.Amount); err != nil {
		return nil, err
	}
	var w jsonWriter
	w.open("", '{')
	w.open("calendario", '{')
	if r.ExpiresIn != 0 {
		w.int("expiracao", int64(r.ExpiresIn/time.Second))
	}
	w.closing('}')
	w.changes(r.patch())
	w.closing('}')
	return w.b, nil
}

// MarshalJSON writes p under the names of the standard, what is nil left out.
func (p ChargePatch) MarshalJSON() ([]byte, error) {
	if p.Amount != nil {
		if err := carried("cob", *p.Amount); err != nil {
			return nil, err
		}
	}
	var w jsonWriter
	w.open("", '{')
	if p.ExpiresIn != nil {
		w.open("calendario", '{')
		w.int("expiracao", int64(*p.ExpiresIn/time.Second))
		w.closing('}')
	}
	w.changes(p)
	if p.Status != nil {
		w.text("status", string(*p.Status))
	}
	w.closing('}')
	return w.b, nil
}

// changes writes what requests and patches share, all but calendario.
func (w *jsonWriter) changes(p ChargePatch) {
	w.debtor(p.Debtor)
	if p.Amount != nil {
		w.original(*p.Amount)
	}
	if p.PixKey != nil {
		w.text("chave", string(*p.PixKey))
	}
	if p.PayerPrompt != nil {
		w.text("solicitacaoPagador", *p.PayerPrompt)
	}
	if p.Extra != nil {
		w.extra(p.Extra)
	}
}

// UnmarshalJSON reads r from JSON. It fails for what r cannot hold, an
// explicit expiry of 0 included; Validate says the rest.
func (r *ChargeRequest) UnmarshalJSON(raw []byte) error {
	p, found := readChargePatch(raw, true)
	c := check{at: "cob.", list: found}
	if p.ExpiresIn != nil {
		c.expiry(*p.ExpiresIn)
	}
	if err := (&finding{list: c.list}).err(); err != nil {
		return fmt.Errorf("read cob request: %w", err)
	}
	*r = p.request()
	return nil
}

// UnmarshalJSON reads p from JSON. It fails for what p cannot hold.
func (p *ChargePatch) UnmarshalJSON(raw []byte) error {
	got, found := readChargePatch(raw, false)
	if err := (&finding{list: found}).err(); err != nil {
		return fmt.Errorf("read cob change: %w", err)
	}
	*p = got
	return nil
}

// readChargePatch reads either body. In a whole request valor and chave are
// required, and status is no member.
func readChargePatch(body []byte, whole bool) (ChargePatch, []Violation) {
	var p ChargePatch
	var f finding
	m := [...]member{
		{name: "calendario"}, {name: "valor"}, {name: "chave"}, {name: "devedor"},
		{name: "solicitacaoPagador"}, {name: "infoAdicionais"}, {name: "status"}, {name: "loc"},
	}
	if valid(body) != nil || !readMembers(body, m[:]) {
		f.add(member{name: "cob", raw: body}, errNotObject)
		return p, f.list
	}
	f.at = "cob."
	p.ExpiresIn = readExpiry(&f, m[0])
	p.Amount = readChargeAmount(&f, m[1], whole)
	if whole {
		p.PixKey = new(required(&f, m[2], asFreeKey))
	} else {
		p.PixKey = given(&f, m[2], asFreeKey)
		p.Status = given(&f, m[6], asFreeStatus)
	}
	p.Debtor = readDebtor(&f, m[3])
	p.PayerPrompt = given(&f, m[4], asText)
	p.Extra = readExtra(&f, m[5])
	f.refuse(m[7])
	return p, f.list
}

func readExpiry(f *finding, at member) (d *time.Duration) {
	m := [...]member{{name: "expiracao"}}
	f.within(at, m[:], func() { d = given(f, m[0], asSeconds) })
	return d
}

func readChargeAmount(f *finding, at member, whole bool) (a *Amount) {
	if at.absent() && whole {
		f.add(at, errMissing)
	}
	m := [...]member{{name: "original"}, {name: "modalidadeAlteracao"}, {name: "retirada"}}
	f.within(at, m[:], func() {
		if whole {
			a = new(required(f, m[0], asAmount))
		} else {
			a = given(f, m[0], asAmount)
		}
		if string(m[1].raw) != "0" {
			f.refuse(m[1])
		}
		f.refuse(m[2])
	})
	return a
}

// refuse finds fault with a member that is there at all.
func (f *finding) refuse(m member) {
	if !m.absent() {
		f.add(m, errNotOffered)
	}
}

// asFreeKey and asFreeStatus take any text: its form is for Validate.

func asFreeKey(m member) (PixKey, error) {
	s, err := m.text()
	return PixKey(s), err
}

func asFreeStatus(m member) (ChargeStatus, error) {
	s, err := m.text()
	return ChargeStatus(s), err
}

// patch is r as a change that gives every member r has.
func (r ChargeRequest) patch() ChargePatch {
	p := ChargePatch{Amount: &r.Amount, PixKey: &r.PixKey, Debtor: r.Debtor, Extra: r.Extra}
	if r.ExpiresIn != 0 {
		p.ExpiresIn = &r.ExpiresIn
	}
	if r.PayerPrompt != "" {
		p.PayerPrompt = &r.PayerPrompt
	}
	return p
}

// request is the other way round, for a p read as a whole request.
func (p ChargePatch) request() ChargeRequest {
	r := ChargeRequest{Debtor: p.Debtor, Extra: p.Extra}
	if p.Amount != nil {
		r.Amount = *p.Amount
	}
	if p.PixKey != nil {
		r.PixKey = *p.PixKey
	}
	if p.ExpiresIn != nil {
		r.ExpiresIn = *p.ExpiresIn
	}
	if p.PayerPrompt != nil {
		r.PayerPrompt = *p.PayerPrompt
	}
	return r
}
