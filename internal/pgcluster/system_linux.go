package pgcluster

import "syscall"

// diesWithOwner says that the kernel signals our children when we die.
const diesWithOwner = true

// signalAtOwnersDeath asks for that signal. See launch for the thread it needs.
func signalAtOwnersDeath(attr *syscall.SysProcAttr, s syscall.Signal) {
	attr.Pdeathsig = s
}
