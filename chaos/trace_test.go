package chaos

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTraceLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tr := NewTrace(&out)
	tr.Emit(MS(1500), "psp", "callback.sent", "attempt 1", "payment", "p17", "charge", "", "e2e", "E1")
	tr.Emit(MS(1501), "world", "heal", "")
	want := `{"n":1,"t":1500000,"actor":"psp","kind":"callback.sent","ids":{"payment":"p17","e2e":"E1"},"detail":"attempt 1"}` + "\n" +
		`{"n":2,"t":1501000,"actor":"world","kind":"heal"}` + "\n"
	if got := out.String(); got != want {
		t.Errorf("trace =\n%swant\n%s", got, want)
	}
	if tr.Count() != 2 || tr.Err() != nil {
		t.Errorf("count %d, err %v; want 2 and none", tr.Count(), tr.Err())
	}
	sum := sha256.Sum256(out.Bytes())
	if got, want := tr.Hash(), "sha256:"+hex.EncodeToString(sum[:]); got != want {
		t.Errorf("hash = %s, want that of the text, %s", got, want)
	}
}

func TestTraceHashWithoutWriter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	loud, silent := NewTrace(&out), NewTrace(nil)
	for _, tr := range []*Trace{loud, silent} {
		tr.Emit(1, "a", "b", "c", "d", "e")
	}
	if loud.Hash() != silent.Hash() {
		t.Errorf("hash with writer %s, without %s; want the same", loud.Hash(), silent.Hash())
	}
	before := silent.Hash()
	if silent.Hash() != before {
		t.Error("asking for the hash moved it")
	}
	silent.Emit(2, "a", "b", "c")
	if silent.Hash() == before {
		t.Error("an event did not move the hash")
	}
}

func TestTraceReadsBackAsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		actor, detail, id := text.Draw(t, "actor"), text.Draw(t, "detail"), text.Draw(t, "id")
		var out bytes.Buffer
		NewTrace(&out).Emit(7, actor, "k", detail, "id", id)
		if bytes.Count(out.Bytes(), []byte{'\n'}) != 1 {
			t.Fatalf("%q is not one line", out.String())
		}
		var got struct {
			Actor, Kind, Detail string
			IDs                 map[string]string
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%q: %v", out.String(), err)
		}
		for _, pair := range [][2]string{{got.Actor, actor}, {got.Detail, detail}, {got.IDs["id"], id}} {
			if want := asJSON(t, pair[1]); pair[0] != want {
				t.Fatalf("came back as %q, want %q", pair[0], want)
			}
		}
	})
}

// asJSON is the text as encoding/json would bring it back.
func asJSON(t *rapid.T, s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out string
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

type failing struct{ after int }

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestTraceKeepsTheFirstWriteError(t *testing.T) {
	t.Parallel()
	tr, whole := NewTrace(&failing{after: 1}), NewTrace(nil)
	for range 3 {
		tr.Emit(1, "a", "b", "c")
		whole.Emit(1, "a", "b", "c")
	}
	if err := tr.Err(); err == nil || !strings.Contains(err.Error(), "event 2: disk full") {
		t.Errorf("err = %v, want that of event 2", err)
	}
	if tr.Hash() != whole.Hash() || tr.Count() != 3 {
		t.Error("a write error changed the hash or the count")
	}
}

func TestTraceAllocatesNothing(t *testing.T) {
	tr := NewTrace(io.Discard)
	got := testing.AllocsPerRun(100, func() {
		tr.Emit(MS(12), "receiver/1/worker", "ApplyEvents", "booked R$ 10,00", "payment", "p17", "charge", "c17")
	})
	if got > 0 {
		t.Errorf("an event costs %.0f allocations, want none", got)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b, left, right string
		line              int64
	}{
		"same":          {"x\ny\n", "x\ny\n", "", "", 0},
		"both empty":    {"", "", "", "", 0},
		"first line":    {"x\ny\n", "z\ny\n", "x", "z", 1},
		"later line":    {"x\ny\n", "x\nz\n", "y", "z", 2},
		"left is short": {"x\n", "x\ny\n", "", "y", 2},
		"right is cut":  {"x\ny\n", "x\ny", "y", "y", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, left, right, err := Diff(strings.NewReader(c.a), strings.NewReader(c.b))
			if err != nil || line != c.line || left != c.left || right != c.right {
				t.Errorf("Diff = %d %q %q %v, want %d %q %q", line, left, right, err, c.line, c.left, c.right)
			}
		})
	}
}

func BenchmarkTraceEmit(b *testing.B) {
	b.ReportAllocs()
	tr := NewTrace(nil)
	for b.Loop() {
		tr.Emit(MS(12), "receiver/1/worker", "ApplyEvents", "booked R$ 10,00", "payment", "p17", "charge", "c17")
	}
}
