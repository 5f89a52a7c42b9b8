package pgcluster

import (
	"maps"
	"slices"
	"strconv"
)

// arguments are the server's command line. All settings stand there, so that
// one look at the process list says what it runs with.
func (s *server) arguments() []string {
	all := map[string]string{
		"max_connections":            "200",
		"shared_buffers":             "64MB",
		"dynamic_shared_memory_type": "mmap", // in the folder, so that it goes with it
		"timezone":                   "UTC",
		"log_timezone":               "UTC",
		"log_checkpoints":            "off",
	}
	if s.options.Fast {
		all["fsync"], all["synchronous_commit"], all["full_page_writes"] = "off", "off", "off"
	} else {
		all["fsync"], all["synchronous_commit"], all["full_page_writes"] = "on", "on", "on"
	}
	maps.Copy(all, s.options.Settings)
	maps.Copy(all, map[string]string{
		"listen_addresses":        loopback,
		"port":                    strconv.Itoa(s.port),
		"unix_socket_directories": s.folder.run(),
		"logging_collector":       "off", // the log comes to us
	})
	args := []string{"-D", s.folder.data()}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}
