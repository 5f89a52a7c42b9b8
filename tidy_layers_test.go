package pixlab_test

import (
	"strings"
)

// layer says what one folder may import beside the standard library. A name
// that ends in a slash stands for everything below it.
type layer struct {
	dir   string
	own   []string // folders of ours
	third []string // modules of others
	tests []string // further folders of ours, for its tests
}

// The modules of others.
const (
	modMux        = "github.com/gorilla/mux"
	modPgx        = "github.com/jackc/pgx/v5"
	modCobra      = "github.com/spf13/cobra"
	modPflag      = "github.com/spf13/pflag"
	modRapid      = "pgregory.net/rapid"
	modOpenAPI    = "github.com/getkin/kin-openapi"
	modContainers = "github.com/testcontainers/testcontainers-go"
	modChromedp   = "github.com/chromedp/chromedp"
	modDevtools   = "github.com/chromedp/cdproto"
	modPrometheus = "github.com/prometheus/client_golang"
	modCompose    = "github.com/compose-spec/compose-go/v2" // reads docker-compose.yml as Docker does
	modYAML       = "go.yaml.in/yaml/v3"
	modJUnit      = "github.com/jstemmer/go-junit-report/v2"
)

// layers run downwards. A folder that is not listed may not hold Go.
func layers() []layer {
	receivers := []string{"pix", "receiver"}
	all := []string{"pix", "chaos", "fakepsp", "fakepsp/live", "receiver", "receiver/memory", "receiver/postgres", "receiver/live", "internal/pgcluster", "scenarios", "scenarios/", "shrink", "explore", "demo", "web", "cmd/"}
	return []layer{
		{dir: "."},
		{dir: "pix"},
		{dir: "chaos"},
		{dir: "internal/pgcluster", own: []string{"chaos"}, third: []string{modPgx}, tests: []string{"internal/"}},
		{dir: "internal/pgcluster/docker", own: []string{"chaos", "internal/pgcluster"}, third: []string{modContainers, modPgx}}, // for tests
		{dir: "internal/pgcluster/pgtest", own: []string{"chaos", "internal/"}, third: []string{modPgx}},                         // for tests
		{dir: "internal/", own: []string{"chaos", "internal/pgcluster"}},
		{dir: "fakepsp", own: []string{"pix", "chaos"}, third: []string{modMux}},
		{dir: "fakepsp/live", own: []string{"pix", "chaos", "fakepsp"}},
		{dir: "receiver", own: []string{"pix"}, third: []string{modMux}, tests: []string{"receiver/memory", "receiver/storetest"}},
		{dir: "receiver/memory", own: receivers, tests: []string{"receiver/storetest"}},
		{dir: "receiver/postgres", own: receivers, third: []string{modPgx}, tests: []string{"receiver/memory", "receiver/storetest", "internal/"}},
		{dir: "receiver/live", own: receivers, third: []string{modPrometheus}, tests: []string{"receiver/memory"}},
		{dir: "receiver/storetest", own: receivers, third: []string{modRapid}},
		{dir: "scenarios", own: []string{"pix", "chaos", "fakepsp", "receiver", "receiver/memory", "receiver/postgres", "internal/pgcluster"}, tests: []string{"scenarios/broken", "internal/"}},
		{dir: "scenarios/live", own: []string{"pix", "chaos", "fakepsp", "fakepsp/live", "receiver", "receiver/postgres", "internal/pgcluster", "scenarios"}, third: []string{modPgx}, tests: []string{"internal/"}},
		{dir: "scenarios/live/broken", own: []string{"pix", "receiver", "receiver/live", "receiver/postgres"}, third: []string{modPgx}, tests: []string{"internal/"}},
		{dir: "demo", own: []string{"chaos", "scenarios", "scenarios/film", "scenarios/broken", "web"}, tests: []string{"internal/"}},
		{dir: "scenarios/film", own: []string{"pix", "chaos", "receiver", "scenarios"}, tests: []string{"scenarios/broken"}},
		{dir: "scenarios/broken", own: []string{"pix", "chaos", "fakepsp", "receiver", "receiver/memory", "receiver/postgres", "scenarios"}},
		{dir: "shrink", own: []string{"pix", "chaos", "scenarios"}, tests: []string{"scenarios/broken"}},
		{dir: "explore", own: []string{"chaos", "scenarios", "shrink"}, third: []string{modJUnit}, tests: []string{"scenarios/broken"}},
		{dir: "proptest", third: []string{modPgx}, tests: append(all, "internal/")}, // it empties databases between two checks
		{dir: "web"},
		{dir: "cmd/", own: all, tests: []string{"internal/"}, third: []string{modCobra, modPflag, modPgx}}, // pgx: a load reads the books from beside the receiver
	}
}

// testModules may be imported by any test.
func testModules() []string {
	return []string{modRapid, modOpenAPI, modContainers, modChromedp, modDevtools, modCompose, modYAML}
}

func layerRules() []rule {
	return []rule{{
		name: "imports run downwards", check: checkOwnImports,
		bad: []sample{
			{"pix/a.go": `package pix; import _ "github.com/pixlab/pixlab/chaos"`},
			{"chaos/a.go": `package chaos; import _ "github.com/pixlab/pixlab/pix"`},
			{"fakepsp/a.go": `package fakepsp; import _ "github.com/pixlab/pixlab/receiver"`},
			{"receiver/a.go": `package receiver; import _ "github.com/pixlab/pixlab/chaos"`},
			{"receiver/a_test.go": `package receiver_test; import _ "github.com/pixlab/pixlab/fakepsp"`},
			{"receiver/memory/a.go": `package memory; import _ "github.com/pixlab/pixlab/receiver/storetest"`},
			{"scenarios/a.go": `package scenarios; import _ "github.com/pixlab/pixlab/scenarios/broken"`},
			{"internal/x/a.go": `package x; import _ "github.com/pixlab/pixlab/pix"`},
			{"web/a.go": `package web; import _ "github.com/pixlab/pixlab/pix"`},
			{"elsewhere/a.go": `package elsewhere`},
			{"cmd/pixlab/main.go": `package main; import _ "github.com/pixlab/pixlab/internal/pgcluster/docker"`},
		},
		good: []sample{{
			"fakepsp/a.go":            `package fakepsp; import _ "github.com/pixlab/pixlab/pix"`,
			"receiver/a_test.go":      `package receiver_test; import _ "github.com/pixlab/pixlab/receiver"`,
			"receiver/memory/a.go":    `package memory; import _ "github.com/pixlab/pixlab/receiver"`,
			"scenarios/broken/a.go":   `package broken; import _ "github.com/pixlab/pixlab/scenarios"`,
			"cmd/pixlab/main.go":      `package main; import _ "github.com/pixlab/pixlab/scenarios/broken"`,
			"proptest/a_test.go":      `package proptest; import _ "github.com/pixlab/pixlab/receiver/memory"`,
			"internal/pgcluster/a.go": `package pgcluster; import _ "github.com/pixlab/pixlab/chaos"`,
		}},
	}, {
		name: "libraries only where they are needed", check: checkThirdImports,
		bad: []sample{
			{"pix/a.go": `package pix; import _ "github.com/gorilla/mux"`},
			{"receiver/a.go": `package receiver; import _ "github.com/jackc/pgx/v5"`},
			{"receiver/a.go": `package receiver; import _ "pgregory.net/rapid"`},
			{"scenarios/a.go": `package scenarios; import _ "github.com/spf13/cobra"`},
			{"chaos/a_test.go": `package chaos_test; import _ "github.com/stretchr/testify/require"`},
		},
		good: []sample{{
			"fakepsp/a.go":           `package fakepsp; import _ "github.com/gorilla/mux"`,
			"receiver/postgres/a.go": `package postgres; import _ "github.com/jackc/pgx/v5/pgxpool"`,
			"chaos/a_test.go":        `package chaos_test; import _ "pgregory.net/rapid"`,
			"cmd/pixlab/main.go":     `package main; import _ "github.com/spf13/cobra"`,
		}},
	}}
}

// layerOf is the folder's own layer, or that of a folder above it.
func layerOf(dir string) (layer, bool) {
	for _, l := range layers() {
		if l.dir == dir || strings.HasSuffix(l.dir, "/") && strings.HasPrefix(dir+"/", l.dir) {
			return l, true
		}
	}
	return layer{}, false
}

func checkOwnImports(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		l, ok := layerOf(s.dir)
		if !ok {
			out = append(out, s.find(s.file, "folder "+s.dir+" has no layer: give it one in layers()"))
			continue
		}
		for _, spec := range s.file.Imports {
			dir, ours := ownDir(importPath(spec))
			if !ours || covers(l.own, dir) || s.test && (dir == s.dir || covers(l.tests, dir)) {
				continue
			}
			out = append(out, s.find(spec, s.dir+" imports "+dir+"; it may import of ours: "+orNothing(l.own)))
		}
	}
	return out
}

func checkThirdImports(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		l, _ := layerOf(s.dir)
		for _, spec := range s.file.Imports {
			p := importPath(spec)
			first, _, _ := strings.Cut(p, "/")
			if _, ours := ownDir(p); ours || !strings.Contains(first, ".") {
				continue
			}
			if within(l.third, p) || s.test && within(testModules(), p) {
				continue
			}
			out = append(out, s.find(spec, s.dir+" imports "+p+"; of others it may import: "+orNothing(l.third)))
		}
	}
	return out
}

// covers says whether one of the names is dir, or ends in a slash and lies above it.
func covers(names []string, dir string) bool {
	for _, n := range names {
		if n == dir || strings.HasSuffix(n, "/") && strings.HasPrefix(dir, n) {
			return true
		}
	}
	return false
}

// within says whether an import path belongs to one of the modules.
func within(modules []string, p string) bool {
	for _, m := range modules {
		if p == m || strings.HasPrefix(p, m+"/") {
			return true
		}
	}
	return false
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
