package main

import (
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	compose "github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// repository is the folder of docker-compose.yml.
const repository = "../.."

// composeEnvironment are the variables that "make env" writes.
func composeEnvironment(t *testing.T) map[string]string {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"PIXLAB_CALLBACK_SECRET": encodedSecret("k1", testKeyA)}
	names := regexp.MustCompile(`for name in ([A-Z_ ]+);`).FindStringSubmatch(string(makefile))
	if names == nil || !strings.Contains(string(makefile), "PIXLAB_CALLBACK_SECRET=k1:") {
		t.Fatal("make env does not say what it writes")
	}
	for name := range strings.FieldsSeq(names[1]) {
		env["PIXLAB_"+name] = "drawn-by-make-env-" + name
	}
	return env
}

// composed reads docker-compose.yml as "docker compose config" does.
func composed(ctx context.Context, env map[string]string) (*types.Project, error) {
	options, err := compose.NewProjectOptions([]string{filepath.Join(repository, "docker-compose.yml")}, compose.WithInterpolation(true))
	if err != nil {
		return nil, err
	}
	options.Environment = maps.Clone(env)
	return options.LoadProject(ctx)
}

func TestComposeFileIsOne(t *testing.T) {
	t.Parallel()
	env := composeEnvironment(t)
	p, err := composed(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"postgres", "prometheus", "psp", "receiver-1", "receiver-2"}
	if got := slices.Sorted(maps.Keys(p.Services)); !slices.Equal(got, want) {
		t.Errorf("services %v, want %v", got, want)
	}
	for name := range env {
		less := maps.Clone(env)
		delete(less, name)
		if _, err := composed(t.Context(), less); err == nil || !strings.Contains(err.Error(), "make env") {
			t.Errorf("without %s: %v; want it refused, and make env named", name, err)
		}
	}
	for _, s := range p.Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to the world", s.Name, port.Published)
			}
		}
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); v.Type == types.VolumeTypeBind && err != nil {
				t.Errorf("%s mounts what is not there: %v", s.Name, err)
			}
		}
	}
}

// Each process of the compose file starts as far as its ports and database: its
// flags and variables are known, and pass.
func TestComposeFileSaysWhatTheProgramsTake(t *testing.T) {
	p, err := composed(t.Context(), composeEnvironment(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Services {
		if s.Image != "pixlab" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			receiverEnvironment(t) // clears what is set here
			for _, name := range os.Environ() {
				if name, _, _ = strings.Cut(name, "="); strings.HasPrefix(name, "PIXLAB_") {
					t.Setenv(name, "")
				}
			}
			for name, value := range s.Environment {
				t.Setenv(name, *value)
			}
			flags := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
			switch s.Command[0] {
			case "receiver":
				settings := newReceiverSettings()
				settings.addTo(flags)
				passes(t, flags.Parse(s.Command[1:]), settings.fromEnvironment(flags), settings.validate())
				_, err := settings.process()
				passes(t, err)
				knownVariables(t, s, flags, receiverVariables())
			case "psp":
				f := newPSPFlags()
				f.addTo(flags)
				passes(t, flags.Parse(s.Command[1:]))
				_, err := f.options(os.Getenv)
				passes(t, err)
				knownVariables(t, s, nil, slices.Collect(maps.Keys(pspEnvironment())))
			default:
				t.Errorf("command %q", s.Command[0])
			}
		})
	}
}

func passes(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

func receiverVariables() []string {
	return []string{"PIXLAB_CALLBACK_SECRET", "PIXLAB_CLIENT_SECRET", "PIXLAB_ENDPOINT_SECRET", "PIXLAB_API_TOKEN", "PIXLAB_ADMIN_TOKEN"}
}

// knownVariables wants each variable to be a flag's or one of the secrets.
func knownVariables(t *testing.T, s types.ServiceConfig, flags *pflag.FlagSet, secrets []string) {
	t.Helper()
	if flags != nil {
		flags.VisitAll(func(f *pflag.Flag) { secrets = append(secrets, environmentName(f.Name)) })
	}
	for name := range s.Environment {
		if !slices.Contains(secrets, name) {
			t.Errorf("%s: nothing reads %s", s.Name, name)
		}
	}
}

func TestImageHoldsNoSecretAndRunsAsNobody(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), "CGO_ENABLED=0", "FROM scratch\n", "USER 65532:65532\n")
	if regexp.MustCompile(`(?m)^(ENV|ARG) `).Match(text) {
		t.Error("the image is told something by ENV or ARG")
	}
	for name, want := range map[string]string{".dockerignore": ".env", ".gitignore": ".env"} {
		ignored, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil || !slices.Contains(strings.Fields(string(ignored)), want) {
			t.Errorf("%s does not keep %s out: %v", name, want, err)
		}
	}
}

// alertRules are the rules as Prometheus reads them, as far as they are used.
type alertRules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For string
			Labels           map[string]string
			Annotations      map[string]string
		}
	}
}

// Every alert names only metrics that a receiver exports.
func TestAlertsAreOnWhatIsExported(t *testing.T) {
	file, err := os.Open(filepath.Join(repository, "deploy/prometheus/alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rules alertRules
	read := yaml.NewDecoder(file)
	read.KnownFields(true)
	if err := read.Decode(&rules); err != nil {
		t.Fatal(err)
	}
	exported := exportedMetrics(t)
	names := regexp.MustCompile(`\b(pixlab|process|go)_[a-z0-9_]+`)
	seen := map[string]bool{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			used := names.FindAllString(r.Expr, -1)
			if len(used) == 0 && !strings.HasPrefix(r.Expr, "up{") || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || seen[r.Alert] {
				t.Errorf("alert %q names no metric, severity or summary, or is there twice", r.Alert)
			}
			seen[r.Alert] = true
			for _, name := range used {
				if !exported[name] {
					t.Errorf("alert %s: no receiver exports %s", r.Alert, name)
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d alerts", len(seen))
	}
}

// exportedMetrics are the names that a running receiver exports, once a
// callback was refused.
func exportedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	receiverEnvironment(t)
	s := startReceiver(t)
	defer s.stop(t)
	for _, key := range []string{testKeyA, testKeyB} {
		if _, err := callbackTo(t, http.DefaultClient, s.at.Public+"/hook/pix", "a", key); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequest(http.MethodGet, s.at.Admin+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdmin)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("/metrics: %d, %v", resp.StatusCode, err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name := regexp.MustCompile(`^[a-z0-9_]+`).FindString(line); name != "" {
			names[name] = true
		}
	}
	return names
}
