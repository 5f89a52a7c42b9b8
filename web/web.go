package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
)

//go:embed assets fonts
var files embed.FS

// Page is what the viewer shows.
type Page struct {
	// Film is encoded as JSON: see package scenarios/film.
	Film any
	// Command repeats the run; Text is the report as the terminal has it, for
	// readers whose browser runs no script.
	Command, Text string
	Title         string
}

// Viewer is one HTML file that shows a run: no network, nothing beside it. Its
// Content-Security-Policy names the hashes of the script and style it holds and
// allows nothing else.
func Viewer(p Page) ([]byte, error) {
	film, err := json.Marshal(p.Film)
	if err != nil {
		return nil, fmt.Errorf("encode film: %w", err)
	}
	settings, err := json.Marshal(map[string]string{"command": p.Command})
	if err != nil {
		return nil, fmt.Errorf("encode page: %w", err)
	}
	style := text("lab.css") + text("viewer.css") + fontFaces()
	script := text("words.js") + text("lab.js") + text("viewer.js")
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\" data-theme=\"light\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; font-src data:; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n", digest(style), digest(script))
	fmt.Fprintf(&b, "<link rel=\"icon\" href=\"data:,\">\n<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n", html.EscapeString(p.Title), style)
	b.WriteString(text("viewer.html"))
	fmt.Fprintf(&b, "<noscript><pre>%s\n%s</pre></noscript>\n", html.EscapeString(p.Text), html.EscapeString(p.Command))
	// json.Marshal escapes <, > and &, so that no datum can end the element.
	fmt.Fprintf(&b, "<script type=\"application/json\" id=\"film\">%s</script>\n<script type=\"application/json\" id=\"page\">%s</script>\n", film, settings)
	fmt.Fprintf(&b, "<script>%s</script>\n</body>\n</html>\n", script)
	return b.Bytes(), nil
}

// text is an embedded asset. They are part of the program: one that is missing
// is a fault of its build.
func text(name string) string {
	b, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// fontFaces declares the two fonts, their bytes inside.
func fontFaces() string {
	var b bytes.Buffer
	for _, f := range []struct{ family, file, weight string }{
		{"Inter Lab", "inter.woff2", "400 800"}, {"Mono Lab", "jetbrains-mono.woff2", "400"},
	} {
		raw, err := files.ReadFile("fonts/" + f.file)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "@font-face { font-family: %q; font-weight: %s; font-display: block; src: url(data:font/woff2;base64,%s) format(\"woff2\"); }\n",
			f.family, f.weight, base64.StdEncoding.EncodeToString(raw))
	}
	return b.String()
}

// digest is a source's hash as a Content-Security-Policy names it.
func digest(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Assets serves what the demo's page loads, under /assets/ and /fonts/.
func Assets() http.Handler { return http.FileServerFS(files) }

// Demo is the demo's page.
func Demo() []byte { return []byte(text("demo.html")) }

// Live is the page of a live stage.
func Live() []byte { return []byte(text("live.html")) }
