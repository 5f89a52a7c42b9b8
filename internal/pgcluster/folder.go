package pgcluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	ourPrefix    = "pixlab-" // of all throwaway folders
	folderPrefix = ourPrefix + "pg-"
	markerName   = "owner.json"
	runName      = "run"  // the server's own folder, and its socket's
	dataName     = "data" // in run

	// maxSocketPath is macOS's limit; Linux allows four bytes more.
	maxSocketPath = 103
)

// account is the user that the server runs as. A nil account is our own.
type account struct {
	name     string
	uid, gid uint32
}

// owner is what the marker file says, for whoever wonders about a folder. The
// proof that the owner lives is the lock on the file.
type owner struct {
	Program string    `json:"program"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// ownerProgram is the program that a marker of ours names.
const ownerProgram = "pixlab/pgcluster"

// folder is a throwaway folder:
//
//	pixlab-pg-123456/        ours; others can pass through it, no more
//	    owner.json           the marker, locked while we live
//	    run/                 the server's user's, closed to all others
//	        .s.PGSQL.20123   the socket
//	        data/            made by initdb
type folder struct {
	path   string
	marker *os.File
}

// makeFolder makes a folder in parent for a server that runs as a.
func makeFolder(parent string, a *account) (*folder, error) {
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, fmt.Errorf("make server's folder: %w", err)
	}
	if socketPathTooLong(parent) {
		return nil, fmt.Errorf("make server's folder: the path %s is too long for a socket in it: choose a shorter one", parent)
	}
	path, err := newFolder(parent, folderPrefix)
	if err != nil {
		return nil, fmt.Errorf("make server's folder: %w", err)
	}
	f := &folder{path: path}
	if err := f.fill(a); err != nil {
		_ = f.remove()
		return nil, fmt.Errorf("make server's folder: %w", err)
	}
	return f, nil
}

// mark writes the marker, which is empty until it is locked: an empty one proves
// nothing to a sweep.
func (f *folder) mark() error {
	var err error
	f.marker, err = os.OpenFile(filepath.Join(f.path, markerName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := lock(f.marker); err != nil {
		return fmt.Errorf("lock marker: %w", err)
	}
	text, err := json.Marshal(owner{Program: ownerProgram, PID: os.Getpid(), Started: time.Now().UTC()})
	if err != nil {
		return err
	}
	_, err = f.marker.Write(append(text, '\n'))
	return err
}

// fill writes the marker and makes the server's own folder.
func (f *folder) fill(a *account) error {
	if err := f.mark(); err != nil {
		return err
	}
	if err := os.Mkdir(f.run(), 0o700); err != nil {
		return err
	}
	if a == nil {
		return nil
	}
	if err := os.Chown(f.run(), int(a.uid), int(a.gid)); err != nil {
		return err
	}
	return os.Chmod(f.path, 0o711)
}

// run is the server's own folder, and the one of its socket.
func (f *folder) run() string { return filepath.Join(f.path, runName) }

// data is the server's data directory.
func (f *folder) data() string { return filepath.Join(f.path, runName, dataName) }

// remove takes the folder away and only then gives the lock back.
func (f *folder) remove() error {
	err := os.RemoveAll(f.path)
	if f.marker != nil {
		_ = f.marker.Close()
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", f.path, err)
	}
	return nil
}

// socketPathTooLong tells whether a socket in a folder made in parent would
// have a path that the system refuses.
func socketPathTooLong(parent string) bool {
	longest := filepath.Join(parent, folderPrefix+"1234567890", runName, ".s.PGSQL.12345")
	return len(longest) > maxSocketPath
}
