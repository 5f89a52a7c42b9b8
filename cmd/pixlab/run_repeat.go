package main

import (
	"strings"
)

// repeat is the command that runs the same again, with what it was run by and
// came to behind a "#", so that the whole line can be given to a shell.
func (r *finished) repeat() string {
	words := append([]string{"pixlab", "run"}, r.source.args...)
	if r.live {
		words = append(words, "--mode", modeLive)
	}
	words = append(words, "--receiver", r.receiver)
	words = append(words, r.again...)
	for i, w := range words {
		words[i] = shellWord(w)
	}
	line := strings.Join(words, " ") + "   # pixlab " + version() + ", " + r.hashOrNone()
	if r.kept != "" {
		line += ", plan " + r.kept
	}
	return line
}

// shellWord quotes a word where a shell would not take it as it stands.
func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_./:,+=@%", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
