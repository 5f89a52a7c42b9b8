package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a throwaway folder of this process. Should the process be killed, the
// next one that makes a folder or starts a server removes it: as with a server's,
// a marker in it that nobody has locked any more proves that its owner is gone.
type Folder struct{ folder *folder }

// MakeFolder makes one in [os.TempDir], called pixlab-<what>- and a number, and
// removes those that killed runs left there.
func MakeFolder(ctx context.Context, what string) (*Folder, error) {
	parent, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	sweep(ctx, parent, &serverLog{to: io.Discard})
	path, err := newFolder(parent, ourPrefix+what+"-")
	if err != nil {
		return nil, err
	}
	f := &Folder{&folder{path: path}}
	// Where a file cannot be locked there is no sweep either.
	if err := f.folder.mark(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(fmt.Errorf("mark %s: %w", path, err), f.Remove())
	}
	return f, nil
}

// Path is where it is.
func (f *Folder) Path() string { return f.folder.path }

// Remove takes it away with all that is in it.
func (f *Folder) Remove() error { return f.folder.remove() }

// newFolder makes a folder of a new name, or says where it could not.
func newFolder(parent, prefix string) (string, error) {
	path, err := os.MkdirTemp(parent, prefix)
	var refused *fs.PathError
	if errors.As(err, &refused) {
		return "", fmt.Errorf("make a folder in %s: %w", parent, refused.Err)
	}
	return path, err
}
