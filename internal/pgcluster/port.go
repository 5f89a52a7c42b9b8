package pgcluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strconv"
)

// Ports are taken from below the range that systems use for outgoing
// connections, so that none of those takes ours while the server is down.
const (
	firstPort = 20000
	lastPort  = 32000
	portTries = 50
)

// freePort gives a port of 127.0.0.1 that nobody listened on a moment ago.
func freePort() (int, error) {
	for range portTries {
		n, err := rand.Int(rand.Reader, big.NewInt(lastPort-firstPort+1))
		if err != nil {
			return 0, fmt.Errorf("draw a port: %w", err)
		}
		port := firstPort + int(n.Int64())
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return 0, fmt.Errorf("close port %d again: %w", port, err)
		}
		return port, nil
	}
	return 0, errors.New("find a free port on 127.0.0.1: none in " + strconv.Itoa(portTries) + " tries")
}
