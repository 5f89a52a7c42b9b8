package docker_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/docker"
)

func TestStart(t *testing.T) {
	if err := docker.Available(t.Context()); err != nil {
		t.Skipf("no container to test: %v", err)
	}
	s, err := docker.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	c, err := pgcluster.Start(t.Context(), pgcluster.Options{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Given() {
		t.Error("a container's server is not ours to kill, but Given is false")
	}
	if err := c.CreateDatabase(t.Context(), "lab"); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), c.URL("lab"))
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
