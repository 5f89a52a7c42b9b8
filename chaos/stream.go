package chaos

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
)

// MaxSeed is the largest seed: 2^53 − 1, so that a seed survives every JSON
// reader, the ones that keep numbers as doubles included.
const MaxSeed = 1<<53 - 1

// Seed names a run. In JSON it is a decimal string.
type Seed uint64

// ParseSeed reads a decimal seed from 0 to [MaxSeed].
func ParseSeed(s string) (Seed, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > MaxSeed {
		return 0, fmt.Errorf("seed %q: want a whole number from 0 to %d", s, uint64(MaxSeed))
	}
	return Seed(n), nil
}

// String is the seed in decimal.
func (s Seed) String() string { return strconv.FormatUint(uint64(s), 10) }

// MarshalJSON writes the seed as a decimal string.
func (s Seed) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalJSON reads the seed from a decimal string.
func (s *Seed) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("seed: want a decimal string, got %s", b)
	}
	v, err := ParseSeed(text)
	if err != nil {
		return err
	}
	*s = v
	return nil
}

// Stream is an endless row of draws that belongs to one path of one seed.
// Two paths never share a stream, so a new draw on one moves none on another.
type Stream struct{ src *rand.ChaCha8 }

// Stream opens the stream at path, such as "payment/17/amount":
// ChaCha8 keyed with SHA-256("pixlab/v1" NUL seed-in-decimal NUL path).
func (s Seed) Stream(path string) *Stream {
	return &Stream{src: rand.NewChaCha8(s.key(path))}
}

// key is the ChaCha8 key of the stream whose path is the parts put together.
func (s Seed) key(parts ...string) [32]byte {
	buf := make([]byte, 0, 96)
	buf = append(buf, "pixlab/v1\x00"...)
	buf = strconv.AppendUint(buf, uint64(s), 10)
	buf = append(buf, 0)
	for _, part := range parts {
		buf = append(buf, part...)
	}
	return sha256.Sum256(buf)
}

// blankStream is a stream to reopen at one path after the other.
func blankStream() *Stream { return &Stream{src: rand.NewChaCha8([32]byte{})} }

// reopen makes st the stream at another path, in the memory of the old one.
func (st *Stream) reopen(s Seed, parts ...string) { st.src.Seed(s.key(parts...)) }

// Uint64 is the next raw draw.
func (st *Stream) Uint64() uint64 { return st.src.Uint64() }

// Below draws from 0 to n−1 without bias; n must be positive.
//
// The rule is ours, so that no library's change of mind moves a draw: take the
// high 64 bits of draw × n, and draw again while the low 64 bits are under
// 2^64 mod n (Lemire's rejection).
func (st *Stream) Below(n uint64) uint64 {
	hi, lo := bits.Mul64(st.src.Uint64(), n)
	if lo < n {
		floor := -n % n
		for lo < floor {
			hi, lo = bits.Mul64(st.src.Uint64(), n)
		}
	}
	return hi
}

// Between draws from lo to hi, both included.
func (st *Stream) Between(lo, hi int64) int64 {
	return lo + int64(st.Below(uint64(hi-lo)+1))
}

// Chance is true n times in d.
func (st *Stream) Chance(r Rate) bool {
	return r.Of > 0 && st.Below(uint64(r.Of)) < uint64(r.N)
}

// alphabet holds the characters that identifiers may carry.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Text draws n characters of [0-9A-Za-z].
func (st *Stream) Text(n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[st.Below(uint64(len(alphabet)))]
	}
	return string(out)
}

// Rate is a chance of N in Of. Of zero means never.
type Rate struct {
	N  int `json:"n"`
	Of int `json:"of"`
}

// String is "n in d".
func (r Rate) String() string { return fmt.Sprintf("%d in %d", r.N, r.Of) }

// Mixer is the cheap keyed hash behind the scheduler's priorities and the
// latency of steps: the hottest draws of a run, one multiplication chain each
// instead of a stream. Its key comes from the stream "sched".
type Mixer struct{ key uint64 }

// Mixer makes the seed's mixer for one use, such as "sched" or "latency".
func (s Seed) Mixer(use string) Mixer { return Mixer{key: s.Stream(use).Uint64()} }

// Mix hashes the three parts of an address into 64 bits.
func (m Mixer) Mix(a, b, c uint64) uint64 {
	h := m.key
	h = fold(h ^ a)
	h = fold(h ^ b)
	return fold(h ^ c)
}

// fold is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
func fold(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// HashName is FNV-1a of a name, for use with [Mixer.Mix].
func HashName(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// digest is the 32 bytes of SHA-256 as the 64-bit words that shrink to an id.
func digest(parts ...string) [4]uint64 {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	var sum [32]byte
	h.Sum(sum[:0])
	var out [4]uint64
	for i := range out {
		out[i] = binary.BigEndian.Uint64(sum[i*8:])
	}
	return out
}

// ID is an identifier of n characters of [0-9A-Za-z] (n at most 40) that
// depends on the seed, the kind and the key alone: asked again, it is the same.
func (s Seed) ID(kind, key string, n int) string {
	words := digest("pixlab/v1/id", s.String(), kind, key)
	out := make([]byte, n)
	for i := range out {
		w := &words[i%len(words)]
		out[i] = alphabet[*w%62]
		*w /= 62
	}
	return string(out)
}

// Jitter is a number from 0 to 999 that depends on the seed, the key and the
// attempt alone: the share, in thousandths, of a back-off's random part.
func (s Seed) Jitter(key string, attempt int) int {
	words := digest("pixlab/v1/jitter", s.String(), key, strconv.Itoa(attempt))
	return int(words[0] % 1000)
}
