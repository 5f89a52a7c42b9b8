package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// open uses a server that runs already.
func open(ctx context.Context, o Options) (*Cluster, error) {
	base, err := url.Parse(o.URL)
	if err != nil || base.Scheme != "postgres" && base.Scheme != "postgresql" {
		// The text is not repeated: it may hold a password.
		return nil, errors.New("read " + o.from + ": want a URL like postgres://user:password@host:5432/database")
	}
	v, err := askVersion(ctx, o.URL)
	if err != nil {
		return nil, fmt.Errorf("use the server of %s: %w", o.from, err)
	}
	if v.Major < o.MinVersion {
		return nil, &TooOldError{Version: v, Address: base.Host, Want: o.MinVersion}
	}
	return &Cluster{base: base, socket: base, version: v}, nil
}

// askVersion connects to a server and reads the version it reports.
func askVersion(ctx context.Context, url string) (Version, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Version{}, err
	}
	defer conn.Close(ctx)
	return parseVersion(conn.PgConn().ParameterStatus("server_version"))
}
