package pixlab_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryAlertHasItsLineInTheRunbook wants a line for each alert, with a command.
func TestEveryAlertHasItsLineInTheRunbook(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("docs", "runbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("deploy", "prometheus", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	alerts, rules := 0, ""
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rules += string(text)
		for _, alert := range alertNames(string(text)) {
			alerts++
			if !hasLine(string(page), alert) {
				t.Errorf("%s: docs/runbook.md has no line for %s with a command in it", name, alert)
			}
		}
	}
	known := alertNames(rules)
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "-") || strings.TrimSpace(cells[1]) == "alert" {
			continue
		}
		if name := strings.TrimSpace(cells[1]); !slices.Contains(known, name) {
			t.Errorf("docs/runbook.md has a line for %s, and no rule of deploy/prometheus raises it", name)
		}
	}
	if alerts == 0 {
		t.Error("deploy/prometheus has no alert")
	}
	if hasLine("| DeadLetter | means | |\n", "DeadLetter") || hasLine("| Other | means | `run` |\n", "DeadLetter") {
		t.Error("a line without a command, or of another alert, passes")
	}
}

// alertNames are the alerts that a rules file defines.
func alertNames(text string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^\s*- alert: (\w+)$`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// hasLine says whether the runbook has a line for an alert that names a command.
func hasLine(page, alert string) bool {
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) >= 4 && strings.TrimSpace(cells[1]) == alert {
			return strings.Contains(strings.Join(cells[3:], "|"), "`")
		}
	}
	return false
}
