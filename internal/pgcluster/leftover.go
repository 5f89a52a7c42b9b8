package pgcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// leftoverPoll is how often a server that is no child of ours is looked for.
const leftoverPoll = 20 * time.Millisecond

// sweep removes from parent what killed runs left: their servers, if one should
// still run, and their folders, those of [MakeFolder] too. What it cannot remove it leaves and logs.
func sweep(ctx context.Context, parent string, log *serverLog) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // making our own folder there says why
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), ourPrefix) {
			continue
		}
		f, ok := orphan(filepath.Join(parent, e.Name()))
		if !ok {
			continue
		}
		stopLeftover(ctx, f.data())
		if err := f.remove(); err != nil {
			log.printf("leave %s: %v", f.path, err)
			continue
		}
		log.printf("removed %s, left by a run that was killed", f.path)
	}
}

// orphan takes over a folder if it is proved to be one of ours whose owner is
// gone: the user's own, closed to writers, with a marker that is ours too, says
// so and is not locked. Whatever is in doubt is somebody else's.
func orphan(path string) (*folder, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || !ours(info) || info.Mode().Perm()&0o022 != 0 {
		return nil, false
	}
	marker, err := os.Open(filepath.Join(path, markerName))
	if err != nil {
		return nil, false
	}
	if !tryLock(marker) || !isMarker(marker) {
		_ = marker.Close()
		return nil, false
	}
	return &folder{path: path, marker: marker}, true
}

// isMarker tells whether a file, locked by us, is still the marker in its place
// and names this package.
func isMarker(f *os.File) bool {
	opened, err1 := f.Stat()
	placed, err2 := os.Lstat(f.Name())
	if err1 != nil || err2 != nil || !os.SameFile(opened, placed) || !opened.Mode().IsRegular() || !ours(opened) {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return false
	}
	var o owner
	return json.Unmarshal(text, &o) == nil && o.Program == ownerProgram
}

// stopLeftover stops the server of an orphaned folder, if one still runs.
func stopLeftover(ctx context.Context, data string) {
	pid, ok := leftoverServer(data)
	if !ok {
		return
	}
	server, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	_ = server.Signal(syscall.SIGQUIT)
	ctx, cancel := context.WithTimeout(ctx, immediateLimit)
	defer cancel()
	tick := time.NewTicker(leftoverPoll)
	defer tick.Stop()
	for {
		if now, ok := leftoverServer(data); !ok || now != pid {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			_ = server.Kill()
			return
		}
	}
}

// leftoverServer gives the process id of the server that runs on a data
// directory. The server's own file names it, and the process must have been
// started on this very directory: the id may be somebody else's by now.
func leftoverServer(data string) (pid int, ok bool) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err = strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return 0, false
	}
	return pid, slices.Contains(commandLine(pid), data)
}

// commandLine gives a process's arguments, from /proc or else from ps, which
// separates them by spaces alone. It is empty if there is no such process.
func commandLine(pid int) []string {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil {
		return strings.Split(string(bytes.TrimRight(text, "\x00")), "\x00")
	}
	text, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}
