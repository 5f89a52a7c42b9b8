package fakepsp

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// The scopes of the API. The account statement is read under that of Pix.
const (
	ScopeChargeWrite  = "cob.write"
	ScopeChargeRead   = "cob.read"
	ScopePaymentWrite = "pix.write"
	ScopePaymentRead  = "pix.read"
	ScopeWebhookWrite = "webhook.write"
	ScopeWebhookRead  = "webhook.read"
)

// Scopes lists all scopes of the API.
func Scopes() []string {
	return []string{
		ScopeChargeWrite, ScopeChargeRead, ScopePaymentWrite, ScopePaymentRead, ScopeWebhookWrite, ScopeWebhookRead,
	}
}

// Client is somebody who may ask for a token with an id and a secret.
type Client struct {
	ID, Secret string
	// Scopes are what its tokens are good for at most; nil is everything.
	Scopes []string
}

func (c Client) scopes() []string {
	if c.Scopes == nil {
		return Scopes()
	}
	return c.Scopes
}

func validClients(clients []Client) error {
	for i, c := range clients {
		if c.ID == "" || c.Secret == "" {
			return fmt.Errorf("fakepsp config: Clients[%d]: want an ID and a Secret", i)
		}
		if slices.ContainsFunc(clients[:i], func(other Client) bool { return other.ID == c.ID }) {
			return fmt.Errorf("fakepsp config: Clients: ID %q is there twice", c.ID)
		}
		for _, scope := range c.Scopes {
			if !slices.Contains(Scopes(), scope) {
				return fmt.Errorf("fakepsp config: client %q: no scope is called %q", c.ID, scope)
			}
		}
	}
	return nil
}

// token is what a client shows instead of its secret.
type token struct {
	text            string
	scopes          []string
	issued, expires time.Time
	revoked         bool
	revokedBy       []int // the deviations that did it
}

// tokenBook holds the tokens that were handed out and can still be good.
type tokenBook struct {
	byText map[string]*token
	order  []*token // by their instants: all live equally long
	made   map[string]int
	seen   int // windows looked at
}

// issue makes a client's next token and forgets those that have expired.
func (b *tokenBook) issue(p *PSP, client Client, scopes []string, now time.Time) *token {
	if b.byText == nil {
		b.byText, b.made = map[string]*token{}, map[string]int{}
	}
	for len(b.order) > 0 && !now.Before(b.order[0].expires) {
		delete(b.byText, b.order[0].text)
		b.order = b.order[1:]
	}
	b.made[client.ID]++
	t := &token{
		text:   p.cfg.NewID("token", client.ID+"/"+strconv.Itoa(b.made[client.ID]), 32),
		scopes: scopes, issued: now, expires: now.Add(p.cfg.TokenTTL),
	}
	b.byText[t.text] = t
	b.order = append(b.order, t)
	return t
}

// revoke ends all tokens handed out before a window that says so, once, at the
// window's start. It is evaluated late, by whoever looks next.
func (b *tokenBook) revoke(p *PSP, now time.Time) {
	if p.faults == nil || len(p.cfg.Clients) == 0 {
		return
	}
	windows := p.faults.Windows(chaos.PlaceToken)
	for ; b.seen < len(windows) && windows[b.seen].From <= p.instant(now); b.seen++ {
		w := windows[b.seen]
		if fresh := freshIn(windows, b.seen); w.Change.Revoked && len(fresh) > 0 {
			b.revokeBefore(p.cfg.Start.Add(w.From.Duration()), fresh)
		}
	}
}

func (b *tokenBook) revokeBefore(start time.Time, by []int) {
	for _, t := range b.order {
		if t.issued.Before(start) && !t.revoked {
			t.revoked, t.revokedBy = true, by
		}
	}
}

// freshIn are the deviations that begin with a piece of a place's windows: an
// earlier one that goes on is not among them.
func freshIn(windows []chaos.MergedWindow, i int) []int {
	fresh := windows[i].Merged.From
	if i > 0 && windows[i-1].To == windows[i].From {
		fresh = without(fresh, windows[i-1].Merged.From)
	}
	return fresh
}
