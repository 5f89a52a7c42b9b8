package memory

import "slices"

// change is one row before (nil if new) and after.
type change[T any] struct{ Before, After *T }

// journal is what the open transaction changed in one table, oldest first.
type journal[T any] []change[T]

// add notes one put.
func (j *journal[T]) add(before, after *T) {
	*j = append(*j, change[T]{before, after})
}

// undo hands back the changes after a mark, newest first, and forgets them.
func (j *journal[T]) undo(mark int, swap func(before, after *T)) {
	for i := len(*j) - 1; i >= mark; i-- {
		swap((*j)[i].After, (*j)[i].Before)
	}
	clear((*j)[mark:])
	*j = (*j)[:mark]
}

// reset forgets everything: the transaction is over.
func (j *journal[T]) reset() {
	clear(*j)
	*j = (*j)[:0]
}

// quadratic is the journal's length up to which looking for a row's earlier
// change by walking is cheaper than a map.
const quadratic = 24

// fold makes one change of the changes of one row. Rows are immutable, so a
// later change starts with the very row that the earlier one put.
func (j *journal[T]) fold() {
	if len(*j) < 2 {
		return
	}
	var at map[*T]int
	if len(*j) > quadratic {
		at = make(map[*T]int, len(*j))
	}
	kept := (*j)[:0]
	for _, c := range *j {
		i := -1
		switch {
		case c.Before == nil:
		case at == nil:
			i = slices.IndexFunc(kept, func(k change[T]) bool { return k.After == c.Before })
		default:
			if n, ok := at[c.Before]; ok {
				i = n
			}
		}
		if i < 0 {
			i = len(kept)
			kept = append(kept, c)
		} else {
			kept[i].After = c.After
		}
		if at != nil {
			at[c.After] = i
		}
	}
	clear((*j)[len(kept):])
	*j = kept
}
