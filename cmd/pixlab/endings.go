package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endings are the signals that ask this process to end, without those that
// whoever started it has it ignore, as nohup does.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

// removeIfEnded removes a file if a signal ends the process before stop is
// called. The process then ends by that signal, as it would have without this.
func removeIfEnded(name string) (stop func()) {
	wanted := endings()
	if len(wanted) == 0 {
		return func() {}
	}
	told, stopped := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(told, wanted...)
	go func() {
		select {
		case s := <-told:
			os.Remove(name)
			// Whoever else listens still has the signal: it ends the process
			// when the last one has let go of it.
			signal.Stop(told)
			endBy(s)
		case <-stopped:
		}
	}()
	return func() {
		signal.Stop(told)
		close(stopped)
	}
}

// endBy sends this process a signal.
func endBy(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		os.Exit(exitEnvironment)
	}
}
