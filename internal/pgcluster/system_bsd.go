//go:build darwin || freebsd

package pgcluster

import "syscall"

// memoryDir is a folder in memory: there is none here.
const memoryDir = ""

func memoryHasRoom() bool { return false }

// diesWithOwner says that the kernel does nothing here; see guard.
const diesWithOwner = false

func signalAtOwnersDeath(*syscall.SysProcAttr, syscall.Signal) {}
