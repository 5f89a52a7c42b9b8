package chaos

import (
	"crypto/sha256"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The constants below are part of the contract: a change of any of them moves
// every draw of every seed.
func TestStreamVectors(t *testing.T) {
	t.Parallel()
	st := Seed(42).Stream("payment/17/amount")
	for i, want := range []uint64{0xdf592ecbfeb96022, 0xa3e165478b210554, 0x9fddc9ef92e176dd} {
		if got := st.Uint64(); got != want {
			t.Errorf("draw %d = %#x, want %#x", i, got, want)
		}
	}
	if got, want := Seed(MaxSeed).Stream("").Uint64(), uint64(0x30c4ee3d49a112b9); got != want {
		t.Errorf("largest seed, empty path = %#x, want %#x", got, want)
	}
	st = Seed(0).Stream("fault/delay/p0")
	if got := st.Below(1000); got != 883 {
		t.Errorf("Below = %d, want 883", got)
	}
	if got := st.Between(-5, 5); got != 1 {
		t.Errorf("Between = %d, want 1", got)
	}
	if st.Chance(Rate{1, 2}) {
		t.Error("Chance = true, want false")
	}
	if got := st.Text(11); got != "Tt5Z27fVqil" {
		t.Errorf("Text = %q, want Tt5Z27fVqil", got)
	}
	if got := st.octave(1000, 3_600_000); got != 1022462 {
		t.Errorf("octave = %d, want 1022462", got)
	}
}

func TestStreamIsChaCha8OfTheDocumentedKey(t *testing.T) {
	t.Parallel()
	want := rand.NewChaCha8(sha256.Sum256([]byte("pixlab/v1\x007\x00burst/0/3")))
	got := Seed(7).Stream("burst/0/3")
	reopened := Seed(1).Stream("another")
	reopened.Uint64()
	reopened.reopen(7, "burst/", "0", "/3")
	for range 100 {
		w := want.Uint64()
		if g := got.Uint64(); g != w {
			t.Fatalf("stream = %#x, want %#x", g, w)
		}
		if g := reopened.Uint64(); g != w {
			t.Fatalf("reopened stream = %#x, want %#x", g, w)
		}
	}
}

func TestRunTimeDrawVectors(t *testing.T) {
	t.Parallel()
	if got, want := Seed(42).ID("txid", "PED-1017", 32), "giCcSNXR6BMI1A66daf55JpkW6GcpUgE"; got != want {
		t.Errorf("ID = %q, want %q", got, want)
	}
	if got, want := Seed(42).ID("txid", "CAIXA-1011", 25), "9Au0bZP93vKtBOBZj4mK7WUck"; got != want {
		t.Errorf("ID = %q, want %q", got, want)
	}
	if got := Seed(42).Jitter("p17", 1); got != 90 {
		t.Errorf("Jitter = %d, want 90", got)
	}
	if got, want := Seed(42).Mixer("sched").Mix(1, 2, 3), uint64(0x963bf74953548acd); got != want {
		t.Errorf("Mix = %#x, want %#x", got, want)
	}
	if got, want := HashName("worker/1"), uint64(0x248ab2c59022925b); got != want {
		t.Errorf("HashName = %#x, want %#x", got, want)
	}
}

// TestBelowIsUnbiased puts 100,000 draws of each range into its bins; a bin
// that is five standard deviations off would come up once in a million seeds,
// and these seeds are fixed.
func TestBelowIsUnbiased(t *testing.T) {
	t.Parallel()
	const draws = 100_000
	for _, n := range []uint64{2, 3, 7, 10, 62, 365} {
		st := Seed(n).Stream("unbiased")
		bins := make([]int, n)
		for range draws {
			bins[st.Below(n)]++
		}
		mean := float64(draws) / float64(n)
		for i, got := range bins {
			if off := float64(got) - mean; off*off > 25*mean {
				t.Errorf("Below(%d): %d came %d times, want about %.0f", n, i, got, mean)
			}
		}
	}
}

// TestBelowRejects takes a range of three quarters of 2^64: without rejection
// every third number would come twice as often as the others.
func TestBelowRejects(t *testing.T) {
	t.Parallel()
	const n, draws = uint64(3) << 62, 30_000
	st, thirds := Seed(1).Stream("rejects"), 0
	for range draws {
		if st.Below(n)%3 == 0 {
			thirds++
		}
	}
	if thirds < draws/3-500 || thirds > draws/3+500 {
		t.Errorf("%d of %d draws are divisible by three, want a third", thirds, draws)
	}
}

func TestDrawsStayInRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		st := Seed(rapid.Uint64Range(0, MaxSeed).Draw(t, "seed")).Stream(rapid.String().Draw(t, "path"))
		lo := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "lo")
		hi := lo + rapid.Int64Range(0, 1<<40).Draw(t, "width")
		if got := st.Between(lo, hi); got < lo || got > hi {
			t.Fatalf("Between(%d, %d) = %d", lo, hi, got)
		}
		lo = rapid.Int64Range(1, 1<<30).Draw(t, "octave from")
		hi = lo + rapid.Int64Range(0, 1<<40).Draw(t, "octave width")
		if got := st.octave(lo, hi); got < lo || got > hi {
			t.Fatalf("octave(%d, %d) = %d", lo, hi, got)
		}
		if st.Chance(Rate{}) {
			t.Fatal("a rate of nothing came true")
		}
		if st.Chance(Rate{0, 5}) || !st.Chance(Rate{5, 5}) {
			t.Fatal("0 in 5 must be never and 5 in 5 always")
		}
	})
}

func TestSeedInJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := Seed(rapid.Uint64Range(0, MaxSeed).Draw(t, "seed"))
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Seed
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Fatalf("%s came back as %d, %v; want %d", text, got, err, want)
		}
	})
}

func TestParseSeedRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "-1", "1.5", "0x10", " 1", "1e3", "9007199254740992", "seed"} {
		_, err := ParseSeed(text)
		if err == nil || !strings.Contains(err.Error(), "0 to 9007199254740991") {
			t.Errorf("ParseSeed(%q) = %v, want an error that names the range", text, err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Seed(42).Stream("fault/duplicate/p17").Uint64()
	}
}
