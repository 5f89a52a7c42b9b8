package pix

import (
	"fmt"
	"time"
)

// DefaultExpiry is how long a charge may be paid where calendario.expiracao
// is not given: 86400 seconds.
const DefaultExpiry = 24 * time.Hour

// ChargeStatus is the state of the record of a charge, not of the debt. There
// is no word for an expired charge: it stays ATIVA.
type ChargeStatus string

// The states of a charge in API Pix 2.9.
const (
	ChargeActive            ChargeStatus = "ATIVA"
	ChargeCompleted         ChargeStatus = "CONCLUIDA" // paid; stays so when refunded
	ChargeRemovedByMerchant ChargeStatus = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
	ChargeRemovedByPSP      ChargeStatus = "REMOVIDA_PELO_PSP"
)

// Debtor (devedor) is who the charge is meant for; who pays may be another.
// Exactly one of CPF and CNPJ is set.
type Debtor struct {
	CPF  string // 11 digits
	CNPJ string // 14 of [0-9A-Z]
	Name string // nome, 1 to 200 characters
}

// ExtraInfo is one of a charge's infoAdicionais, shown to the payer.
type ExtraInfo struct {
	Name  string // nome, 1 to 50 characters
	Value string // valor, 1 to 200 characters
}

// Charge is a cob, an immediate charge, as the PSP answers it: CobGerada, and
// CobCompleta where Payments are told.
type Charge struct {
	TxID        TxID          // txid, 26 to 35
	CreatedAt   time.Time     // calendario.criacao
	ExpiresIn   time.Duration // calendario.expiracao, whole seconds from CreatedAt
	Revision    int           // revisao, 0 at first and one more for each change
	Status      ChargeStatus  // status as sent
	Amount      Amount        // valor.original
	PixKey      PixKey        // chave
	Debtor      *Debtor       // devedor, nil if none
	PayerPrompt string        // solicitacaoPagador
	Extra       []ExtraInfo   // infoAdicionais
	Location    string        // location of the payload, without scheme
	BRCode      string        // pixCopiaECola
	Payments    []Payment     // pix
}

// ExpiresAt is the last moment at which c may be paid. A Pix at that very
// moment is in time: the standard calls a charge expired once now is later.
func (c Charge) ExpiresAt() time.Time { return c.CreatedAt.Add(c.ExpiresIn) }

// MarshalJSON writes c under the names of the standard, absent members left
// out. It is an error if an amount is outside what the wire can carry.
func (c Charge) MarshalJSON() ([]byte, error) {
	if err := c.carried(); err != nil {
		return nil, err
	}
	w := jsonWriter{b: make([]byte, 0, 640+512*len(c.Payments))}
	w.charge(c)
	return w.b, nil
}

func (c Charge) carried() error {
	if err := carried("cob "+string(c.TxID), c.Amount); err != nil {
		return err
	}
	for _, p := range c.Payments {
		if err := p.carried(); err != nil {
			return err
		}
	}
	return nil
}

func (w *jsonWriter) charge(c Charge) {
	w.open("", '{')
	w.open("calendario", '{')
	w.time("criacao", c.CreatedAt)
	w.int("expiracao", int64(c.ExpiresIn/time.Second))
	w.closing('}')
	w.text("txid", string(c.TxID))
	w.int("revisao", int64(c.Revision))
	w.optText("location", c.Location)
	w.text("status", string(c.Status))
	w.debtor(c.Debtor)
	w.original(c.Amount)
	w.text("chave", string(c.PixKey))
	w.optText("solicitacaoPagador", c.PayerPrompt)
	if len(c.Extra) > 0 {
		w.extra(c.Extra)
	}
	w.optText("pixCopiaECola", c.BRCode)
	if len(c.Payments) > 0 {
		w.open("pix", '[')
		for _, p := range c.Payments {
			w.payment(p)
		}
		w.closing(']')
	}
	w.closing('}')
}

func (w *jsonWriter) debtor(d *Debtor) {
	if d == nil {
		return
	}
	w.open("devedor", '{')
	w.optText("cpf", d.CPF)
	w.optText("cnpj", d.CNPJ)
	w.text("nome", d.Name)
	w.closing('}')
}

func (w *jsonWriter) original(a Amount) {
	w.open("valor", '{')
	w.amount("original", a)
	w.closing('}')
}

func (w *jsonWriter) extra(list []ExtraInfo) {
	w.open("infoAdicionais", '[')
	for _, x := range list {
		w.open("", '{')
		w.text("nome", x.Name)
		w.text("valor", x.Value)
		w.closing('}')
	}
	w.closing(']')
}

// UnmarshalJSON reads c from a PSP's answer. txid, calendario.criacao, status,
// valor.original and chave are required; a missing expiracao is DefaultExpiry
// and a missing revisao 0. Members not held by Charge are skipped, and words
// of status kept as they are.
func (c *Charge) UnmarshalJSON(raw []byte) error {
	if err := valid(raw); err != nil {
		return fmt.Errorf("read cob: %w", err)
	}
	var f finding
	got := readCharge(&f, member{name: "cob", raw: raw})
	if err := f.err(); err != nil {
		return fmt.Errorf("read cob: %w", err)
	}
	*c = got
	return nil
}

func readCharge(f *finding, at member) (c Charge) {
	m := [...]member{
		{name: "txid"}, {name: "calendario"}, {name: "revisao"}, {name: "status"},
		{name: "valor"}, {name: "chave"}, {name: "devedor"}, {name: "solicitacaoPagador"},
		{name: "infoAdicionais"}, {name: "location"}, {name: "pixCopiaECola"}, {name: "pix"},
	}
	if at.absent() {
		f.add(at, errNotObject)
		return c
	}
	f.within(at, m[:], func() {
		c.TxID = required(f, m[0], asChargeTxID)
		c.CreatedAt, c.ExpiresIn = readCalendar(f, m[1])
		c.Revision = optional(f, m[2], asInt)
		c.Status = required(f, m[3], asChargeStatus)
		c.Amount = readOriginal(f, m[4])
		c.PixKey = required(f, m[5], asPixKey)
		c.Debtor = readDebtor(f, m[6])
		c.PayerPrompt = optional(f, m[7], asNote)
		c.Extra = readExtra(f, m[8])
		c.Location = optional(f, m[9], asText)
		c.BRCode = optional(f, m[10], asText)
		c.Payments = readPayments(f, m[11])
	})
	return c
}

func readCalendar(f *finding, at member) (created time.Time, expires time.Duration) {
	if at.absent() {
		f.add(at, errMissing)
		return created, 0
	}
	m := [...]member{{name: "criacao"}, {name: "expiracao"}}
	expires = DefaultExpiry
	f.within(at, m[:], func() {
		created = required(f, m[0], asTime)
		if !m[1].absent() {
			expires = optional(f, m[1], asSeconds)
		}
	})
	return created, expires
}

func readOriginal(f *finding, at member) (a Amount) {
	if at.absent() {
		f.add(at, errMissing)
		return 0
	}
	m := [...]member{{name: "original"}}
	f.within(at, m[:], func() { a = required(f, m[0], asAmount) })
	return a
}

func readDebtor(f *finding, at member) *Debtor {
	if at.absent() {
		return nil
	}
	var d Debtor
	m := [...]member{{name: "cpf"}, {name: "cnpj"}, {name: "nome"}}
	f.within(at, m[:], func() {
		d.CPF = optional(f, m[0], asText)
		d.CNPJ = optional(f, m[1], asText)
		d.Name = optional(f, m[2], asNote)
	})
	return &d
}

// readExtra keeps an empty array apart from an absent one: in a change it
// takes the list away.
func readExtra(f *finding, at member) []ExtraInfo {
	if at.absent() {
		return nil
	}
	if at.clash || at.raw[0] != '[' {
		f.add(at, errNotList)
		return nil
	}
	list := []ExtraInfo{}
	elements(at.raw, func(raw []byte, _ int) {
		m := [...]member{{name: "nome"}, {name: "valor"}}
		var x ExtraInfo
		f.within(member{name: at.name, raw: raw}, m[:], func() {
			x.Name = required(f, m[0], asNote)
			x.Value = required(f, m[1], asNote)
		})
		list = append(list, x)
	})
	return list
}

func readPayments(f *finding, at member) []Payment {
	if at.absent() {
		return nil
	}
	if err := listed(at); err != nil {
		f.add(at, err)
		return nil
	}
	var list []Payment
	elements(at.raw, func(raw []byte, _ int) {
		p, _, err := readPayment(raw)
		if err != nil {
			f.add(at, err)
		}
		list = append(list, p)
	})
	return list
}

// asSeconds reads expiracao, an int32 of seconds.
func asSeconds(m member) (time.Duration, error) {
	n, err := m.int(32)
	return time.Duration(n) * time.Second, err
}
