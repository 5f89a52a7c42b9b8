// Package docker runs PostgreSQL in a container, for tests on machines that
// have a Docker engine and no PostgreSQL. The lab itself does not use it: it
// would have to pull an image in the middle of a run, and could not signal the
// server's processes.
//
// The container is removed by [Server.Close], and by testcontainers' own
// cleaner if we are killed before.
package docker
