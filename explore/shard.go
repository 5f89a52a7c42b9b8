package explore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/pixlab/pixlab/chaos"
)

// Range is the seeds from one to another, both included.
type Range struct{ From, To chaos.Seed }

// ParseRange reads "1-5000", or "5000" for the seeds from 1.
func ParseRange(text string) (Range, error) {
	from, to, both := strings.Cut(text, "-")
	if !both {
		from, to = "1", from
	}
	a, errA := chaos.ParseSeed(from)
	b, errB := chaos.ParseSeed(to)
	if errA != nil || errB != nil || b < a {
		return Range{}, fmt.Errorf("want two seeds such as 1-5000, the lower first, or one for those from 1")
	}
	return Range{a, b}, nil
}

// Shifted is the range that begins so much later, at most at the last seed.
func (r Range) Shifted(by chaos.Seed) Range {
	return Range{min(r.From+by, chaos.MaxSeed), min(r.To+by, chaos.MaxSeed)}
}

// Base is a seed made of a text, such as a commit or a date, so that each gets
// seeds of its own and anybody can name them again. It leaves room above for
// as many seeds as below it.
func Base(text string) chaos.Seed {
	sum := sha256.Sum256([]byte("explore/base\x00" + text))
	return chaos.Seed(binary.BigEndian.Uint64(sum[:])) % (chaos.MaxSeed / 2)
}

// Shard is one of several equal parts of a search, counted from 1: machines
// that are given different parts share no seed, and together they leave none
// out. The zero Shard is everything.
type Shard struct{ Index, Of int }

// mostShards keeps a mistyped number from making parts without seeds.
const mostShards = 10_000

// ParseShard reads "2/8".
func ParseShard(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	index, errI := strconv.Atoi(i)
	of, errN := strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || index < 1 || of < index || of > mostShards {
		return Shard{}, fmt.Errorf("want i/n with 1 ≤ i ≤ n ≤ %d, such as 2/8", mostShards)
	}
	return Shard{index, of}, nil
}

// String is the shard as [ParseShard] reads it.
func (s Shard) String() string {
	if s.Of == 0 {
		return "1/1"
	}
	return strconv.Itoa(s.Index) + "/" + strconv.Itoa(s.Of)
}

// Step is from one seed of the shard to the next.
func (s Shard) Step() chaos.Seed { return chaos.Seed(max(1, s.Of)) }

// First is the shard's first seed in a range: the shards take turns.
func (s Shard) First(r Range) chaos.Seed { return r.From + chaos.Seed(max(1, s.Index)-1) }
