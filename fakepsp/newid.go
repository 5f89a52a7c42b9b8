package fakepsp

import (
	"crypto/sha256"
	"strconv"
)

// derivedID is the default of Config.NewID: n characters of [a-zA-Z0-9] that
// depend on the kind and the key alone.
func derivedID(kind, key string, n int) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	const fair = 256 / len(alphabet) * len(alphabet) // above it, some would come more often
	out := make([]byte, 0, n)
	for block := 0; len(out) < n; block++ {
		sum := sha256.Sum256([]byte(kind + "\x00" + key + "\x00" + strconv.Itoa(block)))
		for _, b := range sum {
			if int(b) < fair && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}
