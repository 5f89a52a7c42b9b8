package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/pixlab/pixlab/demo"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/film"
	"github.com/pixlab/pixlab/web"
)

// writeScenes puts the talk into a folder: each scene's plan, and a page for
// each of its two receivers.
func (c *cli) writeScenes(dir string) error {
	scenes, err := demo.Scenes()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--html %s: %s; want a folder that can be written", dir, reason(err))
	}
	for i, s := range scenes {
		left, err := c.receiverNamed(s.Receiver)
		if err != nil {
			return err
		}
		for _, r := range []scenarios.Receiver{left, scenarios.Reference()} {
			if err := c.writeScene(dir, i+1, s, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeScene writes a scene's plan and its run on one receiver.
func (c *cli) writeScene(dir string, n int, s demo.Scene, r scenarios.Receiver) error {
	plan, err := s.Read()
	if err != nil {
		return err
	}
	f, report, err := film.Take(plan, scenarios.Options{Receiver: &r})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d-%s", n, s.ID)
	command := "pixlab run --plan " + name + ".json --receiver " + r.Name
	html, err := web.Viewer(web.Page{
		Film: f.Slim(), Command: command, Title: s.Title.English + " · " + r.Name,
		Text: s.Line.English + "\n" + string(report.Verdict) + " " + report.Hash,
	})
	if err != nil {
		return err
	}
	for file, content := range map[string][]byte{name + ".json": plan.Encode(), name + "-" + r.Name + ".html": html} {
		if err := writeWhole(filepath.Join(dir, file), content); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, "%s  %s\n", filepath.Join(dir, name+"-"+r.Name+".html"), report.Verdict)
	return nil
}

func writeWhole(name string, content []byte) error {
	f, err := createFile("--html", name)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		f.abandon()
		return err
	}
	return f.finish()
}

// openBrowser shows an address where there is a screen to show it on, and says
// whether it tried.
func openBrowser(address string) bool {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return false
		}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return false
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			return // no browser took it; the address stands in the terminal
		}
	}()
	return true
}
