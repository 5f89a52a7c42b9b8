package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	"github.com/pixlab/pixlab/pix"
)

// receiverSecrets are what must not be seen: they are read from the environment
// and printed nowhere.
type receiverSecrets struct {
	callback, callbacks          string // id:base64; two or more with commas between
	client, endpoint, api, admin string
	endpoints                    string // NAME=id:base64, with commas between
	apis                         string // consumer:token, with commas between
}

func secretsFromEnvironment() receiverSecrets {
	return receiverSecrets{
		callback: os.Getenv("PIXLAB_CALLBACK_SECRET"), callbacks: os.Getenv("PIXLAB_CALLBACK_SECRETS"),
		client: os.Getenv("PIXLAB_CLIENT_SECRET"), endpoint: os.Getenv("PIXLAB_ENDPOINT_SECRET"),
		endpoints: os.Getenv("PIXLAB_ENDPOINT_SECRETS"),
		api:       os.Getenv("PIXLAB_API_TOKEN"), apis: os.Getenv("PIXLAB_API_TOKENS"), admin: os.Getenv("PIXLAB_ADMIN_TOKEN"),
	}
}

// callbackSecrets are the keys that verify callbacks: one, or two while one
// replaces the other.
func (s receiverSecrets) callbackSecrets() ([]pix.Secret, error) {
	var out []pix.Secret
	for text := range strings.SplitSeq(s.callback+","+s.callbacks, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		secret, err := parseSecret(text)
		if err != nil {
			return nil, usagef("PIXLAB_CALLBACK_SECRETS: secret %d: %v", len(out)+1, err)
		}
		for _, other := range out {
			if other.ID == secret.ID {
				return nil, usagef("PIXLAB_CALLBACK_SECRETS: the id %q is there twice; want another id for another key", secret.ID)
			}
		}
		out = append(out, secret)
	}
	switch {
	case len(out) == 0:
		return nil, usagef("PIXLAB_CALLBACK_SECRET is missing; want id:base64, the key that the PSP signs callbacks with")
	case len(out) > 2:
		return nil, usagef("PIXLAB_CALLBACK_SECRETS: %d secrets; want two at most", len(out))
	}
	return out, nil
}

// minSecret is the length of a key, in bytes.
const minSecret = 16

// parseSecret reads id:base64. Its errors do not repeat the key.
func parseSecret(text string) (pix.Secret, error) {
	id, encoded, ok := strings.Cut(text, ":")
	if !ok || id == "" || encoded == "" {
		return pix.Secret{}, fmt.Errorf("want id:base64")
	}
	if strings.IndexFunc(id, notKeyID) >= 0 || len(id) > 64 {
		return pix.Secret{}, fmt.Errorf("want an id of 1 to 64 letters, digits, dots, dashes and underscores")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		key, err = base64.RawURLEncoding.DecodeString(encoded)
	}
	if err != nil {
		return pix.Secret{}, fmt.Errorf("the key of %q is no base64", id)
	}
	if len(key) < minSecret {
		return pix.Secret{}, fmt.Errorf("the key of %q has %d bytes; want %d or more", id, len(key), minSecret)
	}
	return pix.Secret{ID: id, Key: key}, nil
}

func notKeyID(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
}

// token wants a bearer token that cannot be guessed.
func token(name, text, whatFor string) error {
	if len(text) < minSecret {
		return usagef("%s: %d characters; want %d or more, %s", name, len(text), minSecret, whatFor)
	}
	return nil
}
