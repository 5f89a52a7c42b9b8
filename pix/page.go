package pix

import (
	"fmt"
	"time"
)

// Paging is parametros.paginacao, where in a list a page stands. Only the last
// page may be short. The standard promises neither an order nor that pages
// read one after another come from one state: a reader has to expect an
// object twice and to fix the end of its window.
type Paging struct {
	Page    int // paginaAtual, from 0
	PerPage int // itensPorPagina, 1 to 1000
	Pages   int // quantidadeDePaginas, at least 1 even where there are no items
	Items   int // quantidadeTotalDeItens
}

// Bounds and defaults of itensPorPagina.
const (
	DefaultPerPage = 100
	MaxPerPage     = 1000
)

// NewPaging counts the pages that items take at perPage each.
func NewPaging(page, perPage, items int) Paging {
	perPage = max(perPage, 1)
	return Paging{Page: page, PerPage: perPage, Pages: max(1, (items+perPage-1)/perPage), Items: items}
}

// PaymentPage is PixConsultados, the answer of GET /v2/pix. From, To and the
// filters repeat the question.
type PaymentPage struct {
	From, To      time.Time // inicio and fim, both inclusive, compared with PaidAt
	TxID          TxID      // txid
	TxIDPresent   *bool     // txIdPresente
	RefundPresent *bool     // devolucaoPresente
	CPF, CNPJ     string    // of the payer, whom a Payment does not show
	Paging        Paging
	Payments      []Payment // pix
}

// MarshalJSON writes pp under the names of the standard.
func (pp PaymentPage) MarshalJSON() ([]byte, error) {
	size := 400
	for _, p := range pp.Payments {
		if err := p.carried(); err != nil {
			return nil, err
		}
		size += p.size()
	}
	w := jsonWriter{b: make([]byte, 0, size)}
	w.open("", '{')
	w.open("parametros", '{')
	w.time("inicio", pp.From)
	w.time("fim", pp.To)
	w.optText("txid", string(pp.TxID))
	w.optBool("txIdPresente", pp.TxIDPresent)
	w.optBool("devolucaoPresente", pp.RefundPresent)
	w.optText("cpf", pp.CPF)
	w.optText("cnpj", pp.CNPJ)
	w.paging(pp.Paging)
	w.closing('}')
	w.open("pix", '[')
	for _, p := range pp.Payments {
		w.payment(p)
	}
	w.closing(']')
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads pp from JSON. One malformed Pix fails the page;
// ParsePaymentPage judges each alone.
func (pp *PaymentPage) UnmarshalJSON(raw []byte) error {
	got, items, err := ParsePaymentPage(raw)
	if err != nil {
		return err
	}
	for _, item := range items {
		if item.Err != nil {
			return fmt.Errorf("read page of pix: %w", item.Err)
		}
	}
	*pp = got
	return nil
}

// ParsePaymentPage reads the answer of GET /v2/pix with each Pix judged alone,
// as ParseCallback does: items holds all of them with their bytes, and the
// page's Payments those that are well formed. The error is for a body that is
// no page.
func ParsePaymentPage(body []byte) (PaymentPage, []CallbackItem, error) {
	var pp PaymentPage
	m := [...]member{{name: "parametros"}, {name: "pix"}}
	if err := pageMembers(body, m[:]); err != nil {
		return pp, nil, fmt.Errorf("read page of pix: %w", err)
	}
	var f finding
	q := [...]member{
		{name: "inicio"}, {name: "fim"}, {name: "txid"}, {name: "txIdPresente"},
		{name: "devolucaoPresente"}, {name: "cpf"}, {name: "cnpj"}, {name: "paginacao"},
	}
	f.within(m[0], q[:], func() {
		pp.From = required(&f, q[0], asTime)
		pp.To = required(&f, q[1], asTime)
		pp.TxID = optional(&f, q[2], asTxID)
		pp.TxIDPresent = given(&f, q[3], asBool)
		pp.RefundPresent = given(&f, q[4], asBool)
		pp.CPF = optional(&f, q[5], asText)
		pp.CNPJ = optional(&f, q[6], asText)
		pp.Paging = readPaging(&f, q[7])
	})
	if err := f.err(); err != nil {
		return PaymentPage{}, nil, fmt.Errorf("read page of pix: %w", err)
	}
	items := readItems(m[1].raw)
	for _, item := range items {
		if item.Err == nil {
			pp.Payments = append(pp.Payments, item.Payment)
		}
	}
	return pp, items, nil
}

// ChargePage is CobsConsultadas, the answer of GET /v2/cob.
type ChargePage struct {
	From, To        time.Time    // inicio and fim, both inclusive, compared with CreatedAt
	CPF, CNPJ       string       // of the debtor
	LocationPresent *bool        // locationPresente
	Status          ChargeStatus // status, "" for all
	Paging          Paging
	Charges         []Charge // cobs
}

// MarshalJSON writes cp under the names of the standard.
func (cp ChargePage) MarshalJSON() ([]byte, error) {
	w := jsonWriter{b: make([]byte, 0, 400+800*len(cp.Charges))}
	w.open("", '{')
	w.open("parametros", '{')
	w.time("inicio", cp.From)
	w.time("fim", cp.To)
	w.optText("cpf", cp.CPF)
	w.optText("cnpj", cp.CNPJ)
	w.optBool("locationPresente", cp.LocationPresent)
	w.optText("status", string(cp.Status))
	w.paging(cp.Paging)
	w.closing('}')
	w.open("cobs", '[')
	for _, c := range cp.Charges {
		if err := c.carried(); err != nil {
			return nil, err
		}
		w.charge(c)
	}
	w.closing(']')
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads cp from JSON. One malformed charge fails the page.
func (cp *ChargePage) UnmarshalJSON(raw []byte) error {
	var got ChargePage
	m := [...]member{{name: "parametros"}, {name: "cobs"}}
	if err := pageMembers(raw, m[:]); err != nil {
		return fmt.Errorf("read page of cob: %w", err)
	}
	var f finding
	q := [...]member{
		{name: "inicio"}, {name: "fim"}, {name: "cpf"}, {name: "cnpj"},
		{name: "locationPresente"}, {name: "status"}, {name: "paginacao"},
	}
	f.within(m[0], q[:], func() {
		got.From = required(&f, q[0], asTime)
		got.To = required(&f, q[1], asTime)
		got.CPF = optional(&f, q[2], asText)
		got.CNPJ = optional(&f, q[3], asText)
		got.LocationPresent = given(&f, q[4], asBool)
		got.Status = optional(&f, q[5], asChargeStatus)
		got.Paging = readPaging(&f, q[6])
	})
	elements(m[1].raw, func(value []byte, _ int) {
		got.Charges = append(got.Charges, readCharge(&f, member{name: "cobs", raw: value}))
	})
	if err := f.err(); err != nil {
		return fmt.Errorf("read page of cob: %w", err)
	}
	*cp = got
	return nil
}

// pageMembers reads parametros and the list of a page; both are required.
func pageMembers(body []byte, m []member) error {
	if err := valid(body); err != nil {
		return err
	}
	if !readMembers(body, m) {
		return errNotObject
	}
	for _, each := range m {
		if err := listed(each); err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
	}
	return nil
}

func (w *jsonWriter) paging(p Paging) {
	w.open("paginacao", '{')
	w.int("paginaAtual", int64(p.Page))
	w.int("itensPorPagina", int64(p.PerPage))
	w.int("quantidadeDePaginas", int64(p.Pages))
	w.int("quantidadeTotalDeItens", int64(p.Items))
	w.closing('}')
}

func readPaging(f *finding, at member) (p Paging) {
	if at.absent() {
		f.add(at, errMissing)
		return p
	}
	m := [...]member{
		{name: "paginaAtual"}, {name: "itensPorPagina"},
		{name: "quantidadeDePaginas"}, {name: "quantidadeTotalDeItens"},
	}
	f.within(at, m[:], func() {
		p.Page = required(f, m[0], asInt)
		p.PerPage = required(f, m[1], asInt)
		p.Pages = required(f, m[2], asInt)
		p.Items = required(f, m[3], asInt)
	})
	return p
}
