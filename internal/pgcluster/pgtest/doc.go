// Package pgtest gives tests a PostgreSQL: one server for a whole test binary,
// and on it a database for each test, copied from a template that was migrated
// once.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	func TestStore(t *testing.T) {
//		t.Parallel()
//		url := pgtest.Database(t, "store", postgres.Migrate)
//		…
//	}
//
// The server starts when the first test asks for it and comes from where the
// package pgcluster finds one, or else from a container. Where there is neither
// the test is skipped and says so; with PIXLAB_REQUIRE_POSTGRES set, as in CI,
// it fails.
//
// A test that kills its server starts one of its own with [Start].
package pgtest
