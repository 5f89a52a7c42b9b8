package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pixlab/pixlab/internal/pgcluster"
)

// errNoMain refuses a server that nobody would stop.
var errNoMain = errors.New("the package's TestMain must call pgtest.Main, which stops the shared server")

// suite is what the tests of one binary share.
type suite struct {
	// prefix is in front of every database's name, so that two binaries on one
	// given server do not meet.
	prefix string

	mu        sync.Mutex
	entered   bool // Main runs
	started   bool
	cluster   *pgcluster.Cluster
	stop      func() error
	err       error // why there is no cluster
	databases int
	templates map[string]*template
}

// template is a database that is copied, once it is made.
type template struct {
	name string
	once sync.Once
	err  error
}

// newSuite makes a suite without a server.
func newSuite() *suite {
	return &suite{
		prefix:    "pixlab_" + strings.ToLower(rand.Text()[:8]) + "_",
		templates: map[string]*template{},
	}
}

// enter notes that there is a Main, which will close the suite.
func (s *suite) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entered = true
}

// shared starts the server at its first call. An error stays.
func (s *suite) shared() (*pgcluster.Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.entered {
		return nil, errNoMain
	}
	if !s.started {
		s.started = true
		s.cluster, s.stop, s.err = start(context.Background())
	}
	return s.cluster, s.err
}

// copyOf makes a database from a template, and the template if it is new.
func (s *suite) copyOf(ctx context.Context, of string, build func(context.Context, string) error) (string, error) {
	t, name := s.take(of)
	t.once.Do(func() { t.err = s.make(ctx, t.name, build) })
	if t.err != nil {
		return "", fmt.Errorf("build template %s: %w", of, t.err)
	}
	return name, s.cluster.CreateFromTemplate(ctx, name, t.name)
}

// take gives the template of a name and a name for a new database.
func (s *suite) take(of string) (t *template, database string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t = s.templates[of]
	if t == nil {
		t = &template{name: fmt.Sprintf("%stemplate_%d", s.prefix, len(s.templates)+1)}
		s.templates[of] = t
	}
	s.databases++
	return t, fmt.Sprintf("%s%d", s.prefix, s.databases)
}

// make creates a database and fills it.
func (s *suite) make(ctx context.Context, name string, build func(context.Context, string) error) error {
	if err := s.cluster.CreateDatabase(ctx, name); err != nil {
		return err
	}
	return build(ctx, s.cluster.SocketURL(name))
}

// close stops the server, if one was started; from a given one it takes the
// templates away.
func (s *suite) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster == nil {
		return nil
	}
	var errs []error
	if s.cluster.Given() {
		for _, t := range s.templates {
			errs = append(errs, s.cluster.DropDatabase(ctx, t.name))
		}
	}
	return errors.Join(append(errs, s.stop())...)
}
