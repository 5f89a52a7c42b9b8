package storetest

import (
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func callOutcomes() []outcome {
	return []outcome{
		{"an active charge keeps what the PSP told", activeKeepsFacts},
		{"an unknown outcome leaves the charge intended and sets when to ask", unknownOutcome},
		{"a charge moves forward only", forwardOnly},
		{"facts that were absent are filled in later", factsFilledLater},
		{"calls after the answer are not counted as attempts", attemptsEnd},
		{"a call about no charge of ours answers a zero charge", callAboutNothing},
	}
}

func activeKeepsFacts(f *fixture) {
	f.create(f.newCharge(1, 1000))
	made := start().Add(time.Second)
	out := f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive, CreatedAt: made, BRCode: "br"})[0]
	for _, c := range []receiver.Charge{out, f.charge(1)} {
		equal(f, "state", c.State, receiver.ChargeActive)
		equal(f, "code", c.BRCode, "br")
		equal(f, "attempts", c.Attempts, 1)
		sameTime(f, "created at", c.CreatedAt, made)
	}
}

func unknownOutcome(f *fixture) {
	f.create(f.newCharge(1, 1000))
	for n := 1; n <= 2; n++ {
		due := start().Add(time.Duration(n) * time.Hour)
		c := f.record(receiver.ChargeCall{Ref: refOf(1), DueAt: due})[0]
		equal(f, "state", c.State, receiver.ChargeIntended)
		equal(f, "attempts", c.Attempts, n)
		sameTime(f, "due at", c.DueAt, due)
	}
	c := f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeFailed, Problem: "no"})[0]
	equal(f, "state", c.State, receiver.ChargeFailed)
	equal(f, "problem", c.Problem, "no")
	equal(f, "attempts", c.Attempts, 3)
}

func forwardOnly(f *fixture) {
	const (
		intended, active = receiver.ChargeIntended, receiver.ChargeActive
		failed, removed  = receiver.ChargeFailed, receiver.ChargeRemoved
		unknown          = receiver.ChargeState("")
	)
	n := 0
	for _, step := range []struct{ from, told, want receiver.ChargeState }{
		{intended, active, active}, {intended, failed, failed}, {intended, removed, removed},
		{active, unknown, active}, {active, intended, active}, {active, failed, active}, {active, removed, removed},
		{failed, unknown, failed}, {failed, active, failed},
		{removed, unknown, removed}, {removed, active, removed}, {removed, failed, removed},
	} {
		n++
		f.create(f.newCharge(n, 1000))
		if step.from != intended {
			f.record(receiver.ChargeCall{Ref: refOf(n), State: step.from})
		}
		f.record(receiver.ChargeCall{Ref: refOf(n), State: step.told, DueAt: f.now()})
		equal(f, string(step.from+" told "+step.told), f.charge(n).State, step.want)
	}
}

func factsFilledLater(f *fixture) {
	f.create(f.newCharge(1, 1000))
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive})
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive, CreatedAt: start(), BRCode: "br"})
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive, CreatedAt: start().Add(time.Hour), BRCode: "other"})
	c := f.charge(1)
	sameTime(f, "created at", c.CreatedAt, start())
	equal(f, "code", c.BRCode, "br")
}

func attemptsEnd(f *fixture) {
	f.create(f.newCharge(1, 1000))
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive})
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive}, receiver.ChargeCall{Ref: refOf(1)})
	equal(f, "attempts", f.charge(1).Attempts, 1)
}

func callAboutNothing(f *fixture) {
	f.create(f.newCharge(1, 1000))
	out := f.record(
		receiver.ChargeCall{Ref: refOf(2), State: receiver.ChargeActive},
		receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive},
	)
	equal(f, "of nothing", out[0].Reference, "")
	equal(f, "neighbour", out[1].State, receiver.ChargeActive)
}
