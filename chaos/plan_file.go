package chaos

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// maxPlanBytes bounds a plan file, or a device that never ends would be read
// until memory does. A payment takes one to four thousand bytes.
const maxPlanBytes = 256 << 20

// ReadPlan reads a plan file. It is strict: another format, a file cut short or
// too large, a member that it does not know or that stands twice, and whatever
// [Plan.Validate] refuses are errors of one line that say what would be right.
func ReadPlan(r io.Reader) (*Plan, error) {
	text, err := readBounded(r, maxPlanBytes)
	if err != nil {
		return nil, err
	}
	p, err := decodePlan(text)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	return p, nil
}

// readBounded reads all of it, unless that is more than most bytes.
func readBounded(r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read plan: %w", err)
	case int64(len(text)) > most:
		return nil, fmt.Errorf("plan: the file has more than %d bytes; want one JSON object as `pixlab plan` writes it", most)
	}
	return text, nil
}

func decodePlan(text []byte) (*Plan, error) {
	if err := checkFormat(text); err != nil {
		return nil, err
	}
	if err := checkMembers(json.NewDecoder(bytes.NewReader(text)), "the plan"); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var p Plan
	if err := dec.Decode(&p); err != nil {
		return nil, explainJSON(err, len(text))
	}
	sorted := p.canonical()
	return &sorted, nil
}

// checkFormat refuses what is not one whole JSON object of our format, before
// anything inside it is judged.
func checkFormat(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("the file is empty; want one JSON object as `pixlab plan` writes it")
	}
	var head struct {
		Format *string `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return explainJSON(err, len(text))
	}
	if head.Format == nil {
		return fmt.Errorf("there is no format; want \"format\": %q", Format)
	}
	if *head.Format != Format {
		return fmt.Errorf("format %q is unknown; this build reads %q", *head.Format, Format)
	}
	return nil
}

// checkMembers refuses an object that names a member twice, or in capitals:
// encoding/json would take the last, or the look-alike, without a word.
func checkMembers(dec *json.Decoder, where string) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	delim, ok := open.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		inside := where
		if delim == '{' {
			token, err := dec.Token()
			if err != nil {
				return err
			}
			name := token.(string)
			if seen[name] {
				return fmt.Errorf("member %q stands twice in %s; want it once", name, where)
			}
			if name != strings.ToLower(name) {
				return fmt.Errorf("member %q is unknown in %s; members are in lower case", name, where)
			}
			seen[name] = true
			inside = name
		}
		if err := checkMembers(dec, inside); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// explainJSON turns an error of encoding/json into one line for people.
func explainJSON(err error, size int) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && int(syntax.Offset) >= size:
		return fmt.Errorf("the file is cut short after %d bytes; want one whole JSON object", size)
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at byte %d (%w); want one JSON object and nothing after it", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("the file holds a JSON %s; want one JSON object", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("member %s holds a JSON %s; want %s", kind.Field, kind.Value, plainKind(kind.Type))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("member %s is unknown; docs/plan.md lists those of format %s", name, Format)
	}
	return fmt.Errorf("%w; docs/plan.md gives the layout of format %s", err, Format)
}

// plainKind says in JSON's words what a member of a Go type holds.
func plainKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return plainKind(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}

// Encode is the plan as a file: indented JSON with charges, payments, refunds
// and disputes in the order of their numbers and faults by kind, then address. Equal plans have
// equal bytes, and [ReadPlan] gives back the plan.
func (p *Plan) Encode() []byte {
	sorted := p.canonical()
	out, err := json.MarshalIndent(sorted, "", "  ")
	if err != nil {
		// A plan holds numbers, strings and a year in four digits alone.
		panic("encode plan: " + err.Error())
	}
	return append(out, '\n')
}

// Hash is "sha256:" and 64 hex digits over Encode.
func (p *Plan) Hash() string {
	sum := sha256.Sum256(p.Encode())
	return hashText(sum[:])
}

// canonical is a copy in the order of the file.
func (p *Plan) canonical() Plan {
	out := *p
	out.Start = p.Start.UTC()
	out.Charges = append([]Charge{}, p.Charges...)
	out.Payments = append([]Payment{}, p.Payments...)
	out.Refunds = append([]Refund(nil), p.Refunds...)
	out.Disputes = append([]Dispute(nil), p.Disputes...)
	out.Payouts = append([]Payout(nil), p.Payouts...)
	out.Faults = sortDeviations(p.Faults)
	out.Operator = sortedActs(p.Operator)
	out.Schedule = p.Schedule.sorted()
	for i := range out.Faults {
		out.Faults[i].Set = Change{}.Join(out.Faults[i].Set) // sorts the lists inside
	}
	slices.SortStableFunc(out.Charges, func(a, b Charge) int { return compareIDs(a.ID, b.ID) })
	slices.SortStableFunc(out.Payments, func(a, b Payment) int { return compareIDs(a.ID, b.ID) })
	slices.SortStableFunc(out.Refunds, func(a, b Refund) int { return compareIDs(a.ID, b.ID) })
	slices.SortStableFunc(out.Disputes, func(a, b Dispute) int { return compareIDs(a.ID, b.ID) })
	slices.SortStableFunc(out.Payouts, func(a, b Payout) int { return compareIDs(a.ID, b.ID) })
	return out
}
