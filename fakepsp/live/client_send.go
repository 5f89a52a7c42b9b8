package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/pixlab/pixlab/pix"
)

// call sends in as JSON and reads the answer into out; either may be nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	return nil
}

// send is the exchange; any answer but 2xx is an error.
func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Content-Type", "application/json")
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, fmt.Errorf("%s %s: %w", method, path, problemOf(resp))
}

// problemOf is what a refusal says; its status is that of the answer.
func problemOf(resp *http.Response) pix.Problem {
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	problem := pix.Problem{Title: http.StatusText(resp.StatusCode)}
	if err == nil {
		if p, err := pix.ParseProblem(text); err == nil {
			problem = p
		}
	}
	problem.Status = resp.StatusCode
	return problem
}
