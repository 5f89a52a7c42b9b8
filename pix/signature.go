package pix

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader carries the signature of a callback. The standard has none:
// there, mutual TLS tells who is calling. The lab signs instead, so that a
// forged or replayed callback can be sent without certificates.
const SignatureHeader = "Pixlab-Signature"

// What a signature can be refused for. Whoever answers HTTP should not tell
// them apart to the caller.
var (
	ErrSignatureMissing    = errors.New("signature missing")
	ErrSignatureMalformed  = errors.New("signature malformed")
	ErrSignatureUnknownKey = errors.New("signature by an unknown key")
	ErrSignatureMismatch   = errors.New("signature does not match the body")
	ErrSignatureExpired    = errors.New("signature time outside the tolerance")
)

// Secret is a key shared by PSP and receiver.
type Secret struct {
	ID  string // named in the header; 1 to 64 of [a-zA-Z0-9._-]
	Key []byte // not empty
}

// Sign makes the value of SignatureHeader for body sent at a moment:
//
//	t=<unix seconds>,kid=<key id>,v1=<hex HMAC-SHA256 of t "." body>
//
// where t in the HMAC is the decimal text of the header and body the bytes as
// sent. Each attempt is signed anew, with its own time.
func Sign(s Secret, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	sum := signatureSum(s.Key, t, body)
	return "t=" + t + ",kid=" + s.ID + ",v1=" + hex.EncodeToString(sum)
}

func signatureSum(key []byte, t string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(t))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return mac.Sum(nil)
}

// Verifier checks signatures. Its zero value refuses everything.
type Verifier struct {
	Secrets   []Secret      // all are good at once, as a change of keys needs
	Tolerance time.Duration // how far the signature's time may be from now
}

// Verify checks header, a value made by Sign, against the raw body. The order
// is: there at all, well formed, key known, HMAC right, time near. Only a
// signature that is right is judged by its time, so that nobody learns from
// the answer which times pass.
//
// One rule holds for both directions: a time more than Tolerance before or
// after now is refused, one exactly Tolerance away passes. A future time is no
// safer than an old one, since it can be replayed for longer.
//
// Fields may stand in any order and fields of other names are ignored, so that
// a second scheme can be added; each of t, kid and v1 has to be there once.
// A secret without a key matches nothing. Comparison takes constant time.
func (v Verifier) Verify(header string, body []byte, now time.Time) error {
	if header == "" {
		return ErrSignatureMissing
	}
	sig, ok := parseSignature(header)
	if !ok {
		return ErrSignatureMalformed
	}
	known, right := false, false
	for _, s := range v.Secrets {
		if s.ID != sig.keyID || len(s.Key) == 0 {
			continue
		}
		known = true
		if hmac.Equal(sig.sum, signatureSum(s.Key, sig.t, body)) {
			right = true
			break
		}
	}
	switch {
	case !known:
		return ErrSignatureUnknownKey
	case !right:
		return ErrSignatureMismatch
	}
	if d := now.Sub(sig.at); d > v.Tolerance || d < -v.Tolerance {
		return ErrSignatureExpired
	}
	return nil
}

type signature struct {
	t     string // as it stands in the header
	at    time.Time
	keyID string
	sum   []byte
}

func parseSignature(header string) (signature, bool) {
	var sig signature
	for field := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(field, "=")
		ok := true
		switch name {
		case "t":
			ok = sig.t == "" && sig.setTime(value)
		case "kid":
			ok = sig.keyID == "" && keyID(value)
			sig.keyID = value
		case "v1":
			ok = sig.sum == nil && sig.setSum(value)
		}
		if !ok {
			return signature{}, false
		}
	}
	return sig, sig.t != "" && sig.keyID != "" && sig.sum != nil
}

// setTime takes plain decimal seconds: no sign, no leading zero.
func (sig *signature) setTime(s string) bool {
	if len(s) < 1 || len(s) > 12 || !digits(s) || (s[0] == '0' && len(s) > 1) {
		return false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	sig.t, sig.at = s, time.Unix(n, 0)
	return err == nil
}

func (sig *signature) setSum(s string) bool {
	sum, err := hex.DecodeString(s)
	sig.sum = sum
	return err == nil && len(sum) == sha256.Size
}

func keyID(s string) bool {
	for i := range len(s) {
		if c := s[i : i+1]; !alnum(c) && c != "." && c != "_" && c != "-" {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}
