package receiver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// tokens keeps the OAuth2 token (client credentials) of one process. The lock
// guards the two fields and is never held across a call: when a token runs out
// several callers may each fetch a new one, and none waits for another.
type tokens struct {
	mu    sync.Mutex
	value string
	until time.Time
}

func (t *tokens) get(now time.Time) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Before(t.until) {
		return t.value
	}
	return ""
}

func (t *tokens) set(value string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.value, t.until = value, until
}

// drop forgets a token that was refused, unless it was replaced since.
func (t *tokens) drop(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.value == value {
		t.value = ""
		t.until = time.Time{}
	}
}

// tokenScopes are what the receiver asks for.
const tokenScopes = "cob.write cob.read pix.write pix.read webhook.write webhook.read"

// token is a token that is good for a while yet, fetched if need be; empty
// where no token URL is configured.
func (p pspClient) token(ctx context.Context) (string, error) {
	if p.cfg.TokenURL == "" {
		return "", nil
	}
	if t := p.tokens.get(p.cfg.Clock.Now()); t != "" {
		return t, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {tokenScopes}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.cfg.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fmt.Errorf("ask for a token: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape(p.cfg.ClientID), url.QueryEscape(p.cfg.ClientSecret))
	resp, err := p.cfg.HTTP.Do(req)
	if err != nil {
		return "", fmt.Errorf("ask for a token: %w", err)
	}
	defer resp.Body.Close()
	return p.readToken(resp)
}

func (p pspClient) readToken(resp *http.Response) (string, error) {
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("ask for a token: the PSP answered %d", resp.StatusCode)
	}
	var body struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&body); err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if body.AccessToken == "" {
		return "", errors.New("read the token: want access_token")
	}
	// A tenth of its life is left unused, against clocks that differ.
	life := time.Duration(body.ExpiresIn) * time.Second * 9 / 10
	p.tokens.set(body.AccessToken, p.cfg.Clock.Now().Add(life))
	return body.AccessToken, nil
}
