package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCertsOverwriteNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "certs")
	got := pixlab("", "certs", "--dir", dir, "--host", "psp.example", "--host", "10.0.0.7").want(t, 0).quiet(t)
	contains(t, got.out, "ca.pem", "server.pem", "server-key.pem", "client.pem", "client-key.pem")
	if exists(filepath.Join(dir, "ca-key.pem")) {
		t.Error("the authority's key was kept")
	}
	info, err := os.Stat(filepath.Join(dir, "server-key.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info, err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "client.pem"))
	if err != nil {
		t.Fatal(err)
	}
	// With only one file in the way the others are not made either.
	for _, name := range []string{"ca.pem", "server.pem", "server-key.pem", "client-key.pem"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	again := pixlab("", "certs", "--dir", dir).want(t, 2)
	contains(t, again.err, "client.pem is there already")
	after, err := os.ReadFile(filepath.Join(dir, "client.pem"))
	if err != nil || string(after) != string(before) {
		t.Errorf("client.pem was changed: %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestCertsNeedAFolder(t *testing.T) {
	t.Parallel()
	contains(t, pixlab("", "certs").want(t, 2).err, "--dir is missing")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := pixlab("", "certs", "--dir", file).want(t, 2)
	if strings.Count(got.err, "\n") != 1 {
		t.Errorf("stderr: %s", got.err)
	}
}
