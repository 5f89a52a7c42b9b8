package fakepsp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// bentBody is the body of a callback in these shapes.
func bentBody(t *testing.T, shapes ...string) []byte {
	t.Helper()
	l := newLabWith(t, func(c *Config) { c.OversizeBytes = 5000 }, callback(1, chaos.Change{Shape: shapes}))
	l.paid(1)
	a := l.take()
	if l.fired() != 1 || l.verdict(a) != nil {
		t.Errorf("fired %d, signature %v", l.fired(), l.verdict(a))
	}
	return a.Body
}

func oneItem(t *testing.T, raw []byte) pix.CallbackItem {
	t.Helper()
	items, err := pix.ParseCallback(raw)
	if err != nil || len(items) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	return items[0]
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{
		chaos.ShapeUnknownFields, chaos.ShapeUnknownEnums, chaos.ShapeNulls,
		chaos.ShapeRefundObject, chaos.ShapeRootArray, chaos.ShapeOversized,
	} {
		t.Run(shape+" is valid JSON of the same Pix", func(t *testing.T) {
			raw := bentBody(t, shape)
			if !json.Valid(raw) {
				t.Fatalf("not JSON: %s", raw)
			}
			got := oneItem(t, raw)
			if got.Err != nil || got.Payment.EndToEndID != e2eOf(1) || got.Payment.Amount != 1000 || got.Payment.Refunded() != 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
	for shape, want := range map[string]string{
		chaos.ShapeUnknownFields: "9007199254740993",
		chaos.ShapeUnknownEnums:  `"natureza":"MED_NOVA_2027"`,
		chaos.ShapeNulls:         `"infoPagador":null`,
		chaos.ShapeRefundObject:  `"devolucoes":null`,
	} {
		if raw := bentBody(t, shape); !bytes.Contains(raw, []byte(want)) {
			t.Errorf("%s: %s lacks %s", shape, raw, want)
		}
	}
}

func TestShapesTogether(t *testing.T) {
	t.Parallel()
	t.Run("refund as an object", func(t *testing.T) {
		raw := bentBody(t, chaos.ShapeUnknownEnums, chaos.ShapeRefundObject)
		if !bytes.Contains(raw, []byte(`"devolucoes":{"id":"NOVA"`)) || oneItem(t, raw).Err != nil {
			t.Errorf("got %s", raw)
		}
	})
	t.Run("all at once, each member once", func(t *testing.T) {
		raw := bentBody(t, chaos.ShapeUnknownFields, chaos.ShapeUnknownEnums, chaos.ShapeNulls, chaos.ShapeRefundObject, chaos.ShapeRootArray)
		if raw[0] != '[' || bytes.Count(raw, []byte(`"devolucoes"`)) != 1 || oneItem(t, raw).Err != nil {
			t.Errorf("got %s", raw)
		}
	})
	t.Run("oversized", func(t *testing.T) {
		if raw := bentBody(t, chaos.ShapeOversized); len(raw) != 5000 {
			t.Errorf("got %d bytes", len(raw))
		}
	})
	t.Run("truncated", func(t *testing.T) {
		if raw := bentBody(t, chaos.ShapeTruncated); json.Valid(raw) || len(raw) == 0 {
			t.Errorf("got %s", raw)
		}
	})
	t.Run("no shape is the plain encoding", func(t *testing.T) {
		items := []pix.Payment{{EndToEndID: e2eOf(1), Amount: 1, PaidAt: labStart}, {EndToEndID: e2eOf(2), Amount: 2, PaidAt: labStart}}
		if got, want := bend(items, nil, 0), pix.EncodeCallback(items); !bytes.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
