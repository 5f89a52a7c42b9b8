package broken

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

//go:embed *.go
var sources embed.FS

// Source is the code of a broken receiver: the function that makes it, and what
// this calls in its own file.
func Source(name string) (string, error) {
	entries, err := sources.ReadDir(".")
	if err != nil {
		return "", fmt.Errorf("read the sources: %w", err)
	}
	for _, entry := range entries {
		raw, err := sources.ReadFile(entry.Name())
		if err != nil {
			return "", fmt.Errorf("read the sources: %w", err)
		}
		if !strings.Contains(string(raw), "Name: "+strconv.Quote(name)) {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, entry.Name(), raw, parser.ParseComments)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", entry.Name(), err)
		}
		return excerpt(files, file, string(raw), name), nil
	}
	return "", fmt.Errorf("no receiver is called %q", name)
}

// excerpt cuts the function that names the receiver and those it refers to.
func excerpt(files *token.FileSet, file *ast.File, raw, name string) string {
	text := func(n ast.Node) string { return raw[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset] }
	var out []string
	maker := ""
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		body := text(f)
		if strings.Contains(body, "Name: "+strconv.Quote(name)) {
			maker = body
			out = append(out, body)
		} else if maker != "" && strings.Contains(maker, f.Name.Name) {
			out = append(out, body)
		}
	}
	return strings.Join(out, "\n\n") + "\n"
}
