package proptest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// usualPlans is how many plans are run on both stores unless PIXLAB_PG_PLANS
// names another number.
const usualPlans = 5

// The same plan on the store in memory and on PostgreSQL is the same run: the
// same trace to the last byte, and so the same verdict and totals.
func TestPlansRunTheSameOnPostgres(t *testing.T) {
	t.Parallel()
	if *onPostgres {
		t.Skip("runs on both stores by itself, without -pg")
	}
	plans := usualPlans
	if v, ok := os.LookupEnv("PIXLAB_PG_PLANS"); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			t.Fatalf("PIXLAB_PG_PLANS is %q; want a whole number such as 200", v)
		}
		plans = n
	}
	s := newShelf(t)
	profiles := chaos.Profiles()
	for i := range plans {
		plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(i), Profile: profiles[i%len(profiles)].Name})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := sameOnBoth(plan, s); wrong != "" {
			t.Errorf("seed %s of %s: %s", plan.Seed, plan.Profile, wrong)
		}
	}
}

// sameOnBoth runs a plan in memory and on a store of the stock, and says where
// the runs part.
func sameOnBoth(plan *chaos.Plan, s stock) string {
	var here, there bytes.Buffer
	want, err := play(plan, nil, inMemory{}, &here)
	if err != nil {
		return "in memory: " + err.Error()
	}
	got, err := play(plan, nil, s, &there)
	if err != nil {
		return "on PostgreSQL: " + err.Error()
	}
	if want.Hash == got.Hash && reflect.DeepEqual(want, got) {
		return ""
	}
	line, left, right, err := chaos.Diff(&here, &there)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("memory has %s, PostgreSQL %s; they part at event %d:\n%s\n%s", want.Verdict, got.Verdict, line, left, right)
}

// A store that keeps one time by a microsecond otherwise is noticed.
func TestPlansRunTheSameCanFail(t *testing.T) {
	t.Parallel()
	plan, err := chaos.Generate(chaos.Options{Seed: 1, Profile: "mixed"})
	if err != nil {
		t.Fatal(err)
	}
	wrong := sameOnBoth(plan, tardy{})
	if !strings.Contains(wrong, "they part at event") {
		t.Fatalf("nobody noticed: %q", wrong)
	}
	t.Log(wrong)
}

// tardy makes stores that begin each turn of a duty late.
type tardy struct{ inMemory }

func (s tardy) open(t subject, rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (kept, error) {
	k, err := s.inMemory.open(t, rules, now, observe)
	return tardyStore{k}, err
}

type tardyStore struct{ kept }

func (s tardyStore) SaveDuty(ctx context.Context, d receiver.Duty, done bool) (bool, error) {
	d.NextAt = d.NextAt.Add(time.Microsecond)
	return s.kept.SaveDuty(ctx, d, done)
}
