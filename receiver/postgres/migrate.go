package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock of whoever migrates, one at a time.
const migrationLock = 0x7069786c6162 // "pixlab"

// migration is one step of the schema. Steps are only ever added.
type migration struct {
	version int
	name    string
	digest  string // of the text, to find one that was changed after the fact
	sql     string
}

// migrations are all steps, in order.
func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	all := make([]migration, len(names))
	for i, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		base := strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql")
		number, _, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migration %s: want a number in front: %w", base, err)
		}
		sum := sha256.Sum256(text)
		all[i] = migration{version: version, name: base, digest: hex.EncodeToString(sum[:]), sql: string(text)}
	}
	slices.SortFunc(all, func(a, b migration) int { return cmp.Compare(a.version, b.version) })
	for i, m := range all {
		if m.version != i+1 {
			return nil, fmt.Errorf("migration %s: want number %d", m.name, i+1)
		}
	}
	return all, nil
}

// Migrate brings a database to this program's schema, step by step, each step
// in a transaction of its own. Several may call it at once: one works, the
// others wait and find the work done. It goes forward only, and refuses a
// schema that is newer than the program or was made from other steps.
func Migrate(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// The lock is the session's and ends with it.
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := conn.Exec(ctx, createVersions); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	done, err := appliedMigrations(ctx, conn)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	all, err := migrations()
	if err != nil {
		return err
	}
	if err := compareMigrations(done, all); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, m := range all[len(done):] {
		if err := m.apply(ctx, conn); err != nil {
			return fmt.Errorf("migrate: step %s: %w", m.name, err)
		}
	}
	return nil
}

const createVersions = `CREATE TABLE IF NOT EXISTS schema_version (
    version integer NOT NULL CONSTRAINT schema_version_pkey PRIMARY KEY,
    name    text    NOT NULL,
    digest  text    NOT NULL
)`

func (m migration) apply(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, m.sql); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `INSERT INTO schema_version (version, name, digest) VALUES ($1, $2, $3)`, m.version, m.name, m.digest)
		return err
	})
}

// querier is a connection or a pool of them.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func appliedMigrations(ctx context.Context, q querier) ([]migration, error) {
	rows, err := q.Query(ctx, `SELECT version, name, digest FROM schema_version ORDER BY version`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m migration, err error) {
		return m, row.Scan(&m.version, &m.name, &m.digest)
	})
}

// compareMigrations wants what was applied to be the beginning of all.
func compareMigrations(done, all []migration) error {
	if len(done) > len(all) {
		return fmt.Errorf("the schema has version %d and this program knows %d: run a newer program", len(done), len(all))
	}
	for i, m := range done {
		if m.version != all[i].version || m.digest != all[i].digest {
			return fmt.Errorf("step %d of the schema is %s, made from another text than this program's %s", m.version, m.name, all[i].name)
		}
	}
	return nil
}

// checkSchema wants the database to have exactly this program's schema.
func (s *Store) checkSchema(ctx context.Context) error {
	all, err := migrations()
	if err != nil {
		return err
	}
	done, err := appliedMigrations(ctx, s.pool)
	switch {
	case sqlState(err) == codeUndefinedTable:
		done = nil
	case err != nil:
		return fmt.Errorf("open store: read the schema's version: %w", err)
	}
	if err := compareMigrations(done, all); err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if len(done) < len(all) {
		return fmt.Errorf("open store: the schema has version %d, want %d: run Migrate", len(done), len(all))
	}
	return nil
}
