//go:build !(linux || darwin || freebsd)

package pgcluster

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// memoryDir is a folder in memory: there is none here.
const memoryDir = ""

func memoryHasRoom() bool { return false }

// diesWithOwner is moot here: no server is started.
const diesWithOwner = true

// ordinaryAccount refuses, and with it every start of a server of our own.
func ordinaryAccount() (*account, error) {
	return nil, errors.New("start a server: not supported on this system; point " + EnvURL + " at one")
}

func attributes(*account, syscall.Signal) *syscall.SysProcAttr { return nil }

func killGroup(int) {}

func lock(*os.File) error { return errors.ErrUnsupported }

func tryLock(*os.File) bool { return false }

func ours(fs.FileInfo) bool { return false }
