package scenarios_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// signedAs replaces the signature by one of another body, instant or secret.
func signedAs(s pix.Secret, at time.Time, body string) func(*http.Request) {
	return func(req *http.Request) { req.Header.Set(pix.SignatureHeader, pix.Sign(s, at, []byte(body))) }
}

func withSignature(value string) func(*http.Request) {
	return func(req *http.Request) { req.Header.Set(pix.SignatureHeader, value) }
}

func unsigned(req *http.Request) { req.Header.Del(pix.SignatureHeader) }

// spaced is a callback in odd but valid JSON: spaces, escaped accents and
// digits, members out of order.
func (l *lab) spaced(p pix.Payment) string {
	return "\n { \"pix\" :\t[ {\n\"infoPagador\" : \"Jo\\u00e3o \\/ p\\u00e3o\" ,\r\n \"valor\":\"10\\u002e50\",\"horario\" : \"" +
		pix.FormatTime(p.PaidAt) + "\" , \"txid\":\"" + string(p.TxID) + "\",\"chave\":\"" + string(labKey) +
		"\",\"endToEndId\":\"" + string(p.EndToEndID) + "\" } ] }\n\n"
}

// From the field: a framework parsed the body, the check signed what it wrote
// again, and genuine callbacks were refused, or changed ones taken.
func TestSignatureCoversTheBytesAsSent(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "10.50"), "10.50")
	l.callback(http.StatusOK, l.spaced(p))
	l.rest()
	l.credited(p.EndToEndID, "10.50")
	l.endOfDay()
}

// Nothing of a refused callback reaches the inbox, and the Pix it spoke of
// comes in by the sweep all the same.
func TestCallbackThatIsNotSignedAsItStandsIsRefused(t *testing.T) {
	const another = `{"pix":[]}`
	stranger := pix.Secret{ID: labSecret().ID, Key: []byte("somebody else's key, long enough")}
	unknown := pix.Secret{ID: "k9", Key: labSecret().Key}
	for name, c := range map[string]struct {
		bend func(body string) string
		sign func(l *lab, body string) func(*http.Request)
	}{
		"written again": {
			bend: func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "").Replace(s) },
		},
		"one byte of the amount changed": {
			bend: func(s string) string { return strings.Replace(s, "10\\u002e50", "90\\u002e50", 1) },
		},
		"one byte of space added": {bend: func(s string) string { return s + " " }},
		"the signature of another body": {
			sign: func(l *lab, _ string) func(*http.Request) { return signedAs(labSecret(), l.clock.Now(), another) },
		},
		"another key": {
			sign: func(l *lab, s string) func(*http.Request) { return signedAs(stranger, l.clock.Now(), s) },
		},
		"the right key under another name": {
			sign: func(l *lab, s string) func(*http.Request) { return signedAs(unknown, l.clock.Now(), s) },
		},
		"no header":    {sign: func(*lab, string) func(*http.Request) { return unsigned }},
		"empty header": {sign: func(*lab, string) func(*http.Request) { return withSignature("") }},
		"no signature": {sign: func(*lab, string) func(*http.Request) { return withSignature("t=1772452800,kid=k1") }},
		"no JSON":      {bend: func(string) string { return "pix" }},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			p := l.pay(l.sale("PED-1", "10.50"), "10.50")
			genuine := l.spaced(p)
			sent := genuine
			if c.bend != nil {
				sent = c.bend(genuine)
			}
			sign := signedAs(labSecret(), l.clock.Now(), genuine)
			if c.sign != nil {
				sign = c.sign(l, genuine)
			}
			l.refused(sent, sign)
			l.endOfDay()
			l.credited(p.EndToEndID, "10.50")
		})
	}
}

// refused wants a 401, no row in the inbox and no word on what was wrong
// that would tell one refusal from another by its status.
func (l *lab) refused(body string, change func(*http.Request)) {
	l.t.Helper()
	before := len(l.events())
	l.callback(http.StatusUnauthorized, body, change)
	if n := len(l.events()) - before; n != 0 {
		l.t.Errorf("a refused callback left %d events", n)
	}
}

// From the field: the clock was checked in one direction. One rule holds for
// both here: more than the tolerance away from now is refused, and a time to
// come is no safer than an old one.
func TestSignatureTimeIsJudgedAlikeInBothDirections(t *testing.T) {
	for _, c := range []struct {
		away time.Duration
		want int
	}{
		{0, http.StatusOK}, {5 * time.Minute, http.StatusOK}, {-5 * time.Minute, http.StatusOK},
		{6 * time.Minute, http.StatusUnauthorized}, {-6 * time.Minute, http.StatusUnauthorized},
		{5*time.Minute + time.Second, http.StatusUnauthorized}, {-5*time.Minute - time.Second, http.StatusUnauthorized},
		{72 * time.Hour, http.StatusUnauthorized}, {-72 * time.Hour, http.StatusUnauthorized},
	} {
		t.Run(c.away.String(), func(t *testing.T) {
			l := newLab(t, labOptions{receiver: func(r *receiver.Config) { r.Tolerance = 5 * time.Minute }})
			p := l.pay(l.sale("PED-1", "10.50"), "10.50")
			said := body(l.itemOf(p))
			l.callback(c.want, said, signedAs(labSecret(), l.clock.Now().Add(c.away), said))
			l.rest()
			if c.want == http.StatusOK {
				l.credited(p.EndToEndID, "10.50")
			} else {
				l.credited(p.EndToEndID)
			}
			l.endOfDay()
			l.credited(p.EndToEndID, "10.50")
		})
	}
}

// While a key is being replaced both are good, and then only the new one.
func TestTwoSecretsAreGoodWhileOneIsReplaced(t *testing.T) {
	next := pix.Secret{ID: "k2", Key: []byte("the next sixteen bytes or more")}
	l := newLab(t, labOptions{receiver: func(r *receiver.Config) { r.Secrets = append(r.Secrets, next) }})
	for _, secret := range []pix.Secret{labSecret(), next} {
		p := l.pay(l.code("BALCAO/"+secret.ID, ""), "10.00")
		said := body(l.itemOf(p))
		l.callback(http.StatusOK, said, signedAs(secret, l.clock.Now(), said))
		l.rest()
		l.credited(p.EndToEndID, "10.00")
	}
}

// A receiver that could trust nothing, or would trust anything, does not start.
func TestReceiverDoesNotStartWithoutASecret(t *testing.T) {
	l := newLab(t, labOptions{})
	for name, secrets := range map[string][]pix.Secret{
		"none":             nil,
		"no key":           {{ID: "k1"}},
		"a short key":      {{ID: "k1", Key: []byte("short")}},
		"no name":          {{Key: labSecret().Key}},
		"one good, one no": {labSecret(), {ID: "k2"}},
	} {
		cfg := l.config(9)
		cfg.Secrets = secrets
		if r, err := receiver.New(cfg, l.store); err == nil || r != nil {
			t.Errorf("%s: the receiver starts", name)
		}
	}
}
