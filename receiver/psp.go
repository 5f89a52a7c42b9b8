package receiver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// maxAnswer bounds what is read of an answer of the PSP, in bytes.
const maxAnswer = 8 << 20

// verdict is what an answer of the PSP proves.
type verdict int

// The verdicts: a time-out, a cut and a 5xx prove nothing.
const (
	verdictUnknown verdict = iota
	verdictDone            // 2xx
	verdictAbsent          // 404
	verdictRefused         // 400, 422 and other 4xx
	verdictLater           // 408, 425, 429: not done, try again
)

// answer is what came back from the PSP, or did not.
type answer struct {
	verdict verdict
	status  int
	body    []byte
	// wait is the PSP's Retry-After: how long not to ask again, zero if it says
	// nothing.
	wait time.Duration
	err  error
}

// Err says in words what the answer was, for reasons and logs.
func (a answer) Err() error {
	if a.err != nil {
		return a.err
	}
	return fmt.Errorf("the PSP answered %d", a.status)
}

// judge maps a status to what it proves about the call.
func judge(status int) verdict {
	switch {
	case status >= 200 && status < 300:
		return verdictDone
	case status == http.StatusNotFound:
		return verdictAbsent
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return verdictLater
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusConflict:
		return verdictUnknown
	case status >= 400 && status < 500:
		return verdictRefused
	}
	return verdictUnknown
}

// maxWait bounds how long a Retry-After is heeded.
const maxWait = time.Hour

// retryAfter reads the header of that name (RFC 9110, 10.2.3): seconds, or the
// date until which to wait. What cannot be read, or has passed, asks for no wait.
func retryAfter(header string, now time.Time) time.Duration {
	if header == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(maxWait/time.Second))) * time.Second
	}
	until, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), maxWait)
}

// pspClient calls API Pix. No call of it runs inside a store command.
type pspClient struct {
	cfg    *Config
	tokens *tokens
}

// do makes one call. A token that the PSP no longer takes is renewed once, and
// the same call made again.
func (p pspClient) do(ctx context.Context, method, path string, body any) answer {
	return p.doKeyed(ctx, method, path, "", body)
}

// doKeyed is do under an Idempotency-Key, the same each time.
func (p pspClient) doKeyed(ctx context.Context, method, path, key string, body any) answer {
	used, a := p.once(ctx, method, path, key, body)
	if (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden) && used != "" {
		p.tokens.drop(used)
		p.cfg.reached(MarkTokenRenewed)
		_, a = p.once(ctx, method, path, key, body)
	}
	return a
}

// once sends a call and says which token it went with.
func (p pspClient) once(ctx context.Context, method, path, key string, body any) (string, answer) {
	ctx, cancel := p.cfg.Clock.WithTimeout(ctx, p.cfg.CallTimeout)
	defer cancel()
	token, err := p.token(ctx)
	if err != nil {
		return "", answer{err: err}
	}
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return token, answer{err: fmt.Errorf("encode %s %s: %w", method, path, err)}
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.cfg.PSPURL+path, payload)
	if err != nil {
		return token, answer{err: fmt.Errorf("%s %s: %w", method, path, err)}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := p.cfg.HTTP.Do(req)
	if err != nil {
		return token, answer{err: err}
	}
	defer resp.Body.Close()
	wait := retryAfter(resp.Header.Get("Retry-After"), p.cfg.Clock.Now())
	raw, err := readBody(io.LimitReader(resp.Body, maxAnswer), resp.ContentLength)
	if err != nil {
		return token, answer{wait: wait, err: fmt.Errorf("read answer of %s %s: %w", method, path, err)}
	}
	return token, answer{verdict: judge(resp.StatusCode), status: resp.StatusCode, body: raw, wait: wait}
}

// decode reads a done answer's body; what cannot be read proves nothing.
func decode[T any, P interface {
	*T
	json.Unmarshaler
}](a answer) (T, answer) {
	var v T
	if a.verdict == verdictDone {
		// Not by json.Unmarshal, which would only look at the syntax once more.
		if err := P(&v).UnmarshalJSON(a.body); err != nil {
			a.verdict, a.err = verdictUnknown, fmt.Errorf("read answer: %w", err)
		}
	}
	return v, a
}

func (p pspClient) putCharge(ctx context.Context, c Charge) (pix.Charge, answer) {
	req := pix.ChargeRequest{Amount: c.Due, PixKey: c.PixKey, ExpiresIn: c.ExpiresIn}
	return decode[pix.Charge](p.do(ctx, http.MethodPut, "/v2/cob/"+string(c.TxID), req))
}

func (p pspClient) getCharge(ctx context.Context, id pix.TxID) (pix.Charge, answer) {
	return decode[pix.Charge](p.do(ctx, http.MethodGet, "/v2/cob/"+string(id), nil))
}

func (p pspClient) removeCharge(ctx context.Context, id pix.TxID) answer {
	status := pix.ChargeRemovedByMerchant
	return p.do(ctx, http.MethodPatch, "/v2/cob/"+string(id), pix.ChargePatch{Status: &status})
}

func (p pspClient) getPix(ctx context.Context, id pix.EndToEndID) (pix.Payment, answer) {
	return decode[pix.Payment](p.do(ctx, http.MethodGet, "/v2/pix/"+url.PathEscape(string(id)), nil))
}

// listPix reads one page; items holds each Pix with its bytes, judged alone, so
// that one that cannot be read hides no other. changed asks only for Pix that
// have a refund.
func (p pspClient) listPix(ctx context.Context, from, to time.Time, page int, changed bool) (list pix.PaymentPage, items []pix.CallbackItem, a answer) {
	q := "/v2/pix?inicio=" + url.QueryEscape(pix.FormatTime(from)) + "&fim=" + url.QueryEscape(pix.FormatTime(to)) +
		"&paginacao.paginaAtual=" + strconv.Itoa(page) + "&paginacao.itensPorPagina=" + strconv.Itoa(p.cfg.PageSize)
	if changed {
		q += "&devolucaoPresente=true"
	}
	a = p.do(ctx, http.MethodGet, q, nil)
	if a.verdict != verdictDone {
		return list, nil, a
	}
	list, items, err := pix.ParsePaymentPage(a.body)
	if err != nil {
		a.verdict, a.err = verdictUnknown, err
	}
	return list, items, a
}

func (p pspClient) putRefund(ctx context.Context, x Refund) (pix.Refund, answer) {
	return decode[pix.Refund](p.do(ctx, http.MethodPut, refundPath(x.EndToEndID, x.ID), pix.RefundRequest{Amount: x.Amount}))
}

func (p pspClient) getRefund(ctx context.Context, id pix.EndToEndID, refund pix.RefundID) (pix.Refund, answer) {
	return decode[pix.Refund](p.do(ctx, http.MethodGet, refundPath(id, refund), nil))
}

func refundPath(id pix.EndToEndID, refund pix.RefundID) string {
	return fmt.Sprintf("/v2/pix/%s/devolucao/%s", id, refund)
}

func (p pspClient) statement(ctx context.Context, from, to time.Time, cursor string) (pix.StatementPage, answer) {
	q := "/extrato?from=" + url.QueryEscape(pix.FormatTime(from)) + "&to=" + url.QueryEscape(pix.FormatTime(to)) +
		"&limit=1000&cursor=" + url.QueryEscape(cursor)
	a := p.do(ctx, http.MethodGet, q, nil)
	var page pix.StatementPage
	if a.verdict == verdictDone {
		// Not by way of json.Unmarshal, which looks through all bytes once more before
		// it hands them over: there may be a million lines.
		if err := page.UnmarshalJSON(a.body); err != nil {
			a.verdict, a.err = verdictUnknown, fmt.Errorf("read answer: %w", err)
		}
	}
	return page, a
}

func (p pspClient) getWebhook(ctx context.Context, key pix.PixKey) (pix.Webhook, answer) {
	return decode[pix.Webhook](p.do(ctx, http.MethodGet, "/v2/webhook/"+url.PathEscape(string(key)), nil))
}

func (p pspClient) putWebhook(ctx context.Context, key pix.PixKey) answer {
	body := pix.WebhookRequest{URL: p.cfg.CallbackURL}
	return p.do(ctx, http.MethodPut, "/v2/webhook/"+url.PathEscape(string(key)), body)
}

// errNoWork ends a turn that found its duty taken.
var errNoWork = errors.New("nothing to do")
