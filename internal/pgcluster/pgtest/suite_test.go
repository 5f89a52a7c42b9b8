package pgtest

import (
	"context"
	"errors"
	"testing"
)

func TestSuiteNeedsMain(t *testing.T) {
	t.Parallel()
	if _, err := newSuite().shared(); !errors.Is(err, errNoMain) {
		t.Errorf("got %v, want errNoMain", err)
	}
}

func TestTemplateErrorIsEverybodys(t *testing.T) {
	t.Parallel()
	Shared(t)
	want := errors.New("no such migration")
	calls := 0
	for range 2 {
		_, err := binary().copyOf(t.Context(), "broken", func(context.Context, string) error {
			calls++
			return want
		})
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if calls != 1 {
		t.Errorf("built %d times, want once", calls)
	}
}
