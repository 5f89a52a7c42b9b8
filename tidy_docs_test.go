package pixlab_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
)

func docRules() []rule {
	return []rule{{
		name: "every package says what it is for", check: checkPackageDocs,
		bad: []sample{
			{"pix/a.go": "// Package pix is in the wrong file.\npackage pix"},
			{"pix/doc.go": "package pix"},
			{"pix/doc.go": "// Something else.\npackage pix"},
			{"pix/doc.go": "// Package pix is right.\npackage pix", "pix/a.go": "// Package pix again.\npackage pix"},
			{"cmd/pixlab/main.go": "package main"},
		},
		good: []sample{
			{"pix/doc.go": "// Package pix is the wire.\npackage pix", "pix/a.go": "package pix"},
			{"cmd/pixlab/main.go": "// Pixlab is the binary.\npackage main"},
			{"proptest/a_test.go": "package proptest"},
		},
	}, {
		name: "every exported name is documented", check: checkExportedDocs,
		bad: []sample{
			{"pix/a.go": "package pix; type T struct{}"},
			{"pix/a.go": "package pix; func F() {}"},
			{"pix/a.go": "package pix; const C = 1"},
			{"pix/a.go": "package pix\n// T is.\ntype T struct{}\nfunc (t *T) Do() {}"},
			{"pix/a.go": "package pix\n// T is.\ntype T struct{}\nfunc (T) String() string { if true { return \"\" }; return \"x\" }"},
			{"pix/a.go": "package pix\nvar (\n\tA = 1\n\tB = 2\n)"},
		},
		good: []sample{{
			"pix/a.go": "package pix\n// T is.\ntype T struct{}\nfunc (T) String() string { return \"\" }\nfunc (t *T) hidden() {}\n" +
				"type u struct{}\nfunc (u) Exported() {}\n// Group of two.\nconst (\n\tA = 1\n\tB = 2\n)\nconst (\n\tC = 1 // alone\n)",
		}},
	}, {
		name: "names mean something", check: checkWords,
		bad: []sample{
			{"pix/util/a.go": "package util"},
			{"pix/string_helper.go": "package pix"},
			{"pix/mock_test.go": "package pix"},
			{"pix/a.go": "package pix; type CaseManager struct{}"},
			{"pix/a.go": "package pix; type T struct{ RawData []byte }"},
			{"pix/a.go": "package pix; func NewMock() {}"},
			{"pix/a.go": "package pix; type I interface{ CommonThing() }"},
		},
		good: []sample{{
			"pix/a.go": "package pix; type Metadata struct{ Updated, Date int }; func helperless() { data := 1; _ = data }",
		}},
	}}
}

func checkPackageDocs(t *tree) []finding {
	var out []finding
	for _, dir := range t.dirs() {
		files := t.in(dir, false)
		documented := false
		for _, s := range files {
			base := path.Base(s.path)
			right := base == "doc.go" || base == "main.go" && s.file.Name.Name == "main"
			text := s.file.Doc.Text()
			switch {
			case text == "":
			case !right:
				out = append(out, s.find(s.file.Doc, "the package comment belongs into "+dir+"/doc.go"))
			case s.file.Name.Name != "main" && !strings.HasPrefix(text, "Package "+s.file.Name.Name+" "):
				out = append(out, s.find(s.file.Doc, "the package comment should begin with \"Package "+s.file.Name.Name+"\""))
			default:
				documented = true
			}
		}
		if len(files) > 0 && !documented {
			out = append(out, files[0].find(files[0].file, "package "+dir+" has no package comment: write "+dir+"/doc.go"))
		}
	}
	return out
}

func checkExportedDocs(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc.Text() == "" && !hiddenMethod(d) && !trivialMethod(d) {
					out = append(out, s.find(d, d.Name.Name+" is exported and says nothing: give it a comment"))
				}
			case *ast.GenDecl:
				out = append(out, undocumentedSpecs(s, d)...)
			}
		}
	}
	return out
}

func undocumentedSpecs(s *source, d *ast.GenDecl) []finding {
	var out []finding
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && spec.Doc.Text() == "" && d.Doc.Text() == "" {
				out = append(out, s.find(spec, spec.Name.Name+" is exported and says nothing: give it a comment"))
			}
		case *ast.ValueSpec:
			exported := slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported)
			if exported && spec.Doc.Text() == "" && spec.Comment.Text() == "" && d.Doc.Text() == "" {
				out = append(out, s.find(spec, spec.Names[0].Name+" is exported and says nothing: give it, or its group, a comment"))
			}
		}
	}
	return out
}

// hiddenMethod says whether a method belongs to a type that is not exported.
func hiddenMethod(d *ast.FuncDecl) bool {
	name := receiverName(d)
	return name != "" && !ast.IsExported(name)
}

// receiverName is the name of the type that a method belongs to, "" for a function.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// trivialMethod says whether a method only fulfils a well-known interface, in
// one statement.
func trivialMethod(d *ast.FuncDecl) bool {
	wellKnown := []string{
		"String", "Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
		"Len", "Less", "Swap", "Push", "Pop", "Read", "Write", "Close", "ServeHTTP", "Header", "WriteHeader",
	}
	return d.Recv != nil && slices.Contains(wellKnown, d.Name.Name) && d.Body != nil && len(d.Body.List) <= 1
}

// emptyWords say nothing about what they name.
func emptyWords() []string {
	return []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "data", "mock", "mocks"}
}

func checkWords(t *tree) []finding {
	var out []finding
	for _, s := range t.sources {
		base := strings.TrimSuffix(path.Base(s.path), ".go")
		for _, w := range append(strings.Split(base, "_"), s.file.Name.Name, path.Base(s.dir)) {
			if slices.Contains(emptyWords(), strings.ToLower(w)) {
				out = append(out, s.find(s.file, "the file or package name says \""+w+"\": name what it holds"))
			}
		}
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, id := range declaredNames(n) {
				for _, w := range camelWords(id.Name) {
					if id.IsExported() && slices.Contains(emptyWords(), w) {
						out = append(out, s.find(id, id.Name+" says \""+w+"\": name what it is"))
					}
				}
			}
			return true
		})
	}
	return out
}

// declaredNames are the names that a node declares at package level or as a
// member.
func declaredNames(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	}
	return nil
}

// camelWords splits a name at its capitals: RawData is raw, data.
func camelWords(name string) []string {
	var words []string
	start := 0
	for i, r := range name {
		if i > 0 && (unicode.IsUpper(r) || r == '_') {
			words = append(words, strings.ToLower(strings.Trim(name[start:i], "_")))
			start = i
		}
	}
	return append(words, strings.ToLower(strings.Trim(name[start:], "_")))
}

// topVars are the names that a declaration gives to package variables.
func topVars(s *source) []*ast.Ident {
	var out []*ast.Ident
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				if id.Name != "_" {
					out = append(out, id)
				}
			}
		}
	}
	return out
}
