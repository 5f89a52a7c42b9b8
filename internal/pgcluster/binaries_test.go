package pgcluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// install makes a folder of programs that say they are of some version.
func install(t *testing.T, root, version string) string {
	t.Helper()
	folder := filepath.Join(root, version, "bin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		script := "#!/bin/sh\necho '" + name + " (PostgreSQL) " + version + " (Debian)'\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	bin := map[string]string{}
	for _, v := range []string{"9.6", "13.4", "14.1", "15.10", "15.9", "18beta1"} {
		bin[v] = install(t, root, v)
	}
	incomplete := t.TempDir()
	all := []string{filepath.Join(root, "*", "bin")}
	tests := map[string]struct {
		from places
		want string
	}{
		"the path comes first":        {places{path: bin["14.1"], patterns: all}, "14.1"},
		"an old one on the path not":  {places{path: bin["13.4"], patterns: all[:]}, "18beta1"},
		"nor half of one":             {places{path: incomplete + string(os.PathListSeparator) + bin["15.9"]}, "15.9"},
		"nor the working directory":   {places{path: "." + string(os.PathListSeparator) + bin["15.9"]}, "15.9"},
		"the newest of the folders":   {places{patterns: []string{filepath.Join(root, "15*", "bin")}}, "15.10"},
		"more than one kind of place": {places{patterns: []string{bin["14.1"], "/nowhere/*", bin["15.9"], bin["9.6"]}}, "15.9"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.from.find(t.Context(), oldest)
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(bin[tt.want], "postgres"); got.postgres != want {
				t.Errorf("found %s, want %s", got.postgres, want)
			}
		})
	}
}

func TestNotFound(t *testing.T) {
	root := t.TempDir()
	t.Setenv("PATH", "")
	nowhere := places{path: os.Getenv("PATH"), patterns: []string{filepath.Join(root, "*", "bin")}}

	t.Run("nothing installed", func(t *testing.T) {
		_, err := startOwn(t.Context(), Options{Dir: root}.withDefaults(), nowhere, freePort)
		if !errors.Is(err, ErrNotFound) {
			t.Fatalf("got %v, want ErrNotFound", err)
		}
		for _, way := range []string{"postgresql package", "make setup", EnvURL, "Docker"} {
			if !strings.Contains(err.Error(), way) {
				t.Errorf("%q does not name the way %q", err, way)
			}
		}
	})
	t.Run("only old ones", func(t *testing.T) {
		install(t, root, "13.4")
		_, err := startOwn(t.Context(), Options{Dir: root}.withDefaults(), nowhere, freePort)
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "14 or newer is needed: 13.4 in "+root) {
			t.Errorf("got %v, want ErrNotFound that names 13.4", err)
		}
	})
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	tests := map[string]Version{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)": {15, 18},
		"postgres (PostgreSQL) 18beta1":                        {18, 0},
		"postgres (PostgreSQL) 19devel":                        {19, 0},
		"14.0":                                                 {14, 0},
		"9.6.24":                                               {9, 6},
		"16.2 (Homebrew)":                                      {16, 2},
	}
	for text, want := range tests {
		if got, err := parseVersion(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	if v, err := parseVersion("PostgreSQL"); err == nil {
		t.Errorf("a text without a number is version %v", v)
	}
}
