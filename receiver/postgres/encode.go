package postgres

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// column is one value of each row, for unnest.
func column[R, V any](rows []R, get func(R) V) []V {
	out := make([]V, len(rows))
	for i, r := range rows {
		out[i] = get(r)
	}
	return out
}

// texts is a column of texts.
func texts[R any, S ~string](rows []R, get func(R) S) []string {
	return column(rows, func(r R) string { return text(get(r)) })
}

// text is s as the database can store it: no zero byte, valid UTF-8. Ids have
// been checked before they come here and are never changed; a refusal's words
// may hold anything.
func text[S ~string](s S) string {
	if strings.IndexByte(string(s), 0) < 0 && utf8.ValidString(string(s)) {
		return string(s)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(s), "\uFFFD"), "\x00", "\uFFFD")
}

// cents is a column of amounts.
func cents[R any, A ~int64](rows []R, get func(R) A) []int64 {
	return column(rows, func(r R) int64 { return int64(get(r)) })
}

// optional is a time that may be unknown: NULL in the database, zero here.
func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// unknown scans a time that may be NULL.
type unknown struct{ at *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (u unknown) ScanTimestamptz(v pgtype.Timestamptz) error {
	*u.at = time.Time{}
	if v.Valid {
		*u.at = v.Time.UTC()
	}
	return nil
}

// extended is a row with further columns behind those that a scan function
// asks for.
type extended struct {
	pgx.Rows
	more []any
}

// behind adds further columns to a row.
func behind(rows pgx.Rows, more ...any) pgx.Rows { return extended{rows, more} }

// Scan implements pgx.Rows.
func (e extended) Scan(into ...any) error { return e.Rows.Scan(append(into, e.more...)...) }
