// Package pgcluster gives the lab a PostgreSQL of its own: one that nobody else
// uses, that chaos may kill, and of which nothing is left afterwards.
//
//	c, err := pgcluster.Start(ctx, pgcluster.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	if err := c.CreateDatabase(ctx, "lab"); err != nil {
//		return err
//	}
//	pool, err := pgxpool.New(ctx, c.SocketURL("lab"))
//
// # Where it comes from
//
// The first of these that there is:
//
//  1. the server that [Options].URL or the variable PIXLAB_DATABASE_URL names.
//     Nothing is started and nothing stopped, and [Cluster.Given] is true: what
//     kills servers has to be left out, and the report has to say so;
//  2. initdb and postgres on PATH;
//  3. the same in the folders where distributions put them, newest first.
//
// With none of them [Start] ends in [ErrNotFound], which says what to do. Tests
// have one way more, a container: see the package pgtest below this one.
//
// # A life
//
//	                    Kill
//	Start ─▶ running ─────────▶ stopped
//	            ▲  │   Restart    │ │
//	            │  └──────────────┘ │
//	            └───────────────────┘
//	   Close, end of ctx, a signal: from anywhere to "gone"
//
// Start makes a folder, fills it by initdb, and starts postgres as a child
// process, as an ordinary user where we are root. It listens on a Unix socket
// inside the folder, where everybody who gets that far is trusted (the folder
// lets in its owner alone), and on 127.0.0.1, at a port that was free, for who
// knows the random password. Both addresses outlive a Restart.
//
// # Nothing stays behind
//
// Close stops the server and removes the folder. If we are killed before, Linux
// signals the server in our place; elsewhere a shell that sees our end of a
// pipe close does it. The folder is then removed by the next Start in the same
// parent folder (those in memory, of [Options].Fast, by any). It takes away only what is proved to be an orphan: a folder of
// ours (by user, name and marker file) whose marker is no longer locked. The
// owner holds that lock as long as it lives, and the kernel releases it,
// however the owner ends.
package pgcluster
