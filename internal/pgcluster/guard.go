package pgcluster

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// guardScript waits for the end of its input, which comes when nobody holds the
// other end of the pipe any more, and then stops the process it was given.
const guardScript = `trap '' INT HUP TERM; read -r _; kill -QUIT "$0"`

// guard starts a shell that stops the process if we end without having done so,
// for systems whose kernel does not do it. The guard goes when the process does.
func guard(p *process) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make guard's pipe: %w", err)
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", guardScript, strconv.Itoa(p.cmd.Process.Pid))
	cmd.Stdin = theirs
	cmd.SysProcAttr = attributes(nil, 0) // it is to outlive us
	if err := cmd.Start(); err != nil {
		ours.Close()
		return fmt.Errorf("start guard: %w", err)
	}
	go func() {
		<-p.done
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ours.Close()
	}()
	return nil
}
