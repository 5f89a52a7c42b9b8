package scenarios_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

var update = flag.Bool("update", false, "write the golden hashes anew")

// childEnv tells the test binary that it is a child that prints hashes.
const childEnv = "PIXLAB_PRINT_HASHES"

// TestPrintHashes is the child of TestHashIsTheSameEverywhere.
func TestPrintHashes(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("the child of TestHashIsTheSameEverywhere; " + childEnv + " makes it run")
	}
	n := count(t, childEnv, 1)
	for seed := 1; seed <= n; seed++ {
		for _, profile := range []string{"mixed", "hostile"} {
			fmt.Printf("hash %d %s %s\n", seed, profile, runSeed(t, seed, profile, scenarios.Options{}).Hash)
		}
	}
}

// TestHashIsTheSameEverywhere runs the same seeds in processes with one and two
// threads, in other time zones, and with busy loops beside them.
func TestHashIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	n := count(t, "PIXLAB_TWICE_SEEDS", 25)
	want := hashes(t, n, "GOMAXPROCS=1", "TZ=UTC")
	if want == "" {
		t.Fatal("the child printed no hash")
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 2 {
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	for _, env := range [][]string{
		{"GOMAXPROCS=2", "TZ=America/Sao_Paulo"},
		{"GOMAXPROCS=2", "TZ=Asia/Kathmandu", "GOGC=20"},
	} {
		if got := hashes(t, n, env...); got != want {
			t.Errorf("with %v the hashes differ:\n%s\nwant\n%s", env, got, want)
		}
	}
}

func hashes(t *testing.T, n int, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPrintHashes$", "-test.v")
	cmd.Env = append(os.Environ(), append(env, fmt.Sprintf("%s=%d", childEnv, n))...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child with %v: %v\n%s", env, err, out)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "hash ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestPlanFileRunsLikeItsSeed writes a plan out, reads it back and runs it.
func TestPlanFileRunsLikeItsSeed(t *testing.T) {
	t.Parallel()
	for seed := 1; seed <= 10; seed++ {
		plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: "hostile"})
		if err != nil {
			t.Fatal(err)
		}
		again, err := chaos.ReadPlan(bytes.NewReader(plan.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		w, err := scenarios.NewWorld(again, scenarios.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Run()
		if err != nil {
			t.Fatal(err)
		}
		if want := runSeed(t, seed, "hostile", scenarios.Options{}); got.Hash != want.Hash {
			t.Errorf("seed %d: the plan file's run has hash %s, the seed's %s", seed, got.Hash, want.Hash)
		}
	}
}

// goldenTraces is testdata/traces.json.
type goldenTraces struct {
	Version int               `json:"trace_version"`
	Mixed   map[string]string `json:"mixed"`
}

// TestGoldenTraces fails when a run of a known seed changed: its order, its
// latencies, its ids or what the trace says of it. Whoever means it raises
// scenarios.TraceVersion and runs the test with -update.
func TestGoldenTraces(t *testing.T) {
	t.Parallel()
	const file = "testdata/traces.json"
	got := goldenTraces{Version: scenarios.TraceVersion, Mixed: map[string]string{}}
	for seed := 1; seed <= 20; seed++ {
		got.Mixed[fmt.Sprint(seed)] = runSeed(t, seed, "mixed", scenarios.Options{}).Hash
	}
	if *update {
		raw, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want goldenTraces
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if want.Version != got.Version {
		t.Fatalf("%s is of trace version %d and this is %d; run go test ./scenarios -run TestGoldenTraces -update", file, want.Version, got.Version)
	}
	for seed, hash := range want.Mixed {
		if got.Mixed[seed] != hash {
			t.Errorf("seed %s runs otherwise than committed: %s, want %s; if it is meant, raise TraceVersion and run with -update", seed, got.Mixed[seed], hash)
		}
	}
}
