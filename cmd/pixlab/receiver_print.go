package main

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pixlab/pixlab/pix"
)

// printSettings writes what this process goes by as one line of JSON on standard
// error: every flag under its name, and of the secrets only which there are.
func (c *cli) printSettings(flags *pflag.FlagSet, s *receiverSettings, name string, callback []pix.Secret) error {
	told := map[string]any{"version": version(), "command": "receiver"}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			told[f.Name] = f.Value.String()
		}
	})
	told["name"], told["database-url"] = name, databaseName(s.databaseURL)
	ids := make([]string, len(callback))
	for i, secret := range callback {
		ids[i] = secret.ID
	}
	told["callback-secrets"] = ids
	told["client-secret"], told["endpoint-secret"] = s.secrets.client != "", s.secrets.endpoint != "" || s.secrets.endpoints != ""
	told["api-token"], told["admin-token"] = s.secrets.api != "", s.secrets.admin != ""
	told["api-tokens"] = s.secrets.apis != ""
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return write(c.err, append(text, '\n'))
}

// databaseName is where a database is, without who goes there and how.
func databaseName(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return ""
	case err != nil || !strings.HasPrefix(u.Scheme, "postgres"):
		return "given"
	}
	return u.Host + u.Path
}
