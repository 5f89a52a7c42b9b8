package scenarios

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// scheduleOperator has the plan's operator act. What comes after the plan's last
// action waits for the heal, which it could only put off.
func (w *World) scheduleOperator() {
	if len(w.plan.Operator) == 0 {
		return
	}
	last := w.plan.LastActionMS()
	for i := range w.plan.Operator {
		a := &w.plan.Operator[i]
		if late := a.AtMS > last; late == w.healed {
			w.at(max(chaos.MS(a.AtMS), w.sched.Now()), "operator/"+strconv.Itoa(i), "", string(a.Do), func() { w.act(a, 0) })
		}
	}
}

// operatorPatience is how often an operator tries a command while the database
// is down, a second apart.
const operatorPatience = 60

// act carries out one act, once the database answers.
func (w *World) act(a *chaos.OperatorAct, tries int) {
	if w.faults.At(chaos.PlaceStore, w.sched.Now()).Change.Down && tries < operatorPatience {
		w.at(w.sched.Now()+chaos.Second, "operator/again/"+a.Key+"/"+strconv.Itoa(tries), "", string(a.Do), func() { w.act(a, tries+1) })
		return
	}
	done, err := w.decide(a)
	if err != nil {
		w.fail(err)
		return
	}
	outcome := "done"
	if !done {
		outcome = "nothing to do"
	}
	w.emit("operator", "operator."+string(a.Do), outcome, "key", a.Key)
	w.rouse()
}

// decide hands the operator's word to the store; false is that there was nothing
// to decide.
func (w *World) decide(a *chaos.OperatorAct) (bool, error) {
	const operator, note = "operator", "by the plan"
	ctx := context.Background()
	if a.Do == chaos.OperatorClose {
		out, err := w.store.CloseCases(ctx, []receiver.CaseClosing{{
			CaseID: a.Key, To: receiver.Account(a.To), Operator: operator, Note: note, Now: w.now(),
		}})
		return err == nil && out[0], err
	}
	events, err := w.store.ListEvents(ctx, receiver.EventQuery{State: receiver.EventQuarantined})
	if err != nil {
		return false, err
	}
	for _, e := range events {
		if e.Key != a.Key {
			continue
		}
		in := []receiver.Decision{{EventID: e.ID, Operator: operator, Note: note, Now: w.now()}}
		command := w.store.RequeueEvents
		if a.Do == chaos.OperatorDrop {
			command = w.store.DropEvents
		}
		out, err := command(ctx, in)
		return err == nil && out[0], err
	}
	return false, nil
}
