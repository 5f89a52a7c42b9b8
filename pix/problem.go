package pix

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ProblemBase is what every type of API Pix's errors begins with. It names;
// there is no page behind it.
const ProblemBase = "https://pix.bcb.gov.br/api/v2/error/"

// ProblemKind is the last part of a problem's type, as in the error table of
// API Pix 2.9. The standard knows no 401, 409, 422 or 429: a conflict is a 400
// with violations.
type ProblemKind string

// Kinds that any call may answer with.
const (
	ProblemInvalidRequest ProblemKind = "RequisicaoInvalida"
	ProblemForbidden      ProblemKind = "AcessoNegado"
	ProblemNotFound       ProblemKind = "NaoEncontrado"
	ProblemGone           ProblemKind = "PermanentementeRemovido"
	ProblemInternal       ProblemKind = "ErroInternoDoServidor"
	ProblemUnavailable    ProblemKind = "ServicoIndisponivel"
	ProblemTimeout        ProblemKind = "IndisponibilidadePorTempoEsgotado"
)

// Kinds of cob, pix, devolução and webhook.
const (
	ProblemChargeNotFound      ProblemKind = "CobNaoEncontrado"
	ProblemChargeInvalid       ProblemKind = "CobOperacaoInvalida"
	ProblemChargeQueryInvalid  ProblemKind = "CobConsultaInvalida"
	ProblemPaymentNotFound     ProblemKind = "PixNaoEncontrado"
	ProblemPaymentQueryInvalid ProblemKind = "PixConsultaInvalida"
	ProblemRefundNotFound      ProblemKind = "PixDevolucaoNaoEncontrada"
	ProblemRefundInvalid       ProblemKind = "PixDevolucaoInvalida"
	ProblemWebhookNotFound     ProblemKind = "WebhookNaoEncontrado"
	ProblemWebhookInvalid      ProblemKind = "WebhookOperacaoInvalida"
	ProblemWebhookQueryInvalid ProblemKind = "WebhookConsultaInvalida"
)

// Status is the HTTP status that goes with k; 500 for a kind not listed here.
func (k ProblemKind) Status() int {
	switch k {
	case ProblemInvalidRequest, ProblemChargeInvalid, ProblemChargeQueryInvalid,
		ProblemPaymentQueryInvalid, ProblemRefundInvalid,
		ProblemWebhookInvalid, ProblemWebhookQueryInvalid:
		return http.StatusBadRequest
	case ProblemForbidden:
		return http.StatusForbidden
	case ProblemNotFound, ProblemChargeNotFound, ProblemPaymentNotFound,
		ProblemRefundNotFound, ProblemWebhookNotFound:
		return http.StatusNotFound
	case ProblemGone:
		return http.StatusGone
	case ProblemUnavailable:
		return http.StatusServiceUnavailable
	case ProblemTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// Title is the short Portuguese text for people that goes with k: the
// standard's example where it gives one.
func (k ProblemKind) Title() string {
	switch k {
	case ProblemInvalidRequest:
		return "Requisição inválida."
	case ProblemForbidden:
		return "Acesso Negado"
	case ProblemGone:
		return "Permanentemente removido."
	case ProblemInternal:
		return "Erro interno do servidor."
	case ProblemUnavailable:
		return "Serviço Indisponível"
	case ProblemTimeout:
		return "Tempo esgotado."
	case ProblemChargeInvalid:
		return "Cobrança inválida."
	case ProblemChargeQueryInvalid, ProblemPaymentQueryInvalid, ProblemWebhookQueryInvalid:
		return "Consulta inválida."
	case ProblemRefundInvalid:
		return "Devolução inválida."
	case ProblemWebhookInvalid:
		return "Webhook inválido."
	case ProblemNotFound, ProblemChargeNotFound, ProblemPaymentNotFound,
		ProblemRefundNotFound, ProblemWebhookNotFound:
		return "Não Encontrado"
	}
	return string(k)
}

// Violation is one rule broken by a request, an element of violacoes.
type Violation struct {
	Reason   string `json:"razao,omitempty"`
	Property string `json:"propriedade,omitempty"` // path, like "cob.valor.original"
	Value    string `json:"valor,omitempty"`       // what was sent
}

// Problem is the error body of API Pix: RFC 7807 with a correlation id and
// violations. It is an error itself, so that a client can return it.
type Problem struct {
	Type          string      `json:"type"`
	Title         string      `json:"title"`
	Status        int         `json:"status"`
	Detail        string      `json:"detail,omitempty"`
	CorrelationID string      `json:"correlationId,omitempty"`
	Violations    []Violation `json:"violacoes,omitempty"`
}

// NewProblem makes a problem of a kind with its status and title.
func NewProblem(kind ProblemKind, detail string, v ...Violation) Problem {
	return Problem{
		Type:       ProblemBase + string(kind),
		Title:      kind.Title(),
		Status:     kind.Status(),
		Detail:     detail,
		Violations: v,
	}
}

// Kind is the last part of p's type: after the last slash, or all of it.
func (p Problem) Kind() ProblemKind {
	return ProblemKind(p.Type[strings.LastIndexByte(p.Type, '/')+1:])
}

// Error writes status, kind, detail and violations on one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(p.Status))
	for _, s := range []string{string(p.Kind()), p.Detail} {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	for _, v := range p.Violations {
		b.WriteString("; " + v.Property + ": " + v.Reason)
	}
	return b.String()
}

// WriteProblem answers w with p as application/problem+json. A status that is
// no HTTP error goes out as 500. Headers such as Retry-After are to be set
// before.
func WriteProblem(w http.ResponseWriter, p Problem) {
	if p.Status < 400 || p.Status > 599 {
		p.Status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", ProblemContentType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(p.Encode()) // the peer may be gone; there is no one else to tell
}

// ProblemContentType is the media type of a problem (RFC 9457).
const ProblemContentType = "application/problem+json"

// Encode is the problem's JSON.
func (p Problem) Encode() []byte {
	body, err := json.Marshal(p)
	if err != nil { // cannot happen: p is strings and a number
		return []byte("{}")
	}
	return body
}

var errNotProblem = errors.New("body is no JSON object")

// ParseProblem reads an error body for what it holds: a member that is
// missing or of another type is left empty, a status may be text, and the
// {nome, mensagem} of some PSPs fills title and detail. The error is set only
// if body is no JSON object.
func ParseProblem(body []byte) (Problem, error) {
	var p Problem
	m := [...]member{
		{name: "type"}, {name: "title"}, {name: "status"}, {name: "detail"},
		{name: "correlationId"}, {name: "violacoes"}, {name: "nome"}, {name: "mensagem"},
	}
	if !json.Valid(body) || !readMembers(body, m[:]) {
		return p, errNotProblem
	}
	p.Type, p.Title = m[0].lenient(), m[1].lenient()
	p.Detail, p.CorrelationID = m[3].lenient(), m[4].lenient()
	p.Status, _ = strconv.Atoi(strings.Trim(string(m[2].raw), `"`))
	if p.Title == "" {
		p.Title = m[6].lenient()
	}
	if p.Detail == "" {
		p.Detail = m[7].lenient()
	}
	if raw := m[5].raw; len(raw) > 0 && raw[0] == '[' {
		elements(raw, func(value []byte, _ int) {
			v := [...]member{{name: "razao"}, {name: "propriedade"}, {name: "valor"}}
			if readMembers(value, v[:]) {
				p.Violations = append(p.Violations,
					Violation{Reason: v[0].lenient(), Property: v[1].lenient(), Value: v[2].lenient()})
			}
		})
	}
	return p, nil
}

// lenient reads a string, or "" where there is none.
func (m member) lenient() string {
	s, _ := m.note()
	return s
}
