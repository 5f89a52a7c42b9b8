package chaos

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// drawChange fills every member of a change by its type, some with zero.
func drawChange(t *rapid.T, label string) Change {
	var c Change
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		f, name := v.Field(i), label+"."+v.Type().Field(i).Name
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(rapid.Bool().Draw(t, name))
		case reflect.String:
			f.SetString(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, name))
		case reflect.Slice:
			words := append(shapes(), "p2", "p10")
			list := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 0, 3, rapid.ID).Draw(t, name)
			f.Set(reflect.ValueOf(union(list, nil, byShape)))
			if v.Type().Field(i).Name == "With" {
				f.Set(reflect.ValueOf(union(list, nil, compareIDs)))
			}
		default:
			f.SetInt(rapid.Int64Range(0, 3).Draw(t, name))
		}
	}
	return c
}

// The order in which deviations meet must not matter, and meeting nothing must
// change nothing.
func TestJoinIsOrderless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawChange(t, "a"), drawChange(t, "b"), drawChange(t, "c")
		if x, y := a.Join(b), b.Join(a); !reflect.DeepEqual(x, y) {
			t.Fatalf("a+b = %+v, b+a = %+v", x, y)
		}
		if x, y := a.Join(b).Join(c), a.Join(b.Join(c)); !reflect.DeepEqual(x, y) {
			t.Fatalf("(a+b)+c = %+v, a+(b+c) = %+v", x, y)
		}
		if x := a.Join(Change{}); !reflect.DeepEqual(x, a) {
			t.Fatalf("a+nothing = %+v, want %+v", x, a)
		}
	})
}

// TestJoinRules holds each member to the rule that stands beside it.
func TestJoinRules(t *testing.T) {
	t.Parallel()
	a := Change{DelayMS: 1, CopyAfterMS: 5, AtMS: 9, SayCents: 7, Signature: SignatureBad, LagMS: 4, SkewMS: -9, Status: 429,
		Shape: []string{ShapeTruncated}, With: []string{"p10"}, RemoveAtMS: 0, PayAtMS: 3, RestartMS: 2, Cut: true, SayRefundCents: 6, SayRefundID: "R1"}
	b := Change{DelayMS: 2, CopyAfterMS: 3, AtMS: 0, SayCents: 9, Signature: SignatureMissing, LagMS: 3, SkewMS: 4, Status: 503,
		Shape: []string{ShapeNulls, ShapeTruncated}, With: []string{"p2"}, RemoveAtMS: 8, PayAtMS: 4, RestartMS: 1, Lax: true, SayRefundCents: 5, SayRefundID: "R2", Revoked: true}
	want := Change{DelayMS: 3, CopyAfterMS: 3, AtMS: 9, SayCents: 9, Signature: SignatureMissing, LagMS: 4, SkewMS: -5, Status: 503,
		Shape: []string{ShapeNulls, ShapeTruncated}, With: []string{"p2", "p10"}, RemoveAtMS: 8, PayAtMS: 4, RestartMS: 2, Cut: true, Lax: true, SayRefundCents: 6, SayRefundID: "R2", Revoked: true}
	if got := a.Join(b); !reflect.DeepEqual(got, want) {
		t.Errorf("join = %+v\nwant %+v", got, want)
	}
}

// TestJoinKnowsEveryMember fails when a member is added to Change and forgotten
// in Join.
func TestJoinKnowsEveryMember(t *testing.T) {
	t.Parallel()
	typ := reflect.TypeFor[Change]()
	for i := range typ.NumField() {
		var one Change
		f := reflect.ValueOf(&one).Elem().Field(i)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("x")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		default:
			f.SetInt(1)
		}
		if got := (Change{}).Join(one); !reflect.DeepEqual(got, one) {
			t.Errorf("Join loses %s", typ.Field(i).Name)
		}
		if got := one.words(); len(got) != 1 && typ.Field(i).Name != "RestartMS" {
			t.Errorf("Explain has %d words for %s, want one", len(got), typ.Field(i).Name)
		}
	}
}
