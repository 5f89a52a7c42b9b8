package chaos

import (
	"cmp"
	"fmt"
	"slices"
)

// OperatorAct is one thing that an operator of the receiver does with what was
// put aside. Where there is nothing of that name in quarantine, or no such open
// case, nothing is done. It may come after the plan's last action, and moves
// the heal no further out.
type OperatorAct struct {
	AtMS int64      `json:"at_ms"`
	Do   OperatorDo `json:"do"`
	// Key is the event's in the inbox, such as "pix:E…", or the case's id.
	Key string `json:"key"`
	// To takes what a closed case holds in suspense; empty where it holds nothing.
	To string `json:"to,omitempty"`
}

// OperatorDo names what an operator does.
type OperatorDo string

// An event is woken, or closed for good; a case is closed.
const (
	OperatorRequeue OperatorDo = "requeue"
	OperatorDrop    OperatorDo = "drop"
	OperatorClose   OperatorDo = "close"
)

// The accounts that can take what a case holds: the merchant's revenue, or what
// is owed back to the payer.
const (
	ToRevenue = "merchant:receita"
	ToReturn  = "merchant:credito_a_devolver"
)

func (v *validator) operator() error {
	for i, a := range v.plan.Operator {
		who := "operator act " + itoa(i+1)
		to := []string{""}
		if a.Do == OperatorClose {
			to = append(to, ToRevenue, ToReturn)
		}
		if err := firstError(
			atLeast(who, "at_ms", a.AtMS, 0),
			oneOf(who, "do", string(a.Do), string(OperatorRequeue), string(OperatorDrop), string(OperatorClose)),
			keyOf(who, a.Key),
			oneOf(who, "to", a.To, to...),
		); err != nil {
			return err
		}
	}
	return nil
}

func keyOf(who, key string) error {
	if key == "" {
		return fmt.Errorf("%s: key is missing; want that of an event, such as pix:E…, or a case's id", who)
	}
	return nil
}

// sortedActs is a copy in the order of the file.
func sortedActs(acts []OperatorAct) []OperatorAct {
	out := append([]OperatorAct(nil), acts...)
	slices.SortStableFunc(out, func(a, b OperatorAct) int {
		return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.Do, b.Do), cmp.Compare(a.Key, b.Key), cmp.Compare(a.To, b.To))
	})
	return out
}
