package demo

import (
	"fmt"
	"slices"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios/film"
)

// Operate has an operator act on what the receivers have put aside, at an instant
// of the play. It is appended to the plan as a button's fault is, so that what
// is saved runs to the same hash. What the right receiver does not have aside at
// that instant is refused. After the run has come to rest nothing happens any
// more, and the act is done just before.
func (s *Session) Operate(act chaos.OperatorAct, at chaos.Instant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := aside(s.state.Right, &act, at); err != nil {
		return err
	}
	plan, err := written(s.plan)
	if err != nil {
		return err
	}
	if rest := s.state.Right.Rest; rest > 0 {
		at = min(at, rest-2*chaos.Millisecond)
	}
	act.AtMS = int64(at/chaos.Millisecond) + 1
	plan.Operator = append(plan.Operator, act)
	return s.film(plan, s.state.Receiver, s.state.Added+1, s.state.Scene)
}

// aside refuses an act on what is not aside at an instant, or which would take
// money to no account; a case that holds none needs none.
func aside(f *film.Film, act *chaos.OperatorAct, at chaos.Instant) error {
	if act.Do != chaos.OperatorClose {
		state := ""
		for _, e := range f.Inbox {
			if e.Key == act.Key && e.T <= at {
				state = e.State
			}
		}
		if state != "QUARANTINED" {
			return fmt.Errorf("the event %q is not in quarantine then: want one that is listed", act.Key)
		}
		return nil
	}
	i := lastCase(f, act.Key, at)
	switch {
	case i < 0 || f.Cases[i].State != "open":
		return fmt.Errorf("the case %q is not open then: want one that is listed", act.Key)
	case f.Cases[i].Cents == 0:
		act.To = ""
	case !slices.Contains([]string{chaos.ToRevenue, chaos.ToReturn}, act.To):
		return fmt.Errorf("the case holds money: want it to go to %s or %s", chaos.ToRevenue, chaos.ToReturn)
	case f.Cases[i].Cents < 0 && act.To == chaos.ToRevenue:
		return fmt.Errorf("the case is of money that is missing: revenue that has settled a charge is not taken back, want %s", chaos.ToReturn)
	}
	return nil
}

// lastCase is the index of a case's last step up to an instant, -1 if it has none.
func lastCase(f *film.Film, id string, at chaos.Instant) int {
	last := -1
	for i, c := range f.Cases {
		if c.ID == id && c.T <= at {
			last = i
		}
	}
	return last
}
