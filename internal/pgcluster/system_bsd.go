//go:build darwin || freebsd

package pgcluster

import "syscall"

// diesWithOwner says that the kernel does nothing here; see guard.
const diesWithOwner = false

func signalAtOwnersDeath(*syscall.SysProcAttr, syscall.Signal) {}
