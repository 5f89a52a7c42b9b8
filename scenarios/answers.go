package scenarios

import (
	"bytes"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// answers are the first answers that the merchant was given under its
// idempotency keys, as long as a repeat has to get them again. Where the store
// keeps the same bytes they are held once, in its row.
type answers struct {
	given map[string]map[string]givenAnswer // by route, then key
	// fresh are rows with an answer that no request was seen to carry yet.
	fresh map[receiver.KeyRef]*receiver.Key
}

// givenAnswer is an answer and when it was given, in nanoseconds of the epoch.
type givenAnswer struct {
	at int64
	*receiver.Answer
}

func newAnswers() answers {
	return answers{given: map[string]map[string]givenAnswer{}, fresh: map[receiver.KeyRef]*receiver.Key{}}
}

// since is how long before an instant it was given.
func (g givenAnswer) since(at time.Time) time.Duration { return at.Sub(time.Unix(0, g.at)) }

// first is the answer given before a, false if there is none that it has to equal.
func (l *answers) first(a *apiAnswer) (givenAnswer, bool) {
	before, known := l.given[a.route][a.reference]
	return before, known && before.since(a.at) < keptFor
}

// keep takes a for the first answer under its key.
func (l *answers) keep(a *apiAnswer) {
	if l.given[a.route] == nil {
		l.given[a.route] = map[string]givenAnswer{}
	}
	kept := &receiver.Answer{Status: a.status, ContentType: a.contentType, Body: a.body}
	if row := l.fresh[a.key()]; row != nil {
		if row.Answer.Status == a.status && row.Answer.ContentType == a.contentType && bytes.Equal(row.Answer.Body, a.body) {
			kept = &row.Answer
		}
		delete(l.fresh, a.key())
	}
	l.given[a.route][a.reference] = givenAnswer{a.at.UnixNano(), kept}
}

// follow brings the answers along with a key's row.
func (l *answers) follow(c receiver.KeyChange) {
	if c.After == nil {
		delete(l.fresh, c.Before.KeyRef)
		return
	}
	switch c.After.State {
	case receiver.KeyAnswered:
		l.fresh[c.After.KeyRef] = c.After
	case receiver.KeyPurged:
		delete(l.fresh, c.After.KeyRef)
		// What was given so long ago that it is given no more is compared with
		// nothing any more.
		if g, known := l.given[c.After.Route][c.After.Key]; known && g.since(c.After.At) >= keptFor {
			delete(l.given[c.After.Route], c.After.Key)
		}
	}
}
