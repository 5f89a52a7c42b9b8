package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pixlab/pixlab/receiver"
)

// Config is what a store is made of. Zero values take the default named beside.
type Config struct {
	// URL names the database, as pgx takes it: a URL, or words like "host=…". A
	// pooler in between has to give each connection a session of its own.
	URL string
	// Rules decide what a Pix means.
	Rules receiver.Rules
	// MaxConns bounds the connections (8). A command holds one while it runs.
	MaxConns int
	// StatementTimeout bounds one statement (10 s), LockTimeout one wait for a
	// lock (5 s); the server keeps both. What hits them did nothing.
	StatementTimeout time.Duration
	LockTimeout      time.Duration
	// Now takes the place of the database's clock, for tests and the lab.
	Now func() time.Time
	// Dial makes the connections, where set.
	Dial pgconn.DialFunc
}

// Store is a receiver.Store on PostgreSQL. Make it with [Open]; it may be used
// by many goroutines. Times are kept to the microsecond.
type Store struct {
	cfg  Config
	pool *pgxpool.Pool
}

var _ receiver.Store = (*Store)(nil)

// Open connects to a database that [Migrate] has brought to this program's
// schema; another schema is an error.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	pc, err := cfg.poolConfig()
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &Store{cfg: cfg, pool: pool}
	if err := s.checkSchema(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close waits for running commands and closes all connections.
func (s *Store) Close() { s.pool.Close() }

// Current is an error where the schema is not the one that this store knows.
func (s *Store) Current(ctx context.Context) error { return s.checkSchema(ctx) }

// Pool tells of the store's connections.
func (s *Store) Pool() *pgxpool.Stat { return s.pool.Stat() }

func (c *Config) validate() error {
	if c.URL == "" {
		return errors.New("open store: want the database's URL")
	}
	if c.MaxConns < 0 || c.StatementTimeout < 0 || c.LockTimeout < 0 {
		return errors.New("open store: want no negative number")
	}
	if c.MaxConns == 0 {
		c.MaxConns = 8
	}
	if c.StatementTimeout == 0 {
		c.StatementTimeout = 10 * time.Second
	}
	if c.LockTimeout == 0 {
		c.LockTimeout = 5 * time.Second
	}
	return nil
}

func (c *Config) poolConfig() (*pgxpool.Config, error) {
	pc, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, err
	}
	pc.MaxConns = int32(c.MaxConns)
	conn := pc.ConnConfig
	if c.Dial != nil {
		conn.DialFunc = c.Dial
	}
	for name, value := range map[string]string{
		"application_name":  "pixlab",
		"timezone":          "UTC",
		"jit":               "off", // statements are short; compiling them is not
		"statement_timeout": milliseconds(c.StatementTimeout),
		"lock_timeout":      milliseconds(c.LockTimeout),
		// Every statement finds its rows by index, and has to from the first row
		// on: no plan may hang on how large a table was when it was made.
		"plan_cache_mode":  "force_generic_plan",
		"enable_seqscan":   "off",
		"enable_hashjoin":  "off",
		"enable_mergejoin": "off",
		// A process that stopped inside a transaction gives its locks back.
		"idle_in_transaction_session_timeout": milliseconds(c.StatementTimeout),
	} {
		conn.RuntimeParams[name] = value
	}
	pc.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	return pc, nil
}

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(1, d.Milliseconds()), 10)
}

// Now is the database's clock, or Config.Now. It is the one place where a
// statement asks for the time.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	if s.cfg.Now != nil {
		return s.cfg.Now(), nil
	}
	rows, err := all(ctx, s, "ask for the time", reads, `SELECT clock_timestamp()`, nil, func(rows pgx.Rows) (at time.Time, err error) {
		return at, rows.Scan(&at)
	})
	if err != nil {
		return time.Time{}, err
	}
	return rows[0], nil
}
