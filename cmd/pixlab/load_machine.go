package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// machineTime is the processor time, in ticks, that the whole machine and our
// own family of processes have taken; known only where /proc tells.
type machineTime struct {
	known             bool
	busy, total, ours int64
}

// readMachine reads both at once.
func readMachine() machineTime {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machineTime{}
	}
	line, _, _ := strings.Cut(string(text), "\n")
	m := machineTime{known: true}
	for i, field := range strings.Fields(line)[1:] {
		n, _ := strconv.ParseInt(field, 10, 64)
		switch {
		case i > 7: // guests' time is in user's already
		case i != 3 && i != 4: // neither idle nor waiting for a disk
			m.busy += n
			fallthrough
		default:
			m.total += n
		}
	}
	m.ours = familyTicks(os.Getpid())
	return m
}

// familyTicks is the time of a process and of all below it, alive or waited for.
func familyTicks(root int) int64 {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	ticks, parent := map[int]int64{}, map[int]int{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has just ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		// Behind the command's name, which may hold anything: state, parent, …
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parent[pid], _ = strconv.Atoi(f[1])
		for _, field := range f[11:15] {
			n, _ := strconv.ParseInt(field, 10, 64)
			ticks[pid] += n
		}
	}
	sum := int64(0)
	for pid, t := range ticks {
		for p := pid; p > 1; p = parent[p] {
			if p == root {
				sum += t
				break
			}
		}
	}
	return sum
}

// elsewhere is which part of a hundred of the processors' time others took
// between two readings.
func (m machineTime) elsewhere(later machineTime) float64 {
	total := later.total - m.total
	if !m.known || total <= 0 {
		return -1
	}
	return max(0, 100*float64(later.busy-m.busy-(later.ours-m.ours))/float64(total))
}
