package pgcluster

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// Version is a PostgreSQL version. Minor is 0 for one not yet released.
type Version struct {
	Major, Minor int
}

// String gives the version as PostgreSQL writes it, like "15.4".
func (v Version) String() string {
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// compare orders versions, older first.
func (v Version) compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}

// versionPattern finds "15.4", "17beta1" or "18devel" in a program's answer
// and in the parameter server_version, which packagers add to.
var versionPattern = regexp.MustCompile(`(?:^|\s)(\d+)(?:\.(\d+))?`)

// parseVersion reads the first version in a text like
// "postgres (PostgreSQL) 15.4 (Debian 15.4-1)".
func parseVersion(text string) (Version, error) {
	m := versionPattern.FindStringSubmatch(text)
	if m == nil {
		return Version{}, fmt.Errorf("read version: no number in %q", text)
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return Version{}, fmt.Errorf("read version: %w", err)
	}
	minor, _ := strconv.Atoi(m[2]) // empty before the first release
	return Version{Major: major, Minor: minor}, nil
}
