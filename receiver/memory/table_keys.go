package memory

import (
	"bytes"
	"cmp"

	"github.com/pixlab/pixlab/receiver"
)

// keyTable holds the idempotency keys.
type keyTable struct {
	rows map[receiver.KeyRef]*receiver.Key
	// kept are those that a purge may come for, in the order (at, key).
	kept unseenList[receiver.KeyRef]
	log  journal[receiver.Key]
}

func newKeyTable() keyTable {
	return keyTable{
		rows: map[receiver.KeyRef]*receiver.Key{},
		kept: unseenList[receiver.KeyRef]{compare: compareKeys},
	}
}

// compareKeys orders by consumer, route and key.
func compareKeys(a, b receiver.KeyRef) int {
	return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Route, b.Route), cmp.Compare(a.Key, b.Key))
}

// keptKey is k's entry, if it belongs in the list.
func keptKey(k *receiver.Key) (unseenEntry[receiver.KeyRef], bool) {
	if k == nil || k.State == receiver.KeyPurged {
		return unseenEntry[receiver.KeyRef]{}, false
	}
	return unseenEntry[receiver.KeyRef]{at: k.At, id: k.KeyRef}, true
}

// putKey stores after, which the store owns from now on; nil takes the row away.
func (tx *Tx) putKey(before, after *receiver.Key) {
	tx.s.swapKey(before, after)
	tx.s.keys.log.add(before, after)
}

// swapKey puts after in the place of before; see swapEvent.
func (s *Store) swapKey(before, after *receiver.Key) {
	t := &s.keys
	follow(&t.kept, keptKey, before, after)
	if after == nil {
		delete(t.rows, before.KeyRef)
		return
	}
	t.rows[after.KeyRef] = after
}

func cloneKey(k *receiver.Key) receiver.Key {
	out := *k
	out.Answer.Body = bytes.Clone(k.Answer.Body)
	return out
}

// Key reads an idempotency key.
func (tx *Tx) Key(ref receiver.KeyRef) (receiver.Key, bool) {
	if k := tx.s.keys.rows[ref]; k != nil {
		return cloneKey(k), true
	}
	return receiver.Key{}, false
}

// PutKey stores a key in the place of the one with its name, if any.
func (tx *Tx) PutKey(k receiver.Key) {
	row := cloneKey(&k)
	tx.putKey(tx.s.keys.rows[k.KeyRef], &row)
}
