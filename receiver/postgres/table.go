package postgres

// table is the rows of one kind that a transaction has read and put. Rows are
// immutable: a put stores another row and notes the pair, so that it can be
// taken back. A key with a nil row was looked for and is not there.
type table[K comparable, R any] struct {
	rows    map[K]*R
	log     []change[K, R]
	written int // how much of the log the database has
}

// change is one row before (nil if new) and after.
type change[K comparable, R any] struct {
	key           K
	before, after *R
}

func newTable[K comparable, R any]() table[K, R] {
	return table[K, R]{rows: map[K]*R{}}
}

// read notes a row as the database has it.
func (t *table[K, R]) read(key K, row *R) { t.rows[key] = row }

// missing notes keys that were asked for, before their rows are read.
func (t *table[K, R]) missing(keys []K) {
	for _, k := range keys {
		if _, ok := t.rows[k]; !ok {
			t.rows[k] = nil
		}
	}
}

// knows says whether a key was asked for.
func (t *table[K, R]) knows(key K) bool {
	_, ok := t.rows[key]
	return ok
}

func (t *table[K, R]) put(key K, after *R) {
	t.log = append(t.log, change[K, R]{key, t.rows[key], after})
	t.rows[key] = after
}

// undo takes back every put after the first n, newest first.
func (t *table[K, R]) undo(n int) {
	for i := len(t.log) - 1; i >= n; i-- {
		t.rows[t.log[i].key] = t.log[i].before
	}
	t.log = t.log[:n]
	t.written = min(t.written, n)
}

// pending are the changes that the database does not have yet, one for each
// row, in the order in which the rows were first put. They count as written
// from now on.
func (t *table[K, R]) pending() (added, changed []change[K, R]) {
	at := map[K]int{}
	var all []change[K, R]
	for _, c := range t.log[t.written:] {
		if i, ok := at[c.key]; ok {
			all[i].after = c.after
			continue
		}
		at[c.key] = len(all)
		all = append(all, c)
	}
	t.written = len(t.log)
	for _, c := range all {
		if c.before == nil {
			added = append(added, c)
		} else if c.before != c.after {
			changed = append(changed, c)
		}
	}
	return added, changed
}

// list is rows that are only ever added, in the order added.
type list[R any] struct {
	rows    []R
	written int
}

func (l *list[R]) add(row R) { l.rows = append(l.rows, row) }

func (l *list[R]) cut(n int) {
	clear(l.rows[n:])
	l.rows = l.rows[:n]
	l.written = min(l.written, n)
}

// pending are the rows that the database does not have yet; see table.pending.
func (l *list[R]) pending() []R {
	rows := l.rows[l.written:]
	l.written = len(l.rows)
	return rows
}
