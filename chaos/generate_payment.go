package chaos

import "time"

// drawer draws one payment after the other. What it draws for a payment
// depends on that payment's own streams and on payments of lower numbers, never
// on those of higher ones: a longer plan begins as the shorter one does.
type drawer struct {
	plan    *Plan
	profile Profile
	pace    pace
	ids     map[string]bool // endToEndIds taken
	static  int             // position in plan.Charges plus one of the last static code
	scratch *Stream         // the memory of open
}

// shape is what kind of sale a payment belongs to.
type shape int

const (
	ownCharge  shape = iota // a dynamic charge of its own
	staticCode              // a static code, perhaps one that others pay too
	bareKey                 // no charge: a Pix sent to the key
	elsewhere               // a dynamic charge that another system made
)

// The shares of the shapes, in payments out of twenty; the rest have a charge
// of their own. The plain profile has nothing else.
const (
	staticShare    = 2
	bareKeyShare   = 2
	elsewhereShare = 2
)

func (d *drawer) stream(i int, what string) *Stream {
	return d.plan.Seed.Stream("payment/" + itoa(i) + "/" + what)
}

// open is the stream at a path, good until the next one is opened.
func (d *drawer) open(path ...string) *Stream {
	d.scratch.reopen(d.plan.Seed, path...)
	return d.scratch
}

func (d *drawer) payment(i int) {
	pay := Payment{ID: "p" + itoa(i), AtMS: d.instant(i), NotifyAfterMS: d.notify(d.stream(i, "notify"))}
	amount := drawAmount(d.stream(i, "amount"))
	pay.AmountCents = amount
	switch kind := d.shape(i); kind {
	case bareKey:
	case staticCode:
		pay.Charge, pay.AmountCents = d.code(i, pay.AtMS, amount)
	default:
		c := d.charge(i, pay.AtMS, amount, kind == elsewhere)
		d.plan.Charges = append(d.plan.Charges, c)
		pay.Charge = c.ID
	}
	pay.EndToEndID = d.endToEndID(i, pay.AtMS)
	d.plan.Payments = append(d.plan.Payments, pay)
	d.refunds(i, &pay)
	d.disputes(i, &pay)
	d.payout(i, &pay)
}

func (d *drawer) shape(i int) shape {
	if d.profile.Plain {
		return ownCharge
	}
	switch n := d.stream(i, "shape").Below(20); {
	case n < staticShare:
		return staticCode
	case n < staticShare+bareKeyShare:
		return bareKey
	case n < staticShare+bareKeyShare+elsewhereShare:
		return elsewhere
	}
	return ownCharge
}

// charge draws the dynamic charge of payment i, made before atMS and payable
// then: 5 s to 2 h before, or (save in the plain profile, and for one charge in
// ten) so shortly before that the callback may overtake the charge's answer.
func (d *drawer) charge(i int, atMS, amount int64, foreign bool) Charge {
	st := d.stream(i, "charge")
	hurried := st.Chance(Rate{1, 10})
	ahead := st.octave(d.pace.ahead[0], d.pace.ahead[1])
	life := drawExpiry(st)
	if hurried && !d.profile.Plain {
		ahead = st.Between(0, 300)
	}
	c := Charge{
		ID: "c" + itoa(i), Reference: "PED-" + itoa(1000+i), Kind: ChargeDynamic,
		AmountCents: amount, CreateAtMS: max(d.pace.earliest, atMS-ahead),
	}
	c.ExpiresInS = max(life, (atMS-c.CreateAtMS)/1000+600)
	if foreign {
		c.Elsewhere = true
		if !st.Chance(Rate{1, 3}) {
			c.AdoptAtMS = min(c.CreateAtMS+st.octave(d.pace.adopt[0], d.pace.adopt[1]), d.pace.adoptEnd)
		}
	}
	return c
}

// code gives payment i a static code to pay and the amount it pays: three times
// in four the last code that exists already, else a new one. One code in two
// leaves the amount to the payer.
func (d *drawer) code(i int, atMS, amount int64) (charge string, cents int64) {
	st := d.stream(i, "code")
	join, open, ahead := st.Chance(Rate{3, 4}), st.Chance(Rate{1, 2}), st.octave(d.pace.codeAhead[0], d.pace.codeAhead[1])
	if join && d.static > 0 {
		if c := d.plan.Charges[d.static-1]; c.CreateAtMS+d.pace.earliest < atMS {
			if c.AmountCents > 0 {
				amount = c.AmountCents
			}
			return c.ID, amount
		}
	}
	c := Charge{ID: "c" + itoa(i), Reference: "CAIXA-" + itoa(1000+i), Kind: ChargeStatic, CreateAtMS: max(d.pace.earliest, atMS-ahead)}
	if !open {
		c.AmountCents = amount
	}
	d.plan.Charges = append(d.plan.Charges, c)
	d.static = len(d.plan.Charges)
	return c.ID, amount
}

// endToEndID draws until the id is one that no lower payment has.
func (d *drawer) endToEndID(i int, atMS int64) string {
	st := d.stream(i, "end_to_end_id")
	for {
		id := madeUpEndToEndID(d.plan.Start, atMS, st)
		if !d.ids[id] {
			d.ids[id] = true
			return id
		}
	}
}

// madeUpEndToEndID is E, the ISPB of a bank that does not exist, the UTC
// minute, and 11 characters.
func madeUpEndToEndID(start time.Time, atMS int64, st *Stream) string {
	at := start.Add(time.Duration(atMS) * time.Millisecond)
	return "E99999008" + at.Format("200601021504") + st.Text(11)
}
