package fakepsp

import (
	"errors"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// listStatement is GET /extrato?from&to&cursor&limit, the account statement:
// its lines settled at from or later and before to (both optional), in the
// total order (settled_at, kind, endToEndId, id), at most limit of them (1 to
// 1000, default 100). The cursor names the last line read, so lines that
// arrive meanwhile neither move nor repeat one.
func listStatement(p *PSP, c *call) Reply {
	q := &listQuery{c: c}
	from, to := q.instant("from", windowOptional), q.instant("to", windowOptional)
	if !to.IsZero() && to.Before(from) {
		q.bad("to", "is before from")
	}
	limit := q.number("limit", pix.DefaultPerPage, 1, pix.MaxPerPage)
	after, err := parseCursor(c.query.Get("cursor"))
	if err != nil {
		q.bad("cursor", err.Error())
	}
	if len(q.found) > 0 {
		return problem(pix.ProblemInvalidRequest, "", q.found...)
	}
	reply, _ := p.lagging(c, func(lag time.Duration) Reply {
		end := c.now.Add(-lag).Add(1)
		if !to.IsZero() && to.Before(end) {
			end = to
		}
		return answer(http.StatusOK, statementPage(p.truth.lineSpan(from, end), after, limit))
	})
	return reply
}

func statementPage(lines []pix.StatementLine, after pix.StatementLine, limit int) pix.StatementPage {
	if after.Kind != "" {
		lines = lines[sort.Search(len(lines), func(i int) bool { return compareLines(lines[i], after) > 0 }):]
	}
	if len(lines) <= limit {
		return pix.StatementPage{Lines: lines}
	}
	lines = lines[:limit]
	return pix.StatementPage{Lines: lines, Next: cursorOf(lines[limit-1])}
}

// cursorOf writes a line's place in the order, in characters that a URL takes
// as they are.
func cursorOf(l pix.StatementLine) string {
	return strconv.FormatInt(l.SettledAt.UnixMilli(), 10) + "~" + string(l.Kind) + "~" + string(l.EndToEndID) + "~" + l.ID
}

var errCursor = errors.New("not a cursor of this statement")

// parseCursor reads cursorOf; an empty text is the beginning.
func parseCursor(s string) (pix.StatementLine, error) {
	if s == "" {
		return pix.StatementLine{}, nil
	}
	part := strings.Split(s, "~")
	if len(part) != 4 || part[1] == "" {
		return pix.StatementLine{}, errCursor
	}
	ms, err := strconv.ParseInt(part[0], 10, 64)
	if err != nil {
		return pix.StatementLine{}, errCursor
	}
	return pix.StatementLine{
		Kind: pix.StatementKind(part[1]), EndToEndID: pix.EndToEndID(part[2]), ID: part[3],
		SettledAt: time.UnixMilli(ms).UTC(),
	}, nil
}
