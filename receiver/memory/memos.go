package memory

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// memoTable holds what the PSP has blocked under MED.
type memoTable struct {
	rows    map[string]*receiver.Memo
	blocked pix.Amount // sum of those not released
	log     journal[receiver.Memo]
}

// putMemo stores after, which the store owns from now on.
func (tx *Tx) putMemo(before, after *receiver.Memo) {
	tx.s.swapMemo(before, after)
	tx.s.memos.log.add(before, after)
}

// swapMemo puts after in the place of before; see swapEvent.
func (s *Store) swapMemo(before, after *receiver.Memo) {
	t := &s.memos
	t.blocked += after.Blocks() - before.Blocks()
	if after == nil {
		delete(t.rows, before.ID)
		return
	}
	t.rows[after.ID] = after
}

// PutMemos notes blocked money. A released memo stays released, whatever comes
// late; until then a further word about it takes the place of the earlier.
func (s *Store) PutMemos(ctx context.Context, in []receiver.Memo) ([]bool, error) {
	tx, err := s.begin(ctx, "PutMemos")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, m := range in {
		before := s.memos.rows[m.ID]
		if !m.News(before) {
			continue
		}
		tx.putMemo(before, &m)
		out[i] = true
	}
	return out, tx.commit()
}
