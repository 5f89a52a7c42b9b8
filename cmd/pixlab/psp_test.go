package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp/live"
)

// pspEnvironment is all that "psp" needs of the environment.
func pspEnvironment() map[string]string {
	return map[string]string{
		"PIXLAB_PIX_KEYS": "pix@loja.example, +5511999999999", "PIXLAB_CALLBACK_SECRET": "k1:MDEyMzQ1Njc4OWFiY2RlZg==",
		"PIXLAB_CLIENT_ID": "loja", "PIXLAB_CLIENT_SECRET": "the-secret-of-the-shop", "PIXLAB_LAB_TOKEN": "the-token-of-the-lab",
	}
}

func setPSPEnvironment(t *testing.T) {
	for name, value := range pspEnvironment() {
		t.Setenv(name, value)
	}
}

// longPlan is a plan that is not for real time, as a file.
func longPlan(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "long.json")
	plan := pixlab("", "plan", "--seed", "1").want(t, exitHeld).out
	if err := os.WriteFile(name, []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestPSPMisuse(t *testing.T) {
	setPSPEnvironment(t)
	long := longPlan(t)
	for line, wants := range map[string][]string{
		"--listen here":                  {`--listen is "here"`, "HOST:PORT"},
		"--lab-listen 127.0.0.1:http":    {`--lab-listen is "127.0.0.1:http"`},
		"--retry soon":                   {`--retry is "soon"`, "200ms,1s,5s", "live, generic, efi"},
		"--retry 1s,-2s":                 {"--retry is", "200ms,1s,5s"},
		"--callback-timeout 0s":          {"--callback-timeout is", "from 1ms to 24h"},
		"--statement-lag long":           {"--statement-lag is", "500ms or 2s"},
		"--token-ttl 1ms":                {"--token-ttl is", "from 1s"},
		"--refund-repeat 500":            {`--refund-repeat is "500"`, "same, 400 or 409"},
		"--senders 0":                    {`--senders is "0"`, "from 1 to 4,096"},
		"--make-charges":                 {"--make-charges stands without a plan"},
		"--webhook receiver":             {`--webhook is "receiver"`, "https://"},
		"--plan=":                        {"--plan is empty", "--plan FILE"},
		"--addr-file=":                   {"--addr-file is empty"},
		"--plan nowhere.json":            {"--plan nowhere.json", "no such file"},
		"--plan " + long:                 {"--plan " + long, "goes on for", "within 20s"},
		"--tls-cert a.pem":               {"--tls-cert and --tls-key go together"},
		"--tls-client-ca a.pem":          {"--tls-client-ca stands without TLS"},
		"--tls-cert a.pem --tls-key b":   {"--tls-cert a.pem with b", "no such file"},
		"--callback-key a.pem":           {"--callback-cert and --callback-key go together"},
		"--callback-ca a.pem":            {"--callback-ca a.pem", "no such file"},
		"--callback-ca psp_test.go":      {"--callback-ca psp_test.go holds no certificate"},
		"--pix-keys ,":                   {"--pix-keys (PIXLAB_PIX_KEYS)"},
		"--addr-file no/such/place.json": {"--addr-file no/such/place.json"},
		"--token abc":                    {"unknown flag --token", "--lab-listen"},
		"now":                            {`"now" is one argument too many`},
	} {
		t.Run(line, func(t *testing.T) { misused(t, pixlab("", append([]string{"psp"}, strings.Fields(line)...)...), wants) })
	}
}

func TestPSPSecretsHaveNoDefault(t *testing.T) {
	for name := range pspEnvironment() {
		t.Run(name, func(t *testing.T) {
			setPSPEnvironment(t)
			t.Setenv(name, "")
			misused(t, pixlab("", "psp"), []string{name + " is not set; want"})
		})
	}
	for name, value := range map[string]string{
		"PIXLAB_CALLBACK_SECRET": "k1:c2hvcnQ=", "PIXLAB_LAB_TOKEN": "short-token", "PIXLAB_PIX_KEYS": "a@b.example," + strings.Repeat("x", 80),
	} {
		t.Run(name+" that is none", func(t *testing.T) {
			setPSPEnvironment(t)
			t.Setenv(name, value)
			got := pixlab("", "psp")
			misused(t, got, []string{name})
			if strings.Contains(got.err, "c2hvcnQ") || strings.Contains(got.err, "short-token") {
				t.Errorf("a secret is told: %s", got.err)
			}
		})
	}
}

func TestPSPPortTaken(t *testing.T) {
	setPSPEnvironment(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, flag := range []string{"--listen", "--lab-listen"} {
		got := pixlab("", "psp", flag, l.Addr().String()).want(t, exitEnvironment)
		if want := "pixlab: listen at " + l.Addr().String() + ": "; !strings.HasPrefix(got.err, want) || strings.Count(got.err, "\n") != 1 || got.out != "" {
			t.Errorf("%s: stderr %q, stdout %q", flag, got.err, got.out)
		}
	}
}

// TestPSPProcess starts the built binary, uses both of its ports, and ends it
// by SIGTERM.
func TestPSPProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	plan := shortPlan()
	planFile, addrFile := filepath.Join(dir, "plan.json"), filepath.Join(dir, "addresses.json")
	if err := os.WriteFile(planFile, plan.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(binary, "psp", "--addr-file", addrFile, "--plan", planFile, "--make-charges", "--retry", "1ms", "--statement-lag", "1s")
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = os.Environ()
	for name, value := range pspEnvironment() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	at := addressesIn(t, addrFile, ended)
	lab := &live.Client{URL: at.Lab, Token: "the-token-of-the-lab"}
	eventually(t, "the plan's payment settled", func() bool {
		truth, err := lab.Truth(t.Context())
		return err == nil && len(truth.Payments) == 1
	})
	if state, err := lab.Plan(t.Context()); err != nil || state.Hash != plan.Hash() || len(state.Void) > 0 {
		t.Errorf("plan %+v, %v", state, err)
	}
	if v, err := lab.Check(t.Context()); err != nil || !v.OK {
		t.Errorf("check %+v, %v", v, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || out.Len() > 0 {
		t.Errorf("%v, stdout %q", err, out.String())
	}
	contains(t, errs.String(), "pixlab psp: API "+at.API+", lab "+at.Lab, "client loja", "signed with k1", "retries 1ms", "plan "+plan.Hash(), "pixlab psp: stopped\n")
	for _, secret := range []string{"the-secret-of-the-shop", "the-token-of-the-lab", "MDEyMzQ1"} {
		if strings.Contains(errs.String(), secret) {
			t.Errorf("%s is told on stderr", secret)
		}
	}
}

// shortPlan is one payment of one charge, at once.
func shortPlan() *chaos.Plan {
	return &chaos.Plan{
		Format: chaos.Format, Generator: chaos.Generator, Seed: 7, Profile: "by hand",
		Start: time.Date(2026, 3, 10, 3, 0, 0, 0, time.UTC), HorizonMS: 1000,
		Settings: chaos.Settings{Instances: 1, Workers: 1, Retry: "generic", CallbackTimeoutMS: 2000, SweepEveryMS: 1000, PageSize: 10},
		Charges:  []chaos.Charge{{ID: "c0", Reference: "REF-0", Kind: chaos.ChargeDynamic, AmountCents: 1000, ExpiresInS: 3600}},
		Payments: []chaos.Payment{{ID: "p0", Charge: "c0", EndToEndID: "E9999900820260310120000000000001", AmountCents: 1000, AtMS: 1}},
	}
}

// addressesIn waits for the file with a process's addresses.
func addressesIn(t *testing.T, name string, ended <-chan error) (at live.Addresses) {
	t.Helper()
	eventually(t, "the addresses are there", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the process ended: %v", err)
		default:
		}
		text, err := os.ReadFile(name)
		return err == nil && json.Unmarshal(text, &at) == nil
	})
	return at
}

// eventually waits for a condition to hold.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("still not so: %s", what)
		}
	}
}
