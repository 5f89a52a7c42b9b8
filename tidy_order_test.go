package pixlab_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// reviewedRanges are loops over maps whose outcome is free of their order for
// a reason that no rule can see: "file:function", and the reason.
func reviewedRanges() map[string]string {
	return map[string]string{
		"chaos/merge_window.go:mergeWindows": "each place gets its own pieces, cut from its own list and nothing else",
		"scenarios/check_i13.go:end":         "of all findings it names the least as text",
	}
}

func TestReviewedRangesAreStillThere(t *testing.T) {
	tr := newLoader(t).readTree(t, ".")
	for place := range reviewedRanges() {
		file, function, _ := strings.Cut(place, ":")
		found := slices.ContainsFunc(tr.sources, func(s *source) bool {
			return s.path == file && slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
				f, ok := d.(*ast.FuncDecl)
				return ok && f.Name.Name == function
			})
		})
		if !found {
			t.Errorf("%s was reviewed and is no more: take it off the list", place)
		}
	}
}

func orderRules() []rule {
	inScenarios := func(body string) sample {
		return sample{"scenarios/a.go": "package scenarios\nimport (\"maps\"; \"slices\")\nvar _ = slices.Sorted[int]\nvar _ = maps.Keys[map[int]int]\n" +
			"func say(int) {}\nfunc f(m map[int]int) (out []int, n int, ok bool) {\n" + body + "\nreturn }"}
	}
	return []rule{{
		name: "no outcome hangs on the order of a map", check: checkMapOrder,
		bad: []sample{
			inScenarios("for k := range m { out = append(out, k) }"),
			inScenarios("for k := range m { say(k) }"),
			inScenarios("for k := range m { n = k }"),
			inScenarios("for k := range m { if k > 3 { return nil, k, true } }"),
			inScenarios("for k := range m { n += k; break }"),
			inScenarios("for k := range maps.Keys(m) { say(k) }"),
			inScenarios("out = slices.Collect(maps.Values(m))"),
			inScenarios("type g map[int]int; for k := range g(m) { defer say(k) }"),
			inScenarios("var s string; for k := range m { s += string(rune(k)) }; say(len(s))"),
		},
		good: []sample{
			inScenarios("for _, k := range slices.Sorted(maps.Keys(m)) { say(k) }"),
			inScenarios("for k := range m { out = append(out, k) }; slices.Sort(out)"),
			inScenarios("for k, v := range m { if v > 0 { n += v; continue }; m[k] = 0 }"),
			inScenarios("for _, v := range m { n = max(n, v); switch { case v > 2: ok = true } }"),
			inScenarios("for k := range m { if k > 3 { return nil, 0, true } }"),
			inScenarios("for k := range m { delete(m, k) }"),
			inScenarios("for _, v := range out { say(v) }"),
			{"scenarios/a_test.go": "package scenarios; func f(m map[int]int) { for k := range m { println(k) } }"},
			{"pix/a.go": "package pix; func f(m map[int]int) { for k := range m { println(k) } }"},
		},
	}}
}

// checkMapOrder looks at the packages that run inside a simulated world. A loop
// over a map is fine when each statement of its body comes to the same in any
// order: sums and counts of whole numbers, min and max, constants set, entries
// under the loop's own key, a list that is sorted afterwards, a constant
// returned. Calls inside may only be to functions known to be pure.
func checkMapOrder(t *tree) []finding {
	var out []finding
	for _, c := range t.packages() {
		top, _, _ := strings.Cut(c.dir, "/")
		if !slices.Contains([]string{"chaos", "fakepsp", "receiver", "scenarios"}, top) {
			continue
		}
		for _, s := range c.sources {
			if s.forTests() {
				continue
			}
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil || reviewedRanges()[s.path+":"+f.Name.Name] != "" {
					continue
				}
				o := ordered{c: c, s: s, f: f}
				ast.Inspect(f.Body, o.visit)
				out = append(out, o.out...)
			}
		}
	}
	return out
}

type ordered struct {
	c   *checked
	s   *source
	f   *ast.FuncDecl
	out []finding
}

const wantSorted = ": range over slices.Sorted(maps.Keys(m)), or make each step of the loop come to the same in any order"

func (o *ordered) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if !o.overMap(n.X) {
			return true
		}
		l := mapLoop{o: o, loop: n}
		if why := l.block(n.Body); why != nil {
			o.out = append(o.out, o.s.find(why, "a loop over a map does here what its order could change"+wantSorted))
		}
		ast.Inspect(n.Body, o.visit)
		return false
	case *ast.CallExpr:
		if name := o.calls(n, "slices"); name == "Sorted" || name == "SortedFunc" || name == "SortedStableFunc" {
			return false
		}
		if name := o.calls(n, "maps"); name == "Keys" || name == "Values" || name == "All" {
			o.out = append(o.out, o.s.find(n, "maps."+name+" comes in any order"+wantSorted))
		}
	}
	return true
}

// overMap says whether a loop runs over a map, or over maps.Keys and its kin.
func (o *ordered) overMap(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && o.calls(call, "maps") != "" {
		return true
	}
	t := o.c.info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// calls is the name of the function of the package that is called, or "".
func (o *ordered) calls(call *ast.CallExpr, pkg string) string {
	fun := call.Fun
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if f, ok := o.c.info.Uses[sel.Sel].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == pkg && f.Signature().Recv() == nil {
			return f.Name()
		}
	}
	return ""
}

// mapLoop judges one loop over a map. Its methods answer with the first node
// whose effect could hang on the order, nil if there is none.
type mapLoop struct {
	o       *ordered
	loop    *ast.RangeStmt
	returns string // what the loop returns, as text
}

func (l *mapLoop) block(b *ast.BlockStmt) ast.Node { return l.list(b.List) }

func (l *mapLoop) list(stmts []ast.Stmt) ast.Node {
	for _, s := range stmts {
		if why := l.stmt(s); why != nil {
			return why
		}
	}
	return nil
}

func (l *mapLoop) stmt(s ast.Stmt) ast.Node {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt, *ast.DeclStmt:
		return nil
	case *ast.BlockStmt:
		return l.list(s.List)
	case *ast.IncDecStmt:
		return l.whole(s.X)
	case *ast.BranchStmt:
		if s.Tok == token.CONTINUE {
			return nil
		}
	case *ast.IfStmt:
		return firstNode(l.stmt(s.Init), l.pure(s.Cond), l.block(s.Body), l.stmt(s.Else))
	case *ast.SwitchStmt:
		return firstNode(l.stmt(s.Init), l.pure(s.Tag), l.block(s.Body))
	case *ast.CaseClause:
		return l.list(s.Body)
	case *ast.RangeStmt:
		return firstNode(l.pure(s.X), l.block(s.Body))
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && l.builtin(call, "delete") {
			return nil
		}
	case *ast.ReturnStmt:
		return l.returned(s)
	case *ast.AssignStmt:
		return l.assign(s)
	}
	return s
}

func firstNode(nodes ...ast.Node) ast.Node {
	for _, n := range nodes {
		if n != nil {
			return n
		}
	}
	return nil
}

// whole wants a number that comes to the same in any order of additions.
func (l *mapLoop) whole(e ast.Expr) ast.Node {
	if b, ok := l.o.c.info.TypeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		return nil
	}
	return e
}

func (l *mapLoop) returned(s *ast.ReturnStmt) ast.Node {
	var text []string
	for _, e := range s.Results {
		if !l.constant(e) {
			return e
		}
		text = append(text, types.ExprString(e))
	}
	now := "return " + strings.Join(text, ", ")
	if l.returns != "" && l.returns != now {
		return s
	}
	l.returns = now
	return nil
}

func (l *mapLoop) constant(e ast.Expr) bool {
	tv := l.o.c.info.Types[e]
	lit, isLit := e.(*ast.CompositeLit)
	return tv.Value != nil || tv.IsNil() || isLit && len(lit.Elts) == 0
}

func (l *mapLoop) assign(s *ast.AssignStmt) ast.Node {
	for _, e := range s.Rhs {
		if why := l.pure(e); why != nil {
			return why
		}
	}
	switch s.Tok {
	case token.DEFINE:
		return nil
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		return l.whole(s.Lhs[0])
	case token.ASSIGN:
		for i, lhs := range s.Lhs {
			if len(s.Rhs) != len(s.Lhs) || !l.settles(lhs, s.Rhs[i]) {
				return s
			}
		}
		return nil
	}
	return s
}

// settles says whether "lhs = rhs" ends the same whichever turn comes last.
func (l *mapLoop) settles(lhs, rhs ast.Expr) bool {
	if l.constant(rhs) {
		return true
	}
	if i, ok := lhs.(*ast.IndexExpr); ok && l.isKey(i.Index) {
		return true
	}
	call, ok := rhs.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || types.ExprString(call.Args[0]) != types.ExprString(lhs) {
		return false
	}
	return l.builtin(call, "min") || l.builtin(call, "max") || l.builtin(call, "append") && l.sortedLater(lhs)
}

func (l *mapLoop) isKey(e ast.Expr) bool {
	key, ok := l.loop.Key.(*ast.Ident)
	return ok && key.Name != "_" && types.ExprString(e) == key.Name
}

// sortedLater says whether the list is sorted after the loop, in the same function.
func (l *mapLoop) sortedLater(list ast.Expr) bool {
	found := false
	ast.Inspect(l.o.f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && call.Pos() > l.loop.End() && len(call.Args) > 0 && types.ExprString(call.Args[0]) == types.ExprString(list) {
			found = found || strings.HasPrefix(l.o.calls(call, "slices"), "Sort") || l.o.calls(call, "sort") != ""
		}
		return true
	})
	return found
}

func (l *mapLoop) builtin(call *ast.CallExpr, name string) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = l.o.c.info.Uses[id].(*types.Builtin)
	return ok
}

// pure wants an expression without calls that could do something.
func (l *mapLoop) pure(e ast.Expr) ast.Node {
	if e == nil {
		return nil
	}
	var why ast.Node
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			why = n
		case *ast.CallExpr:
			if !l.pureCall(n) {
				why = n
			}
		}
		return why == nil
	})
	return why
}

// pureCall knows conversions, builtins, and packages that only compute.
func (l *mapLoop) pureCall(call *ast.CallExpr) bool {
	if l.o.c.info.Types[call.Fun].IsType() || l.o.c.info.Types[call.Fun].IsBuiltin() {
		return true
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := l.o.c.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	pure := []string{"strings", "strconv", "bytes", "cmp", "slices", "time"}
	return slices.Contains(pure, f.Pkg().Path()) || f.Pkg().Path() == "fmt" && strings.HasPrefix(f.Name(), "Sprint")
}
