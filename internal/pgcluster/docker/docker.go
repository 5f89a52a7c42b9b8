package docker

import (
	"context"
	"errors"
	"fmt"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	image    = "postgres:17-alpine"
	port     = "5432/tcp"
	user     = "pixlab"
	database = "postgres"
	// folder is where the image keeps its data; in memory here.
	folder = "/var/lib/postgresql/data"
)

// ErrNoEngine says that no Docker engine answers.
var ErrNoEngine = errors.New("no Docker engine answers")

// Server is a PostgreSQL in a container.
type Server struct {
	// URL is the server's address, to its maintenance database.
	URL string

	container *testcontainers.DockerContainer
}

// Available asks whether a Docker engine answers. It is an [ErrNoEngine] with
// the reason if none does.
func Available(ctx context.Context) (err error) {
	// The library panics where it finds no engine's address.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrNoEngine, r)
		}
	}()
	provider, err := testcontainers.ProviderDefault.GetProvider(testcontainers.WithLogger(log.NewNoopLogger()))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	defer provider.Close()
	if err := provider.Health(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	return nil
}

// Start runs a server that can lose what it committed, which is fine for tests,
// and returns once it answers. Errors: [ErrNoEngine], or what the engine says.
func Start(ctx context.Context) (*Server, error) {
	if err := Available(ctx); err != nil {
		return nil, err
	}
	c, err := testcontainers.Run(ctx, image,
		testcontainers.WithLogger(log.NewNoopLogger()),
		testcontainers.WithExposedPorts(port),
		testcontainers.WithTmpfs(map[string]string{folder: "rw"}),
		testcontainers.WithEnv(map[string]string{
			"POSTGRES_USER":             user,
			"POSTGRES_DB":               database,
			"POSTGRES_HOST_AUTH_METHOD": "trust",
			"POSTGRES_INITDB_ARGS":      "--locale=C --encoding=UTF8",
		}),
		testcontainers.WithCmd("postgres", "-c", "fsync=off", "-c", "synchronous_commit=off",
			"-c", "full_page_writes=off", "-c", "max_connections=200", "-c", "timezone=UTC"),
		// The image starts the server twice: to set it up, and for us.
		testcontainers.WithWaitStrategy(wait.ForAll(
			wait.ForLog("database system is ready to accept connections").WithOccurrence(2),
			wait.ForListeningPort(port))),
	)
	s := &Server{container: c}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run %s: %w", image, err), s.Close())
	}
	address, err := c.PortEndpoint(ctx, port, "")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ask for the container's port: %w", err), s.Close())
	}
	s.URL = fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", user, address, database)
	return s, nil
}

// Close removes the container.
func (s *Server) Close() error {
	if s.container == nil {
		return nil
	}
	if err := testcontainers.TerminateContainer(s.container); err != nil {
		return fmt.Errorf("remove container: %w", err)
	}
	return nil
}
