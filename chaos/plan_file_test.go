package chaos

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func generate(t testing.TB, o Options) *Plan {
	t.Helper()
	p, err := Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanFileRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range Seed(50) {
		for _, profile := range []string{"calm", "mixed", "hostile", "swarm"} {
			want := generate(t, Options{Seed: seed, Profile: profile})
			text := want.Encode()
			got, err := ReadPlan(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, profile, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s: the plan read back differs", seed, profile)
			}
			if !bytes.Equal(got.Encode(), text) || got.Hash() != want.Hash() {
				t.Fatalf("seed %d, %s: encoded again, the plan differs", seed, profile)
			}
		}
	}
}

func TestEncodeSortsAndKeepsThePlan(t *testing.T) {
	t.Parallel()
	p := testPlan(
		inWindow("store_down", PlaceStore, 5, 9, Change{Down: true}),
		onCallback("p10", 0, 1, Change{Drop: true}), onCallback("p2", 0, 1, Change{Drop: true}),
	)
	p.Faults[1].Kind, p.Faults[2].Kind = "drop", "drop"
	p.Payments = append(p.Payments, Payment{ID: "p10", EndToEndID: "E10", AmountCents: 1}, Payment{ID: "p9", EndToEndID: "E9", AmountCents: 1})
	p.Start = p.Start.In(time.FixedZone("São Paulo", -3*3600))
	sorted, err := ReadPlan(bytes.NewReader(p.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, d := range sorted.Faults {
		order = append(order, d.Target.String())
	}
	if got, want := strings.Join(order, " "), "callback/p2/credit/0/1 callback/p10/credit/0/1 window/store/5ms..9ms"; got != want {
		t.Errorf("faults in the order %s, want %s", got, want)
	}
	if n := len(sorted.Payments); sorted.Payments[n-2].ID != "p9" || sorted.Payments[n-1].ID != "p10" {
		t.Errorf("payments end in %s, %s; want p9, p10", sorted.Payments[n-2].ID, sorted.Payments[n-1].ID)
	}
	if p.Payments[len(p.Payments)-1].ID != "p9" || p.Faults[0].Kind != "store_down" {
		t.Error("Encode changed the plan's own order")
	}
	if p.Hash() != sorted.Hash() {
		t.Error("the order in memory moved the hash")
	}
}

func TestEncodeHasNoNull(t *testing.T) {
	t.Parallel()
	p := &Plan{Format: Format}
	for _, want := range []string{`"charges": []`, `"payments": []`, `"faults": []`} {
		if !bytes.Contains(p.Encode(), []byte(want)) {
			t.Errorf("an empty plan lacks %s", want)
		}
	}
}

// spoilt makes broken copies of one good plan file.
type spoilt struct {
	*testing.T
	text string
}

func spoil(t *testing.T) spoilt {
	return spoilt{t, string(generate(t, Options{Seed: 42, Profile: "calm", Payments: 2}).Encode())}
}

func (s spoilt) swap(old, new string) string {
	s.Helper()
	if !strings.Contains(s.text, old) {
		s.Fatalf("the plan holds no %s", old)
	}
	return strings.Replace(s.text, old, new, 1)
}

func (s spoilt) fault(f string) string { return s.swap(`"faults": []`, `"faults": [`+f+`]`) }

func (s spoilt) drop(target string) string {
	return s.fault(`{"kind": "drop", "target": {` + target + `}, "set": {"drop": true}}`)
}

// refusal is a file that is wrong, and what the error must say of both.
type refusal struct{ text, wrong, right string }

func (c refusal) check(t *testing.T) {
	t.Helper()
	p, err := ReadPlan(strings.NewReader(c.text))
	if err == nil {
		t.Fatalf("read as %d payments, want an error", len(p.Payments))
	}
	if got := err.Error(); !strings.Contains(got, c.wrong) || !strings.Contains(got, c.right) || strings.Contains(got, "\n") {
		t.Errorf("error %q, want one line that says %q and %q", got, c.wrong, c.right)
	}
}

func TestReadPlanRefuses(t *testing.T) {
	t.Parallel()
	s := spoil(t)
	text, swap := s.text, s.swap
	for name, c := range map[string]refusal{
		"empty":            {" \n", "empty", "one JSON object"},
		"no JSON":          {"seed: 42", "no JSON at byte 1", "one JSON object"},
		"array":            {"[]", "JSON array", "one JSON object"},
		"cut short":        {text[:len(text)/2], "cut short after", "one whole JSON object"},
		"something after":  {text + "{}", "no JSON at byte", "nothing after it"},
		"no format":        {"{}", "no format", Format},
		"other format":     {swap(Format, "pixlab.plan/9"), `"pixlab.plan/9" is unknown`, Format},
		"unknown member":   {swap(`"faults"`, `"extra": 1, "faults"`), `"extra" is unknown`, "docs/plan.md"},
		"member in caps":   {swap(`"faults"`, `"Faults"`), `"Faults" is unknown`, "lower case"},
		"member twice":     {swap(`"faults"`, `"seed": "1", "faults"`), `"seed" stands twice`, "once"},
		"wrong type":       {swap(`"generator": 3`, `"generator": "1"`), "generator holds a JSON string", "a whole number"},
		"a fraction":       {swap(`"amount_cents": `, `"amount_cents": 0.`), "amount_cents holds a JSON number 0.", "a whole number"},
		"object for array": {swap(`"charges": [`, `"charges": {}, "unread": [`), "charges holds a JSON object", "an array"},
		"sweeps all day":   {swap(`"sweep_every_ms": 900000`, `"sweep_every_ms": 10`), "sweep_every_ms is 10", "100 or more"},
		"terminal's codes": {swap(`"profile": "`, `"profile": "\u001b[31m`), "profile holds a control character", "plain text"},
		"endless charge":   {swap(`"expires_in_s": `, `"expires_in_s": 1000000000`), "expires_in_s is 1000000000", "at most"},
		"seed is a number": {swap(`"seed": "42"`, `"seed": 42`), "seed", "decimal string"},
		"seed too large":   {swap(`"seed": "42"`, `"seed": "9007199254740992"`), "9007199254740992", "9007199254740991"},
		"no start":         {swap(`"start": "2026-04-11T03:00:00Z",`, ""), "start is missing", "2026-"},
		"bad start":        {swap(`"start": "2026-04-11T03:00:00Z"`, `"start": "yesterday"`), "yesterday", "docs/plan.md"},
		"no horizon":       {swap(`"horizon_ms": 86400000,`, ""), "horizon_ms is 0", "86400000"},
		"no instances":     {swap(`"instances": 2`, `"instances": 0`), "instances is 0", "1 or more"},
		"huge pages":       {swap(`"page_size": `, `"page_size": 99`), "page_size is 99", "at most 1000"},
		"unknown retry":    {swap(`"retry": "efi"`, `"retry": "never"`), `retry "never" is unknown`, "generic"},
		"charge twice":     {swap(`"id": "c1"`, `"id": "c0"`), `charge c0: id "c0" stands twice`, "each once"},
		"one id for both":  {swap(`"id": "p1"`, `"id": "c1"`), `payment c1: id "c1" stands twice, first at charge c1`, "each once"},
		"reference twice":  {swap("PED-1001", "PED-1000"), `reference "PED-1000" stands twice`, "each once"},
		"no reference":     {swap("PED-1001", ""), "reference is missing", "nothing else"},
		"unknown charge":   {swap(`"charge": "c1"`, `"charge": "c7"`), `no charge "c7"`, "one of charges"},
		"unknown sort":     {swap(`"kind": "dynamic"`, `"kind": "boleto"`), `"boleto" is unknown`, "dynamic, static"},
		"charge unlimited": {swap(`"expires_in_s": `, `"expires_in_s": -`), "expires_in_s is -", "1 or more"},
		"before the start": {swap(`"at_ms": `, `"at_ms": -`), "at_ms is -", "0 or more"},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.check(t) })
	}
}

func TestReadPlanRefusesFaults(t *testing.T) {
	t.Parallel()
	s := spoil(t)
	fault, drop := s.fault, s.drop
	for name, c := range map[string]refusal{
		"id of two lines":  {drop(`"payment": "p\n1"`), "payment/p\ufffd1", "one of payments"},
		"unknown kind":     {fault(`{"kind": "delai", "target": {"payment": "p1"}, "set": {"lax": true}}`), `"delai" is unknown`, "delay, duplicate"},
		"no target":        {drop(""), "target has 0 members", "exactly one of"},
		"two targets":      {drop(`"payment": "p1", "window": {"place": "store", "from_ms": 1, "to_ms": 2}`), "target has 2 members", "exactly one of"},
		"no such payment":  {drop(`"payment": "p9"`), `names "p9"`, "one of payments"},
		"no such subject":  {drop(`"api": {"route": "cob.put", "subject": "c9", "nth": 1}`), `names "c9"`, "payments or charges"},
		"no such notice":   {drop(`"callback": {"subject": "p1", "notice": "gift", "copy": 0, "attempt": 1}`), `"gift" is unknown`, "credit, forged"},
		"attempt zero":     {drop(`"callback": {"subject": "p1", "notice": "credit", "copy": 0, "attempt": 0}`), "attempt is 0", "1 or more"},
		"no such route":    {drop(`"api": {"route": "cob.del", "subject": "c1", "nth": 1}`), `"cob.del" is unknown`, "cob.put"},
		"no such edge":     {drop(`"command": {"instance": "1", "command": "ApplyEvents", "subject": "p1", "edge": "in", "nth": 1}`), `"in" is unknown`, "before, after"},
		"no such instance": {drop(`"command": {"instance": "3", "command": "ApplyEvents", "subject": "p1", "edge": "after", "nth": 1}`), `instance "3"`, "1 to 2, or any"},
		"no such duty":     {drop(`"command": {"instance": "1", "command": "SaveDuty", "subject": "p1", "edge": "after", "nth": 1}`), `duty "p1" is unknown`, "sweep"},
		"no command":       {drop(`"command": {"instance": "1", "subject": "p1", "edge": "after", "nth": 1}`), "command is missing", "ApplyEvents"},
		"no such place":    {drop(`"window": {"place": "instance/3/clock", "from_ms": 1, "to_ms": 2}`), "instance/3/clock", "instance/2/clock"},
		"window backwards": {drop(`"window": {"place": "store", "from_ms": 5, "to_ms": 5}`), "ends at 5 and begins at 5", "after from_ms"},
		"window too early": {drop(`"window": {"place": "store", "from_ms": -5, "to_ms": 5}`), "from_ms is -5", "0 or more"},
		"sets nothing":     {fault(`{"kind": "drop", "target": {"payment": "p1"}, "set": {}}`), "set is empty", "at least one"},
		"back in time":     {fault(`{"kind": "delay", "target": {"payment": "p1"}, "set": {"delay_ms": -1}}`), "delay_ms is -1", "0 or more"},
		"behind nobody":    {fault(`{"kind": "reorder", "target": {"payment": "p1"}, "set": {"behind": "p9"}}`), `behind names "p9"`, "one of payments"},
		"pays nobody":      {fault(`{"kind": "second_payment", "target": {"payment": "p1"}, "set": {"pay_charge": "c9"}}`), `pay_charge names "c9"`, "one of charges"},
		"unknown shape":    {fault(`{"kind": "truncated", "target": {"payment": "p1"}, "set": {"shape": ["round"]}}`), `"round" is unknown`, "truncated"},
		"group upwards":    {fault(`{"kind": "grouped", "target": {"callback": {"subject": "p1", "notice": "credit", "copy": 0, "attempt": 1}}, "set": {"with": ["p0"]}}`), "with names p0", "lowest payment"},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.check(t) })
	}
}

func TestReadPlanTakesUnknownProfileAndNegativeSkew(t *testing.T) {
	t.Parallel()
	p := testPlan(inWindow("clock_skew", InstancePlace(1, PlaceClock), 0, 9, Change{SkewMS: -5}))
	p.Profile, p.Generator = "by-hand", 99
	if _, err := ReadPlan(bytes.NewReader(p.Encode())); err != nil {
		t.Errorf("err = %v, want none", err)
	}
}

func TestReadPlanSaysThatTheReaderBroke(t *testing.T) {
	t.Parallel()
	if _, err := ReadPlan(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("err = %v, want that of the reader", err)
	}
}

func TestLastAction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault Deviation
		want  int64
	}{
		"a window's end":      {inWindow("store_down", PlaceStore, 5, 70_000, Change{Down: true}), 70_000},
		"a late callback":     {onCallback("p1", 0, 1, Change{DelayMS: 5_000}), 65_010},
		"a later copy":        {onCallback("p1", 21, 1, Change{CopyAfterMS: 600_000}), 660_010},
		"a retry is none":     {onCallback("p1", 0, 2, Change{DelayMS: 5_000}), 60_010},
		"an extra notice":     {onNotice("p1", NoticeForged, Change{AtMS: 90_000}), 90_000},
		"a payment put off":   {onPayment("p1", Change{PayAtMS: 100_000}), 100_010},
		"a payment to p1's":   {onPayment("p1", Change{PayCents: 1}), 60_010},
		"a charge's removal":  {onPayment("p1", Change{RemoveAtMS: 99_000}), 99_000},
		"an API call is none": {onAPI(RoutePixGet, "p1", 1, Change{SlowMS: 1}), 60_010},
	} {
		if got := testPlan(c.fault).LastActionMS(); got != c.want {
			t.Errorf("%s: last action at %d, want %d", name, got, c.want)
		}
	}
}

// FuzzReadPlan holds ReadPlan to its promise: an error of one line, or a plan
// that encodes and reads back as itself.
func FuzzReadPlan(f *testing.F) {
	for seed := range Seed(3) {
		p, err := Generate(Options{Seed: seed, Profile: "hostile", Payments: 3})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(p.Encode())
	}
	f.Add([]byte(`{"format":"pixlab.plan/1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ReadPlan(bytes.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		again, err := ReadPlan(bytes.NewReader(p.Encode()))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("read back: %v", err)
		}
		p.Merge()
		p.LastActionMS()
		p.Explain(io.Discard)
	})
}
