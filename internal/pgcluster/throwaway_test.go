package pgcluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFoldersOfKilledOwnersAreSwept has a folder let go of, as the system does
// for an owner that was killed, and wants that one removed and no other.
func TestFoldersOfKilledOwnersAreSwept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	made := func(what string) *Folder {
		t.Helper()
		f, err := MakeFolder(t.Context(), what)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.Path(), "psp.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		return f
	}
	alive, killed := made("live"), made("load")
	stranger := filepath.Join(dir, "pixlab-load-of-somebody")
	if err := os.Mkdir(stranger, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := killed.folder.marker.Close(); err != nil {
		t.Fatal(err)
	}
	if !diesWithOwner && !tryLock(alive.folder.marker) {
		t.Skip("files cannot be locked here")
	}
	next := made("live")
	for path, want := range map[string]bool{alive.Path(): true, killed.Path(): false, stranger: true, next.Path(): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", filepath.Base(path), err == nil, want)
		}
	}
	for _, f := range []*Folder{alive, next} {
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// TestAFolderThatCannotBeMadeIsNamed wants the place in the error's own text.
func TestAFolderThatCannotBeMadeIsNamed(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	t.Setenv("TMPDIR", gone)
	if _, err := MakeFolder(t.Context(), "live"); err == nil || !strings.Contains(err.Error(), "make a folder in "+gone+": ") {
		t.Errorf("got %v, want it to name %s", err, gone)
	}
}
