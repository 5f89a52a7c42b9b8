package receiver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pixlab/pixlab/pix"
)

// maxRequest bounds the body of a merchant's request, in bytes.
const maxRequest = 1 << 16

// refuseCompressed answers 415 to a body that is compressed, and says whether it
// did: what a few bytes would unpack to is not known before.
func refuseCompressed(w http.ResponseWriter, req *http.Request) bool {
	enc := req.Header.Get("Content-Encoding")
	if enc == "" || enc == "identity" {
		return false
	}
	refuse(w, http.StatusUnsupportedMediaType, pix.ProblemInvalidRequest, "the body must not be compressed")
	return true
}

// readRequest reads the body of a merchant's request. It answers itself, and
// false, where it cannot.
func readRequest(w http.ResponseWriter, req *http.Request) ([]byte, bool) {
	if refuseCompressed(w, req) {
		return nil, false
	}
	body, err := readBody(http.MaxBytesReader(w, req.Body, maxRequest), req.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, pix.ProblemInvalidRequest, "the body is too large")
		return nil, false
	case err != nil:
		refuse(w, http.StatusBadRequest, pix.ProblemInvalidRequest, "the body ends early: "+err.Error())
		return nil, false
	}
	return body, true
}

// decodeRequest reads the body of a merchant's request into q and checks it. It
// answers 400 itself, and false, where it cannot.
func decodeRequest(w http.ResponseWriter, body []byte, q interface{ validate() error }) bool {
	err := decodeStrictly(body, q)
	if err == nil {
		err = q.validate()
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
	}
	return err == nil
}

// decodeStrictly refuses members that the request does not have: the API is our
// own, and a mistyped member would ask for something else than was meant.
func decodeStrictly(body []byte, q any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return plainJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("want one JSON object and nothing after it")
	}
	return nil
}

// plainJSON says in the caller's terms what encoding/json says in Go's.
func plainJSON(err error) error {
	var other *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &other) && other.Field == "":
		return fmt.Errorf("the body is of type %s; want a JSON object", other.Value)
	case errors.As(err, &other):
		return fmt.Errorf("%s: a %s does not fit", other.Field, other.Value)
	case errors.Is(err, io.EOF):
		return errors.New("the body is empty; want a JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the body ends early; want a JSON object")
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is no JSON: %s at byte %d", syntax, syntax.Offset)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("%s: this request has no such member", name)
	}
	return err
}
