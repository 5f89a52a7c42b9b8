package postgres_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/receiver"
)

func drawKeyRef(t *rapid.T, route string) receiver.KeyRef {
	return receiver.KeyRef{Consumer: "shop", Route: route, Key: pick(t, "key", "key-1", "key-2", "key-3")}
}

// drawClaim draws a claim, or none. The body stands for what is asked for, now
// and then for something else.
func drawClaim(t *rapid.T, route, body string) *receiver.KeyClaim {
	if rapid.Bool().Draw(t, "without key") {
		return nil
	}
	if pick(t, "body", "same", "same", "same", "other") == "other" {
		body = "other"
	}
	return &receiver.KeyClaim{
		Ref: drawKeyRef(t, route), Hash: receiver.HashBody([]byte(body)), Window: time.Minute, TTL: 24 * time.Hour,
	}
}

// drawHold draws the word of a request that holds a key, or thinks so; or none.
func (w *twins) drawHold(t *rapid.T) *receiver.KeyHold {
	if rapid.Bool().Draw(t, "without hold") {
		return nil
	}
	return &receiver.KeyHold{
		Ref: drawKeyRef(t, receiver.RouteCharges), Version: rapid.Int64Range(1, 3).Draw(t, "version"), At: w.now(),
	}
}

func (w *twins) releaseKeys(t *rapid.T) {
	in := some(t, "holds", func(t *rapid.T) receiver.KeyHold {
		return receiver.KeyHold{
			Ref: drawKeyRef(t, receiver.RouteCharges), Version: rapid.Int64Range(1, 3).Draw(t, "version"), At: w.now(),
		}
	})
	plain(w, "release keys", w.mem.ReleaseKeys, w.pg.ReleaseKeys, in)
	refs := some(t, "keys", func(t *rapid.T) receiver.KeyRef {
		return drawKeyRef(t, pick(t, "route", receiver.RouteCharges, receiver.RouteRefunds))
	})
	plain(w, "find keys", w.mem.FindKeys, w.pg.FindKeys, refs)
}

func (w *twins) purgeKeys(t *rapid.T) {
	in := receiver.KeyPurge{
		Before: w.now().Add(-pick(t, "age", 0, time.Hour, 24*time.Hour)), Now: w.now(), Limit: rapid.IntRange(1, 3).Draw(t, "limit"),
	}
	plain(w, "purge keys", w.mem.PurgeKeys, w.pg.PurgeKeys, in)
}
