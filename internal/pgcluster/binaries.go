package pgcluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// binaries are the programs of one installed version.
type binaries struct {
	initdb, postgres string
	version          Version
}

// places are where programs may be: the folders of a PATH, then patterns of
// folders, of which the newest version counts.
type places struct {
	path     string
	patterns []string
}

// systemPlaces are those of this machine.
func systemPlaces() places {
	return places{
		path: os.Getenv("PATH"),
		patterns: []string{
			"/usr/lib/postgresql/*/bin",                               // Debian, Ubuntu
			"/usr/pgsql-*/bin",                                        // PostgreSQL's own RPMs
			"/usr/libexec/postgresql*",                                // Alpine
			"/usr/lib/postgresql*/bin",                                // SUSE
			"/opt/homebrew/opt/postgresql@*/bin",                      // Homebrew, Apple silicon
			"/usr/local/opt/postgresql@*/bin",                         // Homebrew, Intel
			"/Applications/Postgres.app/Contents/Versions/[0-9]*/bin", // Postgres.app
			"/usr/local/pgsql/bin",                                    // built from source
		},
	}
}

// find gives the first programs on the path that are new enough, else the
// newest in the folders; without any, an error that wraps [ErrNotFound] and
// names those that are too old.
func (p places) find(ctx context.Context, minVersion int) (binaries, error) {
	var tooOld []string
	usable := func(folder string) (binaries, bool) {
		b, ok := programsIn(ctx, folder)
		if ok && b.version.Major < minVersion {
			tooOld = append(tooOld, fmt.Sprintf("%v in %s", b.version, folder))
		}
		return b, ok && b.version.Major >= minVersion
	}
	for _, folder := range filepath.SplitList(p.path) {
		if b, ok := usable(folder); ok {
			return b, nil
		}
	}
	var found []binaries
	for _, pattern := range p.patterns {
		folders, _ := filepath.Glob(pattern) // the patterns are well formed
		for _, folder := range folders {
			if b, ok := usable(folder); ok {
				found = append(found, b)
			}
		}
	}
	if len(found) > 0 {
		return slices.MaxFunc(found, func(a, b binaries) int { return a.version.compare(b.version) }), nil
	}
	if len(tooOld) > 0 {
		return binaries{}, fmt.Errorf("%w (too old, %d or newer is needed: %s)", ErrNotFound, minVersion, strings.Join(tooOld, ", "))
	}
	return binaries{}, ErrNotFound
}

// programsIn looks for initdb and postgres in one folder and asks the latter
// for its version.
func programsIn(ctx context.Context, folder string) (binaries, bool) {
	if !filepath.IsAbs(folder) {
		return binaries{}, false // never a program of the working directory
	}
	b := binaries{initdb: filepath.Join(folder, "initdb"), postgres: filepath.Join(folder, "postgres")}
	for _, name := range []string{b.initdb, b.postgres} {
		if _, err := exec.LookPath(name); err != nil {
			return binaries{}, false
		}
	}
	answer, err := exec.CommandContext(ctx, b.postgres, "--version").Output()
	if err != nil {
		return binaries{}, false
	}
	b.version, err = parseVersion(string(answer))
	return b, err == nil
}
