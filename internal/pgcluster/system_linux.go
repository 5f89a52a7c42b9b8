package pgcluster

import "syscall"

// memoryDir is a folder in memory.
const memoryDir = "/dev/shm"

// enoughMemory is what a server of a test's may fill, in bytes.
const enoughMemory = 1 << 30

// memoryHasRoom tells whether a server fits into memoryDir. Containers often
// have a small one.
func memoryHasRoom() bool {
	var fs syscall.Statfs_t
	err := syscall.Statfs(memoryDir, &fs)
	return err == nil && fs.Bavail*uint64(fs.Bsize) >= enoughMemory
}

// diesWithOwner says that the kernel signals our children when we die.
const diesWithOwner = true

// signalAtOwnersDeath asks for that signal. See launch for the thread it needs.
func signalAtOwnersDeath(attr *syscall.SysProcAttr, s syscall.Signal) {
	attr.Pdeathsig = s
}
