package pixlab_test

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "put what the command prints today into README.md")

// TestGoldenReadme holds the README to what its first command prints, but for
// the time that this took and the version of the binary. After a change that is
// meant, "make golden" renews it.
func TestGoldenReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "go run ./cmd/pixlab run --seed 42"
	if !strings.Contains(string(text), command+"\n") {
		t.Fatalf("README.md does not say %q", command)
	}
	block := regexp.MustCompile("(?s)```text\nrun .*?\n```\n")
	shown := block.FindString(string(text))
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	var printed, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, complaint.String())
	}
	today := "```text\n" + printed.String() + "```\n"
	switch {
	case steady(shown) == steady(today):
	case *update && shown != "":
		if err := os.WriteFile("README.md", []byte(strings.Replace(string(text), shown, today, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		was, is := firstDifference(steady(shown), steady(today))
		t.Errorf("README.md shows %q where %q prints %q today; if that is meant, run\n  make golden", was, command, is)
	}
}

// firstDifference is the first line in which two texts differ.
func firstDifference(a, b string) (string, string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i], bs[i]
		}
	}
	return "", ""
}

// steady takes out what differs from machine to machine.
func steady(s string) string {
	s = regexp.MustCompile(`simulated in .*`).ReplaceAllString(s, "simulated in …")
	return regexp.MustCompile(`# pixlab [^,]*,`).ReplaceAllString(s, "# pixlab …,")
}
