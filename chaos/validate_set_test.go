package chaos

import (
	"strings"
	"testing"
)

// TestAFaultThatCanDoNothingIsRefused wants each kind of it named with its place.
func TestAFaultThatCanDoNothingIsRefused(t *testing.T) {
	t.Parallel()
	plan, err := Generate(Options{Seed: 7, Profile: "calm"})
	if err != nil {
		t.Fatal(err)
	}
	charge := plan.Charges[0].ID
	pay, call := Target{Payment: "p3"}, Target{API: &APIAddress{Route: RouteChargePut, Subject: charge, Nth: 1}}
	through := func(place string) Target { return Target{Window: &Window{Place: place, FromMS: 1, ToMS: 2}} }
	command := func(name string) Target {
		return Target{Command: &CommandAddress{Instance: AnyInstance, Command: name, Subject: "p3", Edge: EdgeAfter, Nth: 1}}
	}
	for _, c := range []struct {
		target Target
		set    Change
		want   string // "" is accepted
	}{
		{pay, Change{Drop: true}, "at payment/p3: set has drop, which does nothing there"},
		{pay, Change{PayCents: 5, Lax: true}, ""},
		{call, Change{Down: true}, "set has down"},
		{call, Change{Status: 200}, "status is 200, which is no failure"},
		{call, Change{StatusAfter: 700}, "status_after is 700"},
		{call, Change{Status: 503}, ""},
		{through(PlaceEndpoint), Change{Status: 302}, "status is 302"},
		{through(PlaceEndpoint), Change{Status: 400}, ""},
		{through(PlaceStore), Change{SkewMS: 5}, "set has skew_ms"},
		{through(PlacePSP), Change{Revoked: true}, "set has revoked"},
		{command("Nope"), Change{Crash: true}, `command "Nope" is unknown`},
		{command(CommandApplyEvents), Change{PauseMS: 5}, "set has pause_ms"},
		{command(CommandApplyEvents), Change{Crash: true, RestartMS: 5}, ""},
	} {
		p := *plan
		p.Faults = []Deviation{{Kind: "drop", Target: c.target, Set: c.set}}
		switch err := p.Validate(); {
		case c.want == "" && err != nil:
			t.Errorf("%s, %+v: %v", c.target, c.set, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.target, err, c.want)
		}
	}
}
