package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// misuses are wrong command lines and what the one line about each must say.
func misuses() map[string][]string {
	return map[string][]string{
		"":                                    {"no command", "run"},
		"rnu":                                 {`unknown command "rnu"`, "run, scenarios"},
		"help rnu":                            {`unknown command "rnu"`},
		"completion bash":                     {`unknown command "completion"`},
		"explore --seeds 3-3 --shard 2/5":     {"--shard 2/5", "no seed for it in 3-3", "1 shard at most"},
		"explore --seeds 9 --time 1ns":        {"--time 1ns ended before the first seed"},
		"run":                                 {"no seed and no plan", "--seed N or --plan FILE"},
		"run --seed":                          {"--seed stands alone", "--seed N"},
		"run --seed abc":                      {`--seed is "abc"`, "whole number from 0 to 9007199254740991"},
		"run --seed -1":                       {`--seed is "-1"`, "whole number from 0 to 9007199254740991"},
		"run --seed 9007199254740992":         {"9007199254740992", "0 to 9007199254740991"},
		"run --seed 1 --sed 2":                {"unknown flag --sed", "--seed"},
		"run --seed 1 -x":                     {"unknown flag -x", "--seed"},
		"run --seed 1 extra":                  {`"extra" is one argument too many`},
		"run --seed 1 --profile clam":         {`profile "clam" is unknown`, "calm"},
		"run --seed 1 --receiver nobody":      {`unknown receiver "nobody"`, "reference, naive, check-then-insert"},
		"run --seed 1 --payments 0":           {`--payments is "0"`, "from 1 to 1,000,000"},
		"run --seed 1 --payments many":        {`--payments is "many"`, "from 1 to 1,000,000"},
		"run --seed 1 --fault typhoon":        {`fault kind "typhoon" is unknown`, "duplicate"},
		"run --seed 1 --json=perhaps":         {`--json is "perhaps"`, "--json alone"},
		"run --seed 1 --plan x.json":          {"--seed and --plan exclude each other"},
		"run --profile calm --plan x.json":    {"--profile and --plan exclude each other"},
		"run --plan=":                         {"--plan is empty", "--plan FILE"},
		"run --plan nowhere.json":             {"--plan nowhere.json: no such file", "pixlab plan"},
		"run --plan .":                        {"--plan .:"},
		"run --seed 1 --plan-out -":           {"--plan-out is -", "pixlab plan"},
		"run --seed 1 --trace no/t.jsonl":     {"--trace no/t.jsonl: no such file or directory", "directory"},
		"run --seed 1 --plan-out no/p.json":   {"--plan-out no/p.json: no such file or directory"},
		"run --seed 1 --trace .":              {"--trace .: is a directory"},
		"run --seed 1 --trace a --plan-out a": {"a is named twice"},
		"plan":                                {"no seed", "--seed N"},
		"plan --seed 1 --profile clam":        {`profile "clam" is unknown`, "calm"},
		"plan --seed 1 --fault typhoon":       {`fault kind "typhoon" is unknown`},
		"plan --seed 1 more":                  {`"more" is one argument too many`},
		"scenarios nothing":                   {`unknown scenario "nothing"`, "thousand-copies"},
		"scenarios --seed x":                  {`--seed is "x"`},
		"broken nobody":                       {`unknown broken receiver or PSP "nobody"`, "check-then-insert", "psp-overwrites"},
		"broken reference":                    {`unknown broken receiver or PSP "reference"`},
		"broken --profile clam":               {`profile "clam" is unknown`},
		"broken --seeds none":                 {`--seeds is "none"`, "from 1 to 1,000,000"},
		"broken --jobs 0":                     {`--jobs is "0"`, "from 1 to"},
		"bench --profile clam":                {`profile "clam" is unknown`},
		"explore --time 1e9h":                 {`--time is "1e9h"`, "want a length of time such as 60s"},
		"explore --junit x --summary ./x":     {"x is named twice", "--junit and --summary"},
		"bench --seconds 0":                   {`--seconds is "0"`},
		"bench --large=1,x":                   {`--large is "1,x"`, "commas"},
		"measure":                             {"one number of payments"},
		"profiles calm":                       {`"calm" is one argument too many`},
		"faults --all":                        {"unknown flag --all"},
		"version now":                         {`"now" is one argument too many`},
		"--seed 1":                            {"unknown flag --seed"},
	}
}

func TestMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, wants := range misuses() {
		t.Run(line, func(t *testing.T) { misused(t, pixlab("", strings.Fields(line)...), wants) })
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// misused checks that a command ended as a wrong one has to.
func misused(t *testing.T, got result, wants []string) {
	t.Helper()
	if got.code != exitUsage || got.out != "" {
		t.Errorf("exit code %d, stdout %q", got.code, got.out)
	}
	if !strings.HasPrefix(got.err, "pixlab: ") || strings.Count(got.err, "\n") != 1 || !strings.HasSuffix(got.err, "\n") {
		t.Errorf("stderr is not one line: %q", got.err)
	}
	contains(t, got.err, wants...)
}

// TestPlanThatNeverEnds reads a device in place of a plan.
func TestPlanThatNeverEnds(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no /dev/zero")
	}
	misused(t, pixlab("", "run", "--plan", "/dev/zero"), []string{"--plan /dev/zero: the file has more than 268435456 bytes; want one JSON object"})
}

func TestPlansThatAreNone(t *testing.T) {
	t.Parallel()
	plan := pixlab("", "plan", "--seed", "4").out
	for name, c := range map[string]struct {
		text  string
		wants []string
	}{
		"empty":             {"", []string{"the file is empty"}},
		"cut short":         {plan[:len(plan)/2], []string{"cut short after"}},
		"another format":    {strings.Replace(plan, "pixlab.plan/1", "pixlab.plan/9", 1), []string{"pixlab.plan/9", "pixlab.plan/1"}},
		"an id twice":       {strings.Replace(plan, `"id": "p1"`, `"id": "p0"`, 1), []string{"p0"}},
		"an unknown member": {strings.Replace(plan, `"horizon_ms"`, `"horizont_ms"`, 1), []string{"horizont_ms"}},
		"no JSON":           {"seed: 42", []string{"no JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			misused(t, pixlab(c.text, "run", "--plan", "-"), append(c.wants, "--plan -: "))
			file := filepath.Join(t.TempDir(), "plan.json")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			misused(t, pixlab("", "run", "--plan", file), append(c.wants, file))
		})
	}
}

func TestFullDiskIsTheEnvironment(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device here is always full")
	}
	defer full.Close()
	var errs strings.Builder
	if code := run([]string{"plan", "--seed", "1"}, nil, full, &errs); code != exitEnvironment {
		t.Errorf("exit code %d, want %d", code, exitEnvironment)
	}
	contains(t, errs.String(), "pixlab: write the result: ")
	got := pixlab("", "run", "--seed", "1", "--trace", "/dev/full").want(t, exitEnvironment)
	contains(t, got.err, "pixlab: write /dev/full: no space left on device")
	got = pixlab("", "run", "--seed", "1", "--html", "/dev/full").want(t, exitEnvironment)
	contains(t, got.err, "pixlab: write /dev/full: no space left on device")
}
