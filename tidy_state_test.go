package pixlab_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

func stateRules() []rule {
	return []rule{{
		name: "nothing happens before main", check: checkInit,
		bad: []sample{
			{"pix/a.go": "package pix; func init() {}"},
			{"pix/a_test.go": "package pix; func init() {}"},
		},
		good: []sample{{"pix/a.go": "package pix; type t struct{}; func (t) init() {}"}},
	}, {
		name: "imports keep their name", check: checkDotImports,
		bad:  []sample{{"pix/a_test.go": "package pix; import . \"strings\"; var _ = ToUpper"}},
		good: []sample{{"pix/a.go": "package pix; import _ \"strings\""}},
	}, {
		name: "packages hold no state", check: checkPackageVars,
		bad: []sample{
			{"pix/a.go": "package pix; var n int; func f() { n = 1 }"},
			{"pix/a.go": "package pix; var n int; func f() { n++ }"},
			{"pix/a.go": "package pix; var m = map[int]int{}; func f() { m[1] = 2 }"},
			{"pix/a.go": "package pix; var m = map[int]int{}; func f() { delete(m, 1) }"},
			{"pix/a.go": "package pix; var t struct{ a []int }; func f() { t.a[0] = 1 }"},
			{"pix/a.go": "package pix; var n int; func f() *int { return &n }"},
			{"pix/a.go": "package pix; var a [3]int; func f() []int { return a[:] }"},
			{"pix/a.go": "package pix; import \"sync\"; var mu sync.Mutex"},
			{"pix/a.go": "package pix; type c struct{ n int }; func (c *c) add() {}; var x c; func f() { x.add() }"},
			{"pix/a.go": "package pix; type c struct{ n int }; var x = &c{}"},
			{"pix/a.go": "package pix; var c = make(chan int)"},
			{"pix/a.go": "package pix; var V int", "chaos/a.go": "package chaos; import \"github.com/pixlab/pixlab/pix\"; func f() { pix.V = 1 }"},
			{"pix/a.go": "package pix; import \"net/http\"; func f() { http.DefaultClient = nil }"},
		},
		good: []sample{
			{"pix/a.go": "package pix; import (\"errors\"; \"sync\"; \"regexp\")\n" +
				"var errX = errors.New(\"x\")\nvar table = map[string]int{\"a\": 1}\nvar once = sync.OnceValue(func() int { return 1 })\n" +
				"var re = regexp.MustCompile(\"a\")\ntype i interface{}\ntype t struct{}\nvar _ i = t{}\n" +
				"func f() (int, error) { n := table[\"a\"]; n++; p := &n; *p = 2; return once() + n, errX }"},
		},
	}}
}

func checkInit(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				out = append(out, s.find(f, "init runs without being asked: call a function where it is needed"))
			}
		}
	}
	return out
}

func checkDotImports(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		for _, spec := range s.file.Imports {
			if spec.Name != nil && spec.Name.Name == "." {
				out = append(out, s.find(spec, "a dot-import hides where names come from: import it by name"))
			}
		}
	}
	return out
}

// checkPackageVars allows variables that are never written: sentinels, tables,
// functions made once. It sees assignments, ++, &, delete and its kin, methods
// that take the variable's address, and types made for being changed.
func checkPackageVars(t *tree) []finding {
	var out []finding
	for _, c := range t.packages() {
		for _, s := range c.sources {
			for _, id := range topVars(s) {
				if obj := c.info.Defs[id]; obj != nil && changeable(obj.Type()) {
					out = append(out, s.find(id, "package variable "+id.Name+" is of a type made for changing: pass it to who needs it"))
				}
			}
			w := varWrites{c: c, s: s}
			ast.Inspect(s.file, w.visit)
			out = append(out, w.out...)
		}
	}
	return out
}

// changeable says whether a value of the type is state by its nature.
func changeable(t types.Type) bool {
	if name := t.String(); name == "*regexp.Regexp" || strings.HasSuffix(name, "/template.Template") {
		return false
	}
	switch u := types.Unalias(t).(type) {
	case *types.Pointer, *types.Chan:
		return true
	case *types.Named:
		if p := u.Obj().Pkg(); p != nil && (p.Path() == "sync" || p.Path() == "sync/atomic" || strings.HasPrefix(p.Path(), "math/rand")) {
			return true
		}
		_, isChan := u.Underlying().(*types.Chan)
		return isChan
	}
	return false
}

// varWrites collects what could change a package variable.
type varWrites struct {
	c   *checked
	s   *source
	out []finding
}

func (w *varWrites) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			w.note(e, "is assigned")
		}
	case *ast.IncDecStmt:
		w.note(n.X, "is counted up or down")
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.note(n.Key, "is assigned")
			w.note(n.Value, "is assigned")
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.note(n.X, "has its address taken")
		}
	case *ast.SliceExpr:
		if _, ok := w.typeOf(n.X).Underlying().(*types.Array); ok {
			w.note(n.X, "has its address taken")
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, id.Name) {
			w.note(n.Args[0], "is changed by "+id.Name)
		}
	case *ast.SelectorExpr:
		if w.takesAddress(n) {
			w.note(n.X, "has its address taken by "+n.Sel.Name)
		}
	}
	return true
}

func (w *varWrites) typeOf(e ast.Expr) types.Type {
	if t := w.c.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// takesAddress says whether a method of a pointer receiver is called on a value.
func (w *varWrites) takesAddress(e *ast.SelectorExpr) bool {
	sel := w.c.info.Selections[e]
	if sel == nil || sel.Kind() != types.MethodVal {
		return false
	}
	recv := sel.Obj().(*types.Func).Signature().Recv()
	if recv == nil {
		return false
	}
	_, byPointer := recv.Type().(*types.Pointer)
	_, onPointer := w.typeOf(e.X).Underlying().(*types.Pointer)
	return byPointer && !onPointer
}

func (w *varWrites) note(e ast.Expr, how string) {
	if v := w.packageVar(e); v != nil {
		w.out = append(w.out, w.s.find(e, "package variable "+v.Name()+" "+how+": make it a constant, a function, or a field of something"))
	}
}

// packageVar is the package variable that an expression is a part of, or nil.
func (w *varWrites) packageVar(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.Ident:
		return isPackageVar(w.c.info.Uses[e])
	case *ast.ParenExpr:
		return w.packageVar(e.X)
	case *ast.IndexExpr:
		return w.packageVar(e.X)
	case *ast.StarExpr:
		return w.packageVar(e.X)
	case *ast.SliceExpr:
		return w.packageVar(e.X)
	case *ast.SelectorExpr:
		if v := isPackageVar(w.c.info.Uses[e.Sel]); v != nil {
			return v
		}
		return w.packageVar(e.X)
	}
	return nil
}

func isPackageVar(obj types.Object) *types.Var {
	v, ok := obj.(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return nil
	}
	return v
}
