package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// loadConn is one keep-alive connection on which callbacks go out one after
// another. It writes requests by hand: the generator shares its processors with
// what it measures, and net/http's client costs more than the receiver does.
type loadConn struct {
	addr     string
	head     []byte // of every request, up to the signature's value
	secret   pix.Secret
	patience time.Duration // with one request

	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

// loadPatience bounds one request of a load.
const loadPatience = 30 * time.Second

func newLoadConn(target *url.URL, secret pix.Secret) *loadConn {
	head := "POST " + target.RequestURI() + " HTTP/1.1\r\nHost: " + target.Host + "\r\nContent-Type: application/json\r\n" + pix.SignatureHeader + ": "
	return &loadConn{addr: target.Host, head: []byte(head), secret: secret, patience: loadPatience}
}

// post sends one callback, signed now, and gives the status of the answer. A
// connection that failed is made anew at the next one.
func (c *loadConn) post(body []byte) (int, error) {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.addr, c.patience)
		if err != nil {
			return 0, err
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	status, reuse, err := c.exchange(body)
	if err != nil || !reuse {
		c.close()
	}
	return status, err
}

func (c *loadConn) exchange(body []byte) (status int, reuse bool, err error) {
	now := time.Now()
	if err := c.conn.SetDeadline(now.Add(c.patience)); err != nil {
		return 0, false, err
	}
	c.out = append(append(c.out[:0], c.head...), pix.Sign(c.secret, now, body)...)
	c.out = strconv.AppendInt(append(c.out, "\r\nContent-Length: "...), int64(len(body)), 10)
	c.out = append(append(c.out, "\r\n\r\n"...), body...)
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, false, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, false, fmt.Errorf("read the answer: %w", err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, false, fmt.Errorf("read the answer: %w", err)
	}
	return resp.StatusCode, !resp.Close, nil
}

func (c *loadConn) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
