package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/pixlab/pixlab/receiver"
)

// keyTable holds the idempotency keys.
type keyTable struct {
	rows map[keyScope]map[string]*receiver.Key // by scope, then key
	// kept are those that a purge may come for, in the order (at, key). It names
	// them by the rows' own names.
	kept unseenList[*receiver.KeyRef]
	log  journal[receiver.Key]
}

// keyScope is what keys of one text are told apart by.
type keyScope struct{ consumer, route string }

func (s keyScope) compare(o keyScope) int {
	return cmp.Or(cmp.Compare(s.consumer, o.consumer), cmp.Compare(s.route, o.route))
}

func newKeyTable() keyTable {
	return keyTable{
		rows: map[keyScope]map[string]*receiver.Key{},
		kept: unseenList[*receiver.KeyRef]{compare: compareKeys},
	}
}

// find is the row of a key, nil if there is none.
func (t *keyTable) find(ref receiver.KeyRef) *receiver.Key {
	return t.rows[keyScope{ref.Consumer, ref.Route}][ref.Key]
}

// ordered are all rows, by consumer, route and key.
func (t *keyTable) ordered() []*receiver.Key {
	var all []*receiver.Key
	for _, scope := range slices.SortedFunc(maps.Keys(t.rows), keyScope.compare) {
		for _, key := range slices.Sorted(maps.Keys(t.rows[scope])) {
			all = append(all, t.rows[scope][key])
		}
	}
	return all
}

// compareKeys orders by consumer, route and key.
func compareKeys(a, b *receiver.KeyRef) int {
	return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Route, b.Route), cmp.Compare(a.Key, b.Key))
}

// keptKey is k's entry, if it belongs in the list.
func keptKey(k *receiver.Key) (unseenEntry[*receiver.KeyRef], bool) {
	if k == nil || k.State == receiver.KeyPurged {
		return unseenEntry[*receiver.KeyRef]{}, false
	}
	return unseenEntry[*receiver.KeyRef]{at: k.At, id: &k.KeyRef}, true
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
		delete(t.rows[keyScope{before.Consumer, before.Route}], before.Key)
		return
	}
	scope := keyScope{after.Consumer, after.Route}
	if t.rows[scope] == nil {
		t.rows[scope] = map[string]*receiver.Key{}
	}
	t.rows[scope][after.Key] = after
}

func cloneKey(k *receiver.Key) receiver.Key {
	out := *k
	out.Answer.Body = bytes.Clone(k.Answer.Body)
	return out
}

// Key reads an idempotency key.
func (tx *Tx) Key(ref receiver.KeyRef) (receiver.Key, bool) {
	if k := tx.s.keys.find(ref); k != nil {
		return cloneKey(k), true
	}
	return receiver.Key{}, false
}

// PutKey stores a key in the place of the one with its name, if any.
func (tx *Tx) PutKey(k receiver.Key) {
	row := cloneKey(&k)
	tx.putKey(tx.s.keys.find(k.KeyRef), &row)
}
