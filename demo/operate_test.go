package demo

import (
	"errors"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/film"
)

// operable is a session that has an event in quarantine and an open case with
// money, each with an instant at which it has.
func operable(t *testing.T) (s *Session, event film.InboxStep, held film.CaseStep) {
	t.Helper()
	for seed := range chaos.Seed(40) {
		s = open(t, seed)
		if err := s.Reset(chaos.Options{Seed: seed, Profile: "hostile"}); err != nil {
			t.Fatal(err)
		}
		state, _ := s.State()
		f := state.Right
		event, held = film.InboxStep{}, film.CaseStep{}
		for _, e := range f.Inbox {
			switch {
			case e.T > f.Rest-2*chaos.Second: // all is delivered once more
			case e.State == "QUARANTINED":
				event = e
			case e.ID == event.ID && e.T < event.T+2*chaos.Second:
				event = film.InboxStep{} // woken too soon to be acted on
			}
		}
		for i, c := range f.Cases {
			if c.State == "open" && c.Cents > 0 && c.T < f.Rest-2*chaos.Second && lastCase(f, c.ID, f.End) == i {
				held = c
			}
		}
		if event.Key != "" && held.ID != "" {
			return s, event, held
		}
	}
	t.Fatal("no seed of forty puts an event and money aside")
	return nil, event, held
}

// TestOperatorIsPartOfThePlan requeues, drops and closes, saves, and runs what
// was saved: the same hash, the past as it was, and every invariant held.
func TestOperatorIsPartOfThePlan(t *testing.T) {
	t.Parallel()
	for _, do := range []chaos.OperatorDo{chaos.OperatorRequeue, chaos.OperatorDrop, chaos.OperatorClose} {
		s, event, held := operable(t)
		before, _ := s.State()
		act, at := chaos.OperatorAct{Do: do, Key: event.Key}, event.T+chaos.Second
		if do == chaos.OperatorClose {
			act, at = chaos.OperatorAct{Do: do, Key: held.ID, To: chaos.ToReturn}, held.T+chaos.Second
		}
		if err := s.Operate(act, at); err != nil {
			t.Errorf("%s: %v", do, err)
			continue
		}
		after, _ := s.State()
		samePast(t, Button(do), before.Right, after.Right, at)
		samePast(t, Button(do), before.Left, after.Left, at)
		if len(after.Right.Acts) != 1 || !after.Right.Acts[0].Done || after.Added != 1 {
			t.Errorf("%s: it came to %+v", do, after.Right.Acts)
		}
		if after.Right.Hash == before.Right.Hash || after.Right.Verdict != "held" || len(after.Right.Wrongs) > 0 {
			t.Errorf("%s: the hash moved: %t; the reference is %s, wrong by %v", do, after.Right.Hash != before.Right.Hash, after.Right.Verdict, after.Right.Wrongs)
		}
		saved, err := written(s.Plan())
		if err != nil {
			t.Fatal(err)
		}
		world, err := scenarios.NewWorld(saved, scenarios.Options{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := world.Run()
		if err != nil {
			t.Fatal(err)
		}
		if report.Hash != after.Right.Hash {
			t.Errorf("%s: the saved plan runs to %s, the demo showed %s", do, report.Hash, after.Right.Hash)
		}
		if do == chaos.OperatorClose {
			if i := lastCase(after.Right, held.ID, after.Right.End); after.Right.Cases[i].State != "closed" {
				t.Errorf("the case is %+v", after.Right.Cases[i])
			}
		}
	}
}

// TestOperatorIsRefused orders what cannot be done, which leaves all as it was.
func TestOperatorIsRefused(t *testing.T) {
	t.Parallel()
	s, event, held := operable(t)
	before, _ := s.State()
	for name, c := range map[string]struct {
		act chaos.OperatorAct
		at  chaos.Instant
	}{
		"before it was put aside": {chaos.OperatorAct{Do: chaos.OperatorRequeue, Key: event.Key}, 0},
		"nothing of that name":    {chaos.OperatorAct{Do: chaos.OperatorDrop, Key: "pix:E0"}, chaos.Never},
		"a case not open yet":     {chaos.OperatorAct{Do: chaos.OperatorClose, Key: held.ID, To: chaos.ToRevenue}, 0},
		"money to nowhere":        {chaos.OperatorAct{Do: chaos.OperatorClose, Key: held.ID}, held.T},
		"an unknown word":         {chaos.OperatorAct{Do: "forget", Key: event.Key}, event.T},
	} {
		if err := s.Operate(c.act, c.at); err == nil {
			t.Errorf("%s: it was done", name)
		}
	}
	if after, _ := s.State(); after.Version != before.Version {
		t.Error("a refused act changed the session")
	}
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Talk(scenes), s.Play(7)); err != nil {
		t.Fatal(err)
	}
	night, _ := s.State()
	short := night.Right.Cases[0] // a phantom that the night took back
	if err := s.Operate(chaos.OperatorAct{Do: chaos.OperatorClose, Key: short.ID, To: chaos.ToRevenue}, short.T); err == nil || short.Cents >= 0 {
		t.Errorf("revenue that had settled a charge was taken back for %+v", short)
	}
}

// TestDroppedMoneyComesByTheStatement drops an event that is genuine and only
// waits: the receiver has not refused it, and the reconciliation books what it
// told of, so that nothing is missing in the end.
func TestDroppedMoneyComesByTheStatement(t *testing.T) {
	t.Parallel()
	dropped := 0
	for seed := chaos.Seed(0); seed < 60 && dropped < 3; seed++ {
		s := open(t, seed)
		if err := s.Reset(chaos.Options{Seed: seed, Profile: "hostile"}); err != nil {
			t.Fatal(err)
		}
		state, _ := s.State()
		e, ok := waiting(state.Right)
		if !ok {
			continue
		}
		dropped++
		if err := s.Operate(chaos.OperatorAct{Do: chaos.OperatorDrop, Key: e.Key}, e.T+chaos.Second); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		after, _ := s.State()
		if after.Right.Verdict != "held" || len(after.Right.Wrongs) > 0 || !after.Right.Acts[0].Done {
			t.Errorf("seed %d: %s dropped: %s, wrong by %v, %v", seed, e.Key, after.Right.Verdict, after.Right.Wrongs, after.Right.Invariants)
		}
	}
	if dropped == 0 {
		t.Error("no seed has a genuine Pix in quarantine")
	}
}

// waiting is a credit that stays in quarantine for some seconds and is booked in
// the end.
func waiting(f *film.Film) (film.InboxStep, bool) {
	for i, e := range f.Inbox {
		if e.State != "QUARANTINED" || !strings.HasPrefix(e.Key, "pix:") {
			continue
		}
		for _, next := range f.Inbox[i+1:] {
			if next.ID == e.ID && next.T < e.T+2*chaos.Second {
				break
			}
			if next.ID == e.ID && next.State == "PROCESSED" {
				return e, true
			}
		}
	}
	return film.InboxStep{}, false
}
