package pgcluster

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// oldServer lets everybody in and says that it is of some version. It gives
// its address.
func oldServer(t *testing.T, version string) string {
	t.Helper()
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serveOnce(l, version) }()
	t.Cleanup(func() {
		if err := errors.Join(<-served, l.Close()); err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// serveOnce answers one client until it leaves.
func serveOnce(l net.Listener, version string) error {
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	b := pgproto3.NewBackend(conn, conn)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return err
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: version})
	b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if err := b.Flush(); err != nil {
		return err
	}
	_, err = b.Receive() // Terminate
	return err
}

func TestGivenTooOld(t *testing.T) {
	address := oldServer(t, "13.4 (Debian 13.4-1.pgdg110+1)")
	t.Setenv(EnvURL, "postgres://somebody:secret@"+address+"/lab?sslmode=disable")
	_, err := Start(t.Context(), Options{})
	old, ok := errors.AsType[*TooOldError](err)
	if !ok {
		t.Fatalf("got %v, want a TooOldError", err)
	}
	if want := (TooOldError{Version: Version{13, 4}, Address: address, Want: 14}); *old != want {
		t.Errorf("got %+v, want %+v", *old, want)
	}
	if want := "PostgreSQL 13.4 at " + address + " is too old: 14 or newer is needed"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the message is %q, want it to begin with %q", err, want)
	}
}

func TestGivenIsNotOursToStop(t *testing.T) {
	t.Parallel()
	owned := startTest(t, Options{Fast: true, Dir: parent(t)})
	c, err := Start(t.Context(), Options{URL: owned.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Given() || c.Dir() != "" {
		t.Errorf("Given %v, Dir %q, want true and none", c.Given(), c.Dir())
	}
	if c.SocketURL("x") != c.URL("x") || c.Version() != owned.Version() {
		t.Errorf("SocketURL %s, version %v", c.SocketURL("x"), c.Version())
	}
	for name, err := range map[string]error{"Kill": c.Kill(ModeFast), "Restart": c.Restart(t.Context())} {
		if !errors.Is(err, ErrGiven) {
			t.Errorf("%s: %v, want ErrGiven", name, err)
		}
	}
	if err := c.CreateDatabase(t.Context(), "lab"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, c.URL("lab"), "SELECT current_database()"); got != "lab" {
		t.Errorf("after Close the database is %q, want lab", got)
	}
}

func TestGivenUnusable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // so that nobody listens there
	tests := map[string]struct{ url, want string }{
		"keywords instead of a URL": {"host=/tmp password=secret", "postgres://user:password@host:5432/database"},
		"another scheme":            {"mysql://me:secret@localhost/x", "postgres://user:password@host:5432/database"},
		"no URL at all":             {"postgres://me:secret@%zz/", "postgres://user:password@host:5432/database"},
		"nobody there":              {"postgres://me:secret@" + l.Addr().String() + "/x?sslmode=disable", "use the server of the given URL: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Start(t.Context(), Options{URL: tt.url})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the message tells the password: %v", err)
			}
		})
	}
}
