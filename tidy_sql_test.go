package pixlab_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

func sqlRules() []rule {
	return []rule{{
		name: "SQL is told the time and draws nothing", check: checkSQL,
		bad: []sample{
			{"receiver/postgres/a.go": "package postgres; const q = `SELECT now()`"},
			{"receiver/postgres/a.go": "package postgres; const q = `UPDATE t SET due = Clock_Timestamp ( )`"},
			{"receiver/postgres/a.go": "package postgres; const q = \"DEFAULT gen_random_uuid()\""},
			{"receiver/postgres/a.go": "package postgres; func f() string { return `ORDER BY random()` }"},
			{"receiver/postgres/a.go": "package postgres; const q = `DEFAULT CURRENT_TIMESTAMP`"},
			{"receiver/postgres/now.go": "package postgres\ntype Store struct{}\nconst q = `SELECT now()`\nfunc (s *Store) Now() string { return q }\nfunc other() string { return q }"},
			{"receiver/postgres/m.sql": "CREATE TABLE t (\n  at timestamptz DEFAULT now()\n);"},
			{"cmd/pixlab/a.go": "package main; const q = `\\set r 1\nSELECT random()`"},
		},
		good: []sample{
			{"receiver/postgres/a.go": "package postgres\ntype Store struct{}\nfunc (s *Store) Now() string { return `SELECT clock_timestamp()` }"},
			{"receiver/postgres/a.go": "package postgres\ntype Store struct{}\nconst q = `SELECT clock_timestamp()`\nfunc (s *Store) Now() string { return q }"},
			{"receiver/postgres/a.go": "package postgres; const q = `UPDATE t SET due = $1 -- known()`; const r = \"now is a word\""},
			{"receiver/postgres/m.sql": "CREATE TABLE t (at timestamptz NOT NULL);"},
			{"cmd/pixlab/a.go": "package main; const q = `\\set r random(1, 9)\nSELECT :r`"},
		},
	}}
}

// machineSQL is what a database would make up by itself. It is written in
// pieces, so that this file holds none of it.
func machineSQL() *regexp.Regexp {
	calls := []string{
		"now", "random", "gen_random_" + "uuid", "uuid_generate_v[14]", "uuidv[47]", "clock_" + "timestamp",
		"statement_timestamp", "transaction_timestamp", "timeofday",
	}
	words := []string{"CURRENT_" + "TIMESTAMP", "CURRENT_" + "DATE", "CURRENT_" + "TIME", "LOCAL" + "TIMESTAMP", "LOCAL" + "TIME"}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(calls, "|") + `)\s*\(|\b(?i:` + strings.Join(words, "|") + `)\b`)
}

// pgbenchSets are the lines of a pgbench script that are no SQL: pgbench itself
// draws there, and hands the database a value.
func pgbenchSets() *regexp.Regexp { return regexp.MustCompile("(?m)^`?" + `\\set .*$`) }

const wantParameter = " makes the database decide: give the value as a parameter; only Store.Now of receiver/postgres may ask"

func checkSQL(t *tree) []finding {
	re := machineSQL()
	var out []finding
	for _, s := range t.sources {
		if s.dir == "." {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || t.storeNow(s, lit) {
				return true
			}
			if found := re.FindString(pgbenchSets().ReplaceAllString(lit.Value, "")); found != "" {
				out = append(out, s.find(lit, strconv.Quote(found)+wantParameter))
			}
			return true
		})
	}
	for _, f := range t.texts {
		if !strings.HasSuffix(f.path, ".sql") {
			continue
		}
		for i, line := range f.lines {
			if found := re.FindString(line); found != "" {
				out = append(out, finding{f.path + ":" + strconv.Itoa(i+1), strconv.Quote(found) + wantParameter})
			}
		}
	}
	return out
}

// storeNow says whether a literal stands in Store.Now of receiver/postgres, or
// is a constant that nothing else there uses.
func (t *tree) storeNow(s *source, lit *ast.BasicLit) bool {
	if s.dir != "receiver/postgres" {
		return false
	}
	if insideStoreNow(s, lit.Pos()) {
		return true
	}
	name := constantOf(s, lit)
	if name == nil {
		return false
	}
	used := false
	for _, other := range t.in(s.dir, false) {
		for n := range ast.Preorder(other.file) {
			id, ok := n.(*ast.Ident)
			if !ok || id.Name != name.Name || id == name {
				continue
			}
			if !insideStoreNow(other, id.Pos()) {
				return false
			}
			used = true
		}
	}
	return used
}

func insideStoreNow(s *source, at token.Pos) bool {
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "Now" && receiverName(f) == "Store" && f.Pos() <= at && at < f.End() {
			return true
		}
	}
	return false
}

// constantOf is the name of the package constant whose value a literal is.
func constantOf(s *source, lit *ast.BasicLit) *ast.Ident {
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, e := range v.Values {
				if e == ast.Expr(lit) {
					return v.Names[i]
				}
			}
		}
	}
	return nil
}
