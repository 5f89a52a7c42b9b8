package chaos

import "time"

// RetryTable says when a PSP repeats a callback that was not acknowledged.
// A table is a habit, not a judgement: no bank is shown failing.
type RetryTable struct {
	// Name is what Settings.Retry holds.
	Name string
	// Source says where the numbers come from, and what was cut or filled in.
	Source string
	// Timeout is how long one attempt waits for its answer.
	Timeout time.Duration
	// Delays are the pauses before attempt 2, 3, …, each counted from the end
	// of the attempt before.
	Delays []time.Duration
}

// Total is the longest time from the first attempt to the end of the last one.
// Every table stays under [RetryBound].
func (t RetryTable) Total() time.Duration {
	sum := t.Timeout
	for _, d := range t.Delays {
		sum += d + t.Timeout
	}
	return sum
}

// RetryBound is the length of the heal period at a run's end: a table that
// went on for longer would leave callbacks owed when the verdict falls.
const RetryBound = 48 * time.Hour

// RetryTables lists the tables, the generic one first.
func RetryTables() []RetryTable {
	const sec, minute, hour = time.Second, time.Minute, time.Hour
	return []RetryTable{
		{"generic", "ours: a plain back-off that ends after some sixteen hours", 5 * sec,
			[]time.Duration{sec, 5 * sec, 30 * sec, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour}},
		{"efi", "Efí's webhook documentation; its tenth pause (52,560 minutes) is past the bound and cut", 60 * sec,
			doubling(5*minute, 9)},
		{"inter", "Inter's API Pix documentation; it states no time-out, 30 s is ours", 30 * sec,
			[]time.Duration{20 * minute, 30 * minute, 60 * minute, 120 * minute}},
		{"mercadopago-like", "Mercado Pago's webhook pages: every 15 minutes, longer after the third; the pauses of two and four days are past the bound and cut", 22 * sec,
			[]time.Duration{15 * minute, 15 * minute, 15 * minute, 30 * minute, 6 * hour}},
		{"asaas", "Asaas's page on penalised queues; the queue's pause after the last attempt is not simulated", 10 * sec,
			[]time.Duration{30 * sec, minute, 210 * sec, 5 * minute, 15 * minute, 25 * minute,
				hour, hour, hour, hour, hour, 2 * hour, 2 * hour, 3 * hour}},
		{"woovi", "Woovi's page on webhook retries; its time-out of 100 s is held to 60 s here", 60 * sec,
			doubling(10*sec, 8)},
		{"qitech", "QI Tech's documentation; it states no time-out, 10 s is ours", 10 * sec,
			[]time.Duration{minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour}},
		{"abacatepay", "AbacatePay's documentation; it states no time-out, 10 s is ours", 10 * sec,
			[]time.Duration{5 * sec, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour}},
	}
}

// RetryTableNamed finds a table by name, that of live runs too.
func RetryTableNamed(name string) (RetryTable, bool) {
	for _, t := range append(RetryTables(), LiveRetry()) {
		if t.Name == name {
			return t, true
		}
	}
	return RetryTable{}, false
}

// doubling is n pauses, each twice the one before.
func doubling(first time.Duration, n int) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = first << i
	}
	return out
}
