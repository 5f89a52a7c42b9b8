package pixlab_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// liveEdge lists the files, and with a slash at the end the folders, that touch
// the machine's clock, chance and scheduler, each with the reason. Everything
// else is given its clock.
func liveEdge() map[string]string {
	return map[string]string{
		"cmd/":                 "a person waits for it, and it starts what runs live",
		"fakepsp/live/":        "it is the PSP's process: real sockets and the real time, and no run with a hash",
		"demo/browser_test.go": "a browser is a process, and may hang",
		"receiver/live/":       "it runs a receiver as a process; the code that it runs is given its clock",
		"scenarios/live/":      "it starts real processes and waits for them; its runs have no hash",
		"internal/pgcluster/":  "it starts and stops real processes; no run's outcome passes through it",
	}
}

// edge says whether a file may touch the machine.
func (s *source) edge() bool {
	for place := range liveEdge() {
		if s.path == place || strings.HasSuffix(place, "/") && strings.HasPrefix(s.path, place) {
			return true
		}
	}
	return false
}

func banRules() []rule {
	in := func(dir, imports, body string) sample {
		return sample{dir + "/a.go": "package " + dir + "\nimport " + imports + "\nfunc f() {\n" + body + "\n}"}
	}
	return []rule{{
		name: "no clock but the given one", check: checkClock,
		bad: []sample{
			in("chaos", `"time"`, "time.Now()"),
			in("chaos", `"time"`, "f := time.Since; _ = f"),
			in("chaos", `clock "time"`, "clock.Sleep(1)"),
			in("receiver", `"time"`, "<-time.After(1)"),
			in("receiver", `"time"`, "time.NewTicker(1)"),
			in("receiver", `"context"`, "context.WithTimeout(nil, 1)"),
			in("receiver", `"net/http"`, "_ = &http.Client{Timeout: 1}"),
			in("receiver", `"net/http"`, "c := http.Client{}; c.Timeout = 1"),
			{"chaos/a_test.go": "package chaos\nimport \"time\"\nfunc f() { time.Sleep(1) }"},
		},
		good: []sample{
			in("chaos", `"time"`, "_ = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Second)"),
			in("chaos", `"context"`, "_, _ = context.WithCancel(nil)"),
			in("receiver", `"net/http"`, "_ = &http.Client{}; _ = &http.Server{ReadTimeout: 1}"),
			{"cmd/pixlab/main.go": "package main\nimport \"time\"\nfunc main() { time.Now() }"},
		},
	}, {
		name: "no chance but the seed's", check: checkChance,
		bad: []sample{
			in("chaos", `"crypto/rand"`, "rand.Text()"),
			in("chaos", `"math/rand"`, "rand.Intn(2)"),
			in("chaos", `"math/rand/v2"`, "rand.N(2)"),
			in("chaos", `"hash/maphash"`, "maphash.MakeSeed()"),
			{"chaos/a_test.go": "package chaos\nimport \"math/rand/v2\"\nfunc f() { rand.IntN(3) }"},
		},
		good: []sample{
			in("chaos", `"math/rand/v2"`, "_ = rand.New(rand.NewChaCha8([32]byte{}))"),
			in("chaos", `"math/rand/v2"`, "var _ *rand.ChaCha8"),
		},
	}, {
		name: "no thread but the schedule's", check: checkGo,
		bad:  []sample{in("receiver", `"fmt"`, "go fmt.Println()")},
		good: []sample{{"receiver/a_test.go": "package receiver; func f() { go f() }", "cmd/x/main.go": "package main; func main() { go main() }"}},
	}, {
		name: "the context reaches every command and call", check: checkContext,
		bad: []sample{
			in("receiver", `"context"`, "_ = context.Background()"),
			in("receiver", `"context"`, "_ = context.TODO()"),
			{"receiver/memory/a.go": "package memory\nimport \"context\"\nvar c = context.Background()"},
		},
		good: []sample{
			{"receiver/a_test.go": "package receiver\nimport \"context\"\nvar c = context.Background()"},
			in("scenarios", `"context"`, "_ = context.Background()"),
		},
	}}
}

// bannedClock are functions that read or wait on the machine's clock.
func bannedClock() map[string][]string {
	return map[string][]string{
		"time":    {"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc", "Sleep"},
		"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
	}
}

func checkClock(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		if s.edge() {
			continue
		}
		s.selectors(func(e *ast.SelectorExpr, pkg, name string) {
			if slices.Contains(bannedClock()[pkg], name) {
				out = append(out, s.find(e, pkg+"."+name+" is the machine's clock: take the time from the clock that was handed in"))
			}
		})
	}
	for _, c := range t.packages() {
		for _, s := range c.sources {
			if !s.edge() {
				out = append(out, clientTimeouts(c, s)...)
			}
		}
	}
	return out
}

// clientTimeouts finds uses of http.Client.Timeout, which runs on the machine's clock.
func clientTimeouts(c *checked, s *source) []finding {
	var out []finding
	ast.Inspect(s.file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Name != "Timeout" {
			return true
		}
		field, ok := c.info.Uses[id].(*types.Var)
		if !ok || !field.IsField() || field.Pkg() == nil || field.Pkg().Path() != "net/http" {
			return true
		}
		client := field.Pkg().Scope().Lookup("Client").Type().Underlying().(*types.Struct)
		for f := range client.Fields() {
			if f == field {
				out = append(out, s.find(id, "http.Client.Timeout runs on the machine's clock: put a deadline on the context by Clock.WithTimeout"))
			}
		}
		return true
	})
	return out
}

func checkChance(t *tree) []finding {
	banned := []string{"crypto/rand", "hash/maphash"}
	makers := []string{"New", "NewSource", "NewChaCha8", "NewPCG", "NewZipf", "Rand", "Source", "ChaCha8", "PCG", "Zipf"}
	var out []finding
	for _, s := range t.sources {
		if s.edge() {
			continue
		}
		for _, spec := range s.file.Imports {
			if slices.Contains(banned, importPath(spec)) {
				out = append(out, s.find(spec, importPath(spec)+" differs at every start: draw from a stream of the seed"))
			}
		}
		s.selectors(func(e *ast.SelectorExpr, pkg, name string) {
			if strings.HasPrefix(pkg, "math/rand") && !slices.Contains(makers, name) {
				out = append(out, s.find(e, "rand."+name+" draws from the process's own generator: draw from a stream of the seed"))
			}
		})
	}
	return out
}

func checkGo(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		if s.forTests() || s.edge() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				out = append(out, s.find(g, "a goroutine runs when the machine likes: make it a step, or start it in cmd"))
			}
			return true
		})
	}
	return out
}

func checkContext(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		if s.forTests() || s.dir != "receiver" && !strings.HasPrefix(s.dir, "receiver/") {
			continue
		}
		s.selectors(func(e *ast.SelectorExpr, pkg, name string) {
			if pkg == "context" && (name == "Background" || name == "TO"+"DO") {
				out = append(out, s.find(e, "context."+name+" drops the caller's deadline: hand the context down"))
			}
		})
	}
	return out
}

// selectors visits every name taken from an imported package.
func (s *source) selectors(fn func(e *ast.SelectorExpr, pkg, name string)) {
	imports := s.imports()
	ast.Inspect(s.file, func(n ast.Node) bool {
		if e, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := e.X.(*ast.Ident); ok && imports[x.Name] != "" {
				fn(e, imports[x.Name], e.Sel.Name)
			}
		}
		return true
	})
}
