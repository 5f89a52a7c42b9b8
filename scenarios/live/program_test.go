package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/scenarios"
)

// ended is one run of the program.
type ended struct {
	out, err string
	code     int
}

// program is the program, in a folder and with a temporary folder of its own.
func program(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, temporary string) {
	t.Helper()
	temporary, err := os.MkdirTemp("", "lab") // short: sockets are made in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temporary) })
	if err := os.Chmod(temporary, 0o755); err != nil { // the server's user has to get in
		t.Fatal(err)
	}
	cmd = exec.Command(binary(), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), "TMPDIR="+temporary), env...)
	return cmd, temporary
}

func runProgram(t *testing.T, env []string, args ...string) ended {
	t.Helper()
	cmd, temporary := program(t, env, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	nothingIn(t, temporary)
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// nothingIn wants a folder to be empty.
func nothingIn(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	if err != nil {
		t.Error(err)
	}
	for _, f := range left {
		t.Errorf("left behind: %s", filepath.Join(folder, f.Name()))
	}
}

// told is a report as the program writes it.
type told struct {
	Verdict scenarios.Verdict
	Mode    string
	Hash    *string
	Faults  map[string]struct{ Planned, Fired int }
	Skipped []string
}

// Fired counts the faults that came off.
func (r told) Fired() int {
	n := 0
	for _, f := range r.Faults {
		n += f.Fired
	}
	return n
}

func reportOf(t *testing.T, text string) (r told) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("no report: %v: %s", err, text)
	}
	return r
}

// TestUnmarkedPlanIsRefused gives live runs what they cannot run.
func TestUnmarkedPlanIsRefused(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"run --mode live --seed 1 --profile mixed":                             "not marked for live runs",
		"run --mode live --seed 1 --check-determinism":                         "a live run has the machine's timings",
		"run --mode live --seed 1 --receiver dedupe-by-delivery":               "the reference receiver alone",
		"run --mode exact --seed 1":                                            `--mode is "exact"; want model or live`,
		"run --seed 1 --database-url postgres://127.0.0.1/x":                   "without --mode live",
		"run --mode live --seed 1 --database-url postgres://127.0.0.1:1/x?a=b": "live run: ",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			got := runProgram(t, nil, strings.Fields(line)...)
			want := 2
			if says == "live run: " {
				want = 5
			}
			if got.code != want || got.out != "" || !strings.Contains(got.err, says) || strings.Count(got.err, "\n") != 1 {
				t.Errorf("exit code %d, %q, %q; want %d and %q", got.code, got.out, got.err, want, says)
			}
		})
	}
}

// TestGivenDatabaseIsNotKilled runs a plan that takes the database down on a
// server that is not the run's own: the fault is left out, which the report
// says, and of the run's database nothing is left.
func TestGivenDatabaseIsNotKilled(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t).SocketURL("postgres")
	plan := downPlan(t)
	file := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(file, plan.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runProgram(t, nil, "run", "--mode", "live", "--plan", file, "--database-url", server, "--json")
	if got.code != 0 {
		t.Fatalf("exit code %d: %s%s", got.code, got.out, got.err)
	}
	report := reportOf(t, got.out)
	if len(report.Skipped) != 1 || !strings.Contains(report.Skipped[0], "not ours to kill") || report.Faults["store_down"].Fired != 0 {
		t.Errorf("skipped %q, faults %v", report.Skipped, report.Faults)
	}
}

// downPlan is a plan of one payment whose database goes down.
func downPlan(t *testing.T) *chaos.Plan {
	t.Helper()
	for seed := range chaos.Seed(100) {
		plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: "live", Payments: 1, Faults: []string{"store_down"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Faults) == 1 && plan.LastActionMS() < 6000 {
			return plan
		}
	}
	t.Fatal("no plan takes the database down")
	return nil
}

// TestNothingStaysBehind ends live runs in the middle, once politely and once by
// kill -9: their processes are gone, and after the polite end the folders too.
func TestNothingStaysBehind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	for name, s := range map[string]syscall.Signal{"terminated": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, temporary := program(t, nil, "run", "--mode", "live", "--seed", "2")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "receivers run", func() bool { return len(processesIn(temporary, "receiver")) == 2 })
			if err := cmd.Process.Signal(s); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait() // by a signal, or 5
			waitFor(t, "no process is left", func() bool { return len(processesIn(temporary, "")) == 0 })
			if s == syscall.SIGTERM {
				nothingIn(t, temporary)
				if code := cmd.ProcessState.ExitCode(); code != 5 {
					t.Errorf("exit code %d", code)
				}
			}
		})
	}
}

// processesIn are the processes that have the folder in their environment and
// the word in their command line.
func processesIn(temporary, word string) (out []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(text, []byte("TMPDIR="+temporary+"\x00")) {
			continue
		}
		if line, err := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline")); err == nil && bytes.Contains(line, []byte(word)) {
			out = append(out, filepath.Dir(f))
		}
	}
	return out
}

func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}

// TestReceiverWithoutSecretDoesNotStart starts the process as an operator would
// who forgot the secret of the callbacks.
func TestReceiverWithoutSecretDoesNotStart(t *testing.T) {
	t.Parallel()
	env := []string{
		"PIXLAB_STORE=memory", "PIXLAB_PSP_URL=http://127.0.0.1:1", "PIXLAB_CALLBACK_URL=http://127.0.0.1/x", "PIXLAB_PIX_KEYS=" + string(merchantKey),
		"PIXLAB_API_TOKEN=0123456789abcdef", "PIXLAB_ADMIN_TOKEN=0123456789abcdef", "PIXLAB_LISTEN=127.0.0.1:0", "PIXLAB_ADMIN_LISTEN=127.0.0.1:0",
		"PIXLAB_CALLBACK_SECRET=",
	}
	got := runProgram(t, env, "receiver")
	if got.code != 2 || !strings.Contains(got.err, "PIXLAB_CALLBACK_SECRET is missing") || strings.Contains(got.err, "listening") {
		t.Errorf("exit code %d: %s", got.code, got.err)
	}
}

// TestHookIsRefusedOutsideTheLab sets the lab's switch where no lab is.
func TestHookIsRefusedOutsideTheLab(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ control, psp, says string }{
		"another machine's run": {"http://10.0.0.1:9", "http://127.0.0.1:1", "not on loopback"},
		"a real PSP":            {"http://127.0.0.1:9", "https://pix.example.com", "not on loopback"},
		"nobody there":          {"http://127.0.0.1:1", "http://127.0.0.1:1", "no run that answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := []string{
				"PIXLAB_STORE=memory", "PIXLAB_PSP_URL=" + c.psp, "PIXLAB_CALLBACK_URL=http://127.0.0.1/x", "PIXLAB_PIX_KEYS=" + string(merchantKey),
				"PIXLAB_API_TOKEN=0123456789abcdef", "PIXLAB_ADMIN_TOKEN=0123456789abcdef", "PIXLAB_LISTEN=127.0.0.1:0", "PIXLAB_ADMIN_LISTEN=127.0.0.1:0",
				"PIXLAB_CALLBACK_SECRET=" + encoded("k", "0123456789abcdef"), EnvControl + "=" + c.control, EnvInstance + "=1",
			}
			got := runProgram(t, env, "receiver")
			if got.code != 2 || !strings.Contains(got.err, c.says) || strings.Contains(got.err, "listening") {
				t.Errorf("exit code %d: %s", got.code, got.err)
			}
		})
	}
}
