package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
)

// binary is the program under test, built once by TestMain.
func binary() string { return os.Getenv(envBinary) }

const envBinary = "PIXLAB_TEST_BINARY"

// TestMain builds the program that the processes are started from. With every
// name of its own, its processes can be told from those of other tests.
func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pixlab-built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "pixlab")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/pixlab").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(envBinary, program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return pgtest.Main(m)
}

// count is a number from the environment, or the small one of make test.
func count(t *testing.T, name string, small int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return small
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q; want a number from 1 on", name, text)
	}
	return n
}
