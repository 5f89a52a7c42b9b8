package pixlab_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// source is one Go file.
type source struct {
	path string // slash-separated, from the root
	dir  string // "." for the root
	test bool
	file *ast.File
	text []byte
	tree *tree
}

// textFile is any file of the tree that is text, Go files included.
type textFile struct {
	path  string
	lines []string
}

// tree is everything that the rules look at.
type tree struct {
	loader  *loader
	sources []*source
	texts   []textFile
	checked map[string]*checked
}

// checked is one package with its types, test files left out.
type checked struct {
	dir     string
	sources []*source
	pkg     *types.Package
	info    *types.Info
	errs    []error
}

// loader parses and type-checks trees. What is not ours is read from the
// compiler's export files, which the go command names.
type loader struct {
	fset    *token.FileSet
	foreign types.Importer
}

// exportFiles maps import paths to the files that the compiler wrote of them.
var exportFiles = sync.OnceValues(func() (map[string]string, error) {
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}\t{{.Export}}{{end}}", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the export files: %w\n%s", err, stderr.String())
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if pkg, file, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			files[pkg] = file
		}
	}
	return files, nil
})

func newLoader(t *testing.T) *loader {
	t.Helper()
	files, err := exportFiles()
	if err != nil {
		t.Fatal(err)
	}
	l := &loader{fset: token.NewFileSet()}
	l.foreign = importer.ForCompiler(l.fset, "gc", func(pkg string) (io.ReadCloser, error) {
		return os.Open(files[pkg])
	})
	return l
}

// skippedDir says which folders hold nothing of the tree.
func skippedDir(name string) bool { return name == ".git" || name == "bin" }

// skippedFile says which files git ignores too.
func skippedFile(name string) bool {
	for _, pattern := range []string{"pixlab-plan-*.json", "*.test", "*.out"} {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}

// readTree reads the tree below root.
func (l *loader) readTree(t *testing.T, root string) *tree {
	t.Helper()
	files := sample{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skippedDir(d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular() || skippedFile(d.Name()):
			return nil
		}
		b, err := os.ReadFile(name)
		if err == nil && bytes.IndexByte(b, 0) >= 0 {
			b = nil // of a picture or a font, only the name counts
		}
		if err == nil {
			files[filepath.ToSlash(name)] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatalf("read the tree: %v", err)
	}
	return l.sampleTree(t, files)
}

// sampleTree makes a tree of files in memory.
func (l *loader) sampleTree(t *testing.T, files sample) *tree {
	t.Helper()
	tr := &tree{loader: l, checked: map[string]*checked{}}
	for _, name := range sortedKeys(files) {
		tr.texts = append(tr.texts, textFile{name, strings.Split(files[name], "\n")})
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			continue
		}
		file, err := parser.ParseFile(l.fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("parse: %v", err)
		}
		if !ast.IsGenerated(file) {
			tr.sources = append(tr.sources, &source{
				path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
				file: file, text: []byte(files[name]), tree: tr,
			})
		}
	}
	return tr
}

// dirs are the folders that hold Go files, in order.
func (t *tree) dirs() []string {
	var out []string
	for _, s := range t.sources {
		out = append(out, s.dir)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// in lists the Go files of one folder, tests or the rest.
func (t *tree) in(dir string, test bool) []*source {
	return slices.DeleteFunc(slices.Clone(t.sources), func(s *source) bool { return s.dir != dir || s.test != test })
}

// packages type-checks every folder's package without its tests.
func (t *tree) packages() []*checked {
	var out []*checked
	for _, dir := range t.dirs() {
		if c := t.check(dir); c != nil {
			out = append(out, c)
		}
	}
	return out
}

func (t *tree) typeErrors() []error {
	var out []error
	for _, c := range t.packages() {
		out = append(out, c.errs...)
	}
	return out
}

func (t *tree) check(dir string) *checked {
	if c, ok := t.checked[dir]; ok {
		return c
	}
	c := &checked{dir: dir, sources: t.in(dir, false)}
	c.sources = slices.DeleteFunc(c.sources, func(s *source) bool { return !s.built() })
	if len(c.sources) == 0 {
		t.checked[dir] = nil
		return nil
	}
	t.checked[dir] = c
	c.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	files := make([]*ast.File, len(c.sources))
	for i, s := range c.sources {
		files[i] = s.file
	}
	conf := types.Config{Importer: t, Error: func(err error) { c.errs = append(c.errs, err) }}
	c.pkg, _ = conf.Check(path.Join(modulePath, dir), t.loader.fset, files, c.info)
	return c
}

// built says whether a file belongs to this machine's build.
func (s *source) built() bool {
	ctxt := build.Default
	ctxt.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.text)), nil }
	ok, err := ctxt.MatchFile(s.dir, path.Base(s.path))
	return err == nil && ok
}

// Import is the package at an import path: ours from source, others from the
// compiler's export files.
func (t *tree) Import(name string) (*types.Package, error) {
	if dir, ok := ownDir(name); ok {
		if c := t.check(dir); c != nil {
			return c.pkg, nil
		}
	}
	return t.loader.foreign.Import(name)
}

// ownDir is the folder of an import path of ours.
func ownDir(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// forTests says whether only tests run a file: the conformance suite of the
// stores is no test file by its name.
func (s *source) forTests() bool { return s.test || s.dir == "receiver/storetest" }

// find makes a finding at a node of s.
func (s *source) find(n ast.Node, what string) finding {
	return finding{s.path + ":" + strconv.Itoa(s.line(n.Pos())), what}
}

func (s *source) line(p token.Pos) int { return s.tree.loader.fset.Position(p).Line }

// imports maps the names under which a file knows its imports to their paths.
func (s *source) imports() map[string]string {
	out := map[string]string{}
	for _, spec := range s.file.Imports {
		p := importPath(spec)
		name := path.Base(p)
		if strings.HasPrefix(name, "v") && len(name) == 2 {
			name = path.Base(path.Dir(p))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = p
	}
	return out
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
