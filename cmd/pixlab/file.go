package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/pixlab/pixlab/chaos"
)

// newFile is a file in the making. It takes its name when it is whole, so that
// nobody ever finds half of it.
type newFile struct {
	*bufio.Writer
	file *os.File
	// final is the name to take; empty where the file is written in place
	// because it is a device, a pipe or the like.
	final string
	// kept ends the watch for signals that would leave the unfinished file.
	kept func()
}

// createFile begins a file. What cannot be begun is the user's to put right.
func createFile(flag, name string) (*newFile, error) {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return nil, usagef("%s %s: is a directory; want the name of a file", flag, name)
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, usagef("%s %s: %s; want a file that can be written", flag, name, reason(err))
		}
		return &newFile{Writer: bufio.NewWriter(f), file: f, kept: func() {}}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, usagef("%s %s: %s; want a file in a directory that is there and can be written", flag, name, reason(err))
	}
	return &newFile{Writer: bufio.NewWriterSize(f, 1<<16), file: f, final: name, kept: removeIfEnded(f.Name())}, nil
}

// finish makes the file whole.
func (n *newFile) finish() error {
	defer n.kept()
	err := n.Flush()
	if err == nil && n.final != "" {
		err = n.file.Chmod(0o644)
	}
	if e := n.file.Close(); err == nil {
		err = e
	}
	if n.final == "" {
		return wrapWrite(n.file.Name(), err)
	}
	if err == nil {
		err = os.Rename(n.file.Name(), n.final)
	}
	if err != nil {
		os.Remove(n.file.Name())
	}
	return wrapWrite(n.final, err)
}

// abandon leaves nothing behind. A nil file was never begun.
func (n *newFile) abandon() {
	if n == nil {
		return
	}
	defer n.kept()
	n.file.Close()
	if n.final != "" {
		os.Remove(n.file.Name())
	}
}

func wrapWrite(name string, err error) error {
	if err == nil {
		return nil
	}
	return environmentError{"write " + name, err}
}

// writeFile writes a whole file, or nothing.
func writeFile(flag, name string, text []byte) error {
	f, err := createFile(flag, name)
	if err != nil {
		return err
	}
	f.Write(text) // a bufio.Writer keeps its first error for Flush
	return f.finish()
}

// keepPlan writes the plan of a failed run into the working directory and
// gives the file's name. A file of that name that holds another plan, perhaps
// one that somebody is editing, is left alone.
func keepPlan(plan *chaos.Plan) (string, error) {
	text := plan.Encode()
	stem := "pixlab-plan-" + plan.Seed.String() + "-" + fileWord(plan.Profile)
	name := stem + ".json"
	if info, err := os.Lstat(name); err == nil {
		if same(name, info, text) {
			return name, nil
		}
		hash := strings.TrimPrefix(plan.Hash(), "sha256:")
		name = stem + "-" + hash[:8] + ".json"
	}
	if err := writeFile("plan", name, text); err != nil {
		return "", err
	}
	return name, nil
}

// same says whether a file holds just this text. What is no regular file, such
// as a pipe that never ends, is not read.
func same(name string, info os.FileInfo, text []byte) bool {
	if !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	there, err := os.ReadFile(name)
	return err == nil && bytes.Equal(there, text)
}

// fileWord is a profile's name as a part of a file's name: plans are editable,
// so it may be anything.
func fileWord(s string) string {
	word := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, s)
	return word[:min(len(word), 40)]
}

// sameFile says whether two names mean one file.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}
