package receiver

import "strconv"

func parseCursor(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func formatCursor(id int64) string { return strconv.FormatInt(id, 10) }
