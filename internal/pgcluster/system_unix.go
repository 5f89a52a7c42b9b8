//go:build linux || darwin || freebsd

package pgcluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// ordinaryAccount gives the user to run the server as, since postgres refuses
// to be root: postgres, or nobody where that does not exist. It is nil if we
// are an ordinary user ourselves.
func ordinaryAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("read ids of user %s: %w", name, err)
		}
		return &account{name: name, uid: uint32(uid), gid: uint32(gid)}, nil
	}
	return nil, errors.New("choose a user for the server: it refuses to run as root, and there is neither a user postgres nor nobody")
}

// attributes puts a child into a process group of its own, so that a terminal's
// Ctrl-C does not reach it, gives it its account, and has it get a signal when
// we die, where the kernel can do that.
func attributes(a *account, atOwnersDeath syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		attr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	signalAtOwnersDeath(attr, atOwnersDeath)
	return attr
}

// killGroup kills a child that leads its group, and its children.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // refused if they are gone
}

// lock waits until it alone has the file. The kernel gives the lock back when
// the file is closed, at the latest at our end.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

// tryLock is lock for who does not want to wait. It tells whether it has it.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// ours tells whether a file belongs to the user we are.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
