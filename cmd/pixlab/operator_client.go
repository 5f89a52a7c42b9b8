package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/pix"
)

// operator is somebody at a running receiver's administrators' port.
type operator struct {
	c    *cli
	url  string
	name string
	note string
	json bool
}

// answerTimeout bounds one answer of the port.
const answerTimeout = time.Minute

// flags are those of every operator's command; decides says that the command
// changes something, which is recorded with a name and a note.
func (o *operator) flags(cmd *cobra.Command, decides bool) {
	url := os.Getenv("PIXLAB_ADMIN_URL")
	if url == "" {
		url = "http://127.0.0.1:8081"
	}
	f := cmd.Flags()
	f.StringVar(&o.url, "admin-url", url, "the receiver's administrators' port at `URL` (PIXLAB_ADMIN_URL); its token is PIXLAB_ADMIN_TOKEN")
	f.BoolVar(&o.json, "json", false, "print what the receiver answers, as JSON")
	if decides {
		f.StringVar(&o.name, "operator", os.Getenv("PIXLAB_OPERATOR"), "the `NAME` that the decision is recorded with (PIXLAB_OPERATOR)")
		f.StringVar(&o.note, "note", "", "why, in `WORDS`: recorded with the decision")
	}
}

// call asks the port, and gives the answer's status and body. An error names what
// is wrong in one line.
func (o *operator) call(ctx context.Context, method, path string, body any) (int, []byte, error) {
	token := os.Getenv("PIXLAB_ADMIN_TOKEN")
	if token == "" {
		return 0, nil, usagef("PIXLAB_ADMIN_TOKEN is missing; want the token that the receiver was started with")
	}
	if err := usableURL("--admin-url", o.url); err != nil {
		return 0, nil, err
	}
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(o.url, "/")+path, payload)
	if err != nil {
		return 0, nil, usagef("--admin-url: %v", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Timeout: answerTimeout}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, environmentError{"ask the receiver", err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, environmentError{"read the receiver's answer", err}
	}
	return resp.StatusCode, raw, refusedBy(resp.StatusCode, raw)
}

// refusedBy is the error that an answer is, nil if it is none: what was asked for
// wrongly is the asker's, the rest the environment's.
func refusedBy(status int, body []byte) error {
	if status < 400 {
		return nil
	}
	detail := fmt.Sprintf("it answered %d", status)
	if p, err := pix.ParseProblem(body); err == nil && p.Detail != "" {
		detail = p.Detail
	}
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict:
		return usagef("%s", detail)
	case http.StatusUnauthorized:
		return environmentError{"ask the receiver", errors.New("PIXLAB_ADMIN_TOKEN is not its token")}
	}
	return environmentError{"ask the receiver", errors.New(detail)}
}

// decision is the body of every operator's word.
func (o *operator) decision(more map[string]any) (map[string]any, error) {
	if o.name == "" || o.note == "" {
		return nil, usagef("want --operator (or PIXLAB_OPERATOR) and --note: the decision is recorded with both")
	}
	body := map[string]any{"operator": o.name, "note": o.note}
	maps.Copy(body, more)
	return body, nil
}

// decide carries a decision out and says so.
func (o *operator) decide(ctx context.Context, path, done string, more map[string]any) error {
	body, err := o.decision(more)
	if err != nil {
		return err
	}
	_, raw, err := o.call(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	if o.json {
		return write(o.c.out, raw)
	}
	return write(o.c.out, []byte(done+"\n"))
}

// show prints one thing: as it came, or member by member.
func (o *operator) show(ctx context.Context, path string, members ...string) error {
	_, raw, err := o.call(ctx, http.MethodGet, path, nil)
	if err != nil || o.json {
		return errors.Join(err, o.raw(raw, err))
	}
	var thing map[string]any
	if err := json.Unmarshal(raw, &thing); err != nil {
		return environmentError{"read the receiver's answer", err}
	}
	var b bytes.Buffer
	for _, name := range members {
		if v, is := thing[name]; is {
			fmt.Fprintf(&b, "%-12s %s\n", name, cellText(v))
		}
	}
	return write(o.c.out, b.Bytes())
}

func (o *operator) raw(body []byte, err error) error {
	if err != nil {
		return nil
	}
	return write(o.c.out, body)
}

// list prints all pages of a list, or with --json the one asked for, under its
// members' names.
func (o *operator) list(ctx context.Context, path, key string, members ...string) error {
	if o.json {
		_, raw, err := o.call(ctx, http.MethodGet, path, nil)
		return errors.Join(err, o.raw(raw, err))
	}
	rows := [][]string{members}
	for after := ""; ; {
		_, raw, err := o.call(ctx, http.MethodGet, path+after, nil)
		if err != nil {
			return err
		}
		var page map[string]any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&page); err != nil {
			return environmentError{"read the receiver's answer", err}
		}
		things, _ := page[key].([]any)
		for _, t := range things {
			thing, _ := t.(map[string]any)
			row := make([]string, len(members))
			for i, name := range members {
				row[i] = cellText(thing[name])
			}
			rows = append(rows, row)
		}
		next, more := page["next"]
		if !more {
			break
		}
		after = "&after=" + escaped(cellText(next))
	}
	if len(rows) == 1 {
		return write(o.c.out, []byte("none\n"))
	}
	return write(o.c.out, columns(rows))
}

// cellText is a value in a table.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, p := range v {
			parts[i] = cellText(p)
		}
		return strings.Join(parts, "; ")
	}
	return oneLine(fmt.Sprint(v))
}

// columns sets rows in columns as wide as their widest cell.
func columns(rows [][]string) []byte {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], len([]rune(cell)))
		}
	}
	var b bytes.Buffer
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(pad(cell, wide[i]+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.Bytes()
}
