package pix_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/pixlab/pixlab/pix"
)

func TestProblemKindsHaveTheirStatus(t *testing.T) {
	t.Parallel()
	for kind, want := range map[pix.ProblemKind]int{
		pix.ProblemInvalidRequest: 400, pix.ProblemForbidden: 403, pix.ProblemNotFound: 404, pix.ProblemGone: 410,
		pix.ProblemInternal: 500, pix.ProblemUnavailable: 503, pix.ProblemTimeout: 504,
		pix.ProblemChargeNotFound: 404, pix.ProblemChargeInvalid: 400, pix.ProblemChargeQueryInvalid: 400,
		pix.ProblemPaymentNotFound: 404, pix.ProblemPaymentQueryInvalid: 400,
		pix.ProblemRefundNotFound: 404, pix.ProblemRefundInvalid: 400,
		pix.ProblemWebhookNotFound: 404, pix.ProblemWebhookInvalid: 400, pix.ProblemWebhookQueryInvalid: 400,
		"Novo": 500,
	} {
		p := pix.NewProblem(kind, "")
		if p.Status != want || p.Title == "" || p.Kind() != kind {
			t.Errorf("%s: got %+v, want status %d", kind, p, want)
		}
	}
}

func TestProblemIsWrittenAndReadBack(t *testing.T) {
	t.Parallel()
	want := pix.NewProblem(pix.ProblemChargeInvalid, "não deu",
		pix.Violation{Reason: "zero", Property: "cob.valor.original", Value: "0.00"})
	want.CorrelationID = "c1"
	w := httptest.NewRecorder()
	pix.WriteProblem(w, want)
	if w.Code != 400 || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
	body := `{"type":"https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida","title":"Cobrança inválida.","status":400,` +
		`"detail":"não deu","correlationId":"c1","violacoes":[{"razao":"zero","propriedade":"cob.valor.original","valor":"0.00"}]}`
	if w.Body.String() != body {
		t.Errorf("body:\n got %s\nwant %s", w.Body, body)
	}
	got, err := pix.ParseProblem(w.Body.Bytes())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestProblemIsAnError(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("call: %w", pix.NewProblem(pix.ProblemRefundInvalid, "d", pix.Violation{Property: "p", Reason: "r"}))
	var p pix.Problem
	if !errors.As(err, &p) || p.Kind() != pix.ProblemRefundInvalid {
		t.Errorf("got %v", err)
	}
	if got, want := err.Error(), "call: 400 PixDevolucaoInvalida d; p: r"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProblemOfNoErrorStatusGoesOutAs500(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 200, 302, 600} {
		w := httptest.NewRecorder()
		pix.WriteProblem(w, pix.Problem{Status: status})
		if w.Code != 500 {
			t.Errorf("status %d went out as %d", status, w.Code)
		}
	}
}

func TestParseProblemTakesWhatThereIs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]pix.Problem{
		`{}`: {},
		`{"status":"404","title":1,"detail":null,"violacoes":{},"x":[1]}`: {Status: 404},
		`{"nome":"valor_invalido","mensagem":"m"}`:                        {Title: "valor_invalido", Detail: "m"},
		`{"violacoes":[1,{"razao":"r","valor":2}]}`:                       {Violations: []pix.Violation{{Reason: "r"}}},
	} {
		got, err := pix.ParseProblem([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", body, got, err, want)
		}
	}
	for _, body := range []string{``, `<html>`, `[]`, `null`, `{"status":400`} {
		if got, err := pix.ParseProblem([]byte(body)); err == nil {
			t.Errorf("%s: got %+v, want an error", body, got)
		}
	}
}
