package live

import (
	crand "crypto/rand"
	"math/rand/v2"
)

// Jitter is a number from 0 to 999, another at each call: the processes of one
// receiver must not retry in step.
func Jitter(string, int) int { return rand.IntN(1000) }

// NewID makes n characters of [0-9A-Za-z] that nobody can guess. The caller
// stores the id before it is used, so that it stays the same for one key.
func NewID(_, _ string, n int) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := make([]byte, 0, n)
	for len(id) < n {
		raw := make([]byte, n)
		_, _ = crand.Read(raw) // never fails: it ends the process first
		for _, b := range raw {
			// Of 64 values two are thrown away, so that all letters are as likely.
			if b &= 63; int(b) < len(letters) && len(id) < n {
				id = append(id, letters[b])
			}
		}
	}
	return string(id)
}
