package main

import (
	"slices"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// named splits NAME=VALUE,NAME=VALUE in the order given.
func named(what, text string) (names []string, values map[string]string, err error) {
	values = map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" || value == "" || strings.IndexFunc(name, notKeyID) >= 0 {
			return nil, nil, usagef("%s: want NAME=VALUE with commas between; a name has letters, digits, dots, dashes and underscores", what)
		}
		if values[name] != "" {
			return nil, nil, usagef("%s: %q is there twice", what, name)
		}
		names, values[name] = append(names, name), value
	}
	return names, values, nil
}

// endpoints are where the merchant hears of what was booked: --endpoint-url under
// the default name, and those of --endpoints.
func (s *receiverSettings) endpoints() ([]receiver.Endpoint, error) {
	names, urls, err := named("--endpoints", s.moreEndpoints)
	if err != nil {
		return nil, err
	}
	_, secrets, err := named("PIXLAB_ENDPOINT_SECRETS", s.secrets.endpoints)
	if err != nil {
		return nil, err
	}
	if s.endpointURL != "" {
		if urls[receiver.DefaultEndpoint] != "" {
			return nil, usagef("--endpoints: %q is that of --endpoint-url", receiver.DefaultEndpoint)
		}
		names = append([]string{receiver.DefaultEndpoint}, names...)
		urls[receiver.DefaultEndpoint], secrets[receiver.DefaultEndpoint] = s.endpointURL, s.secrets.endpoint
	}
	off := strings.FieldsFunc(s.endpointsOff, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range off {
		if urls[name] == "" {
			return nil, usagef("--endpoints-off names %q, which is no endpoint", name)
		}
	}
	out := make([]receiver.Endpoint, len(names))
	for i, name := range names {
		secret, err := endpointSecret(name, secrets[name])
		if err != nil {
			return nil, err
		}
		if err := usableURL("--endpoints: "+name, urls[name]); err != nil {
			return nil, err
		}
		out[i] = receiver.Endpoint{Name: name, URL: urls[name], Secret: secret, Disabled: slices.Contains(off, name)}
	}
	return out, nil
}

func endpointSecret(name, text string) (pix.Secret, error) {
	from := "PIXLAB_ENDPOINT_SECRETS"
	if name == receiver.DefaultEndpoint {
		from = "PIXLAB_ENDPOINT_SECRET"
	}
	if text == "" {
		return pix.Secret{}, usagef("endpoint %q needs a secret in %s, the key that signs what is sent there", name, from)
	}
	secret, err := parseSecret(text)
	if err != nil {
		return pix.Secret{}, usagef("%s: %s: %v", from, name, err)
	}
	return secret, nil
}

// rules are what the store goes by.
func (s *receiverSettings) rules() (receiver.Rules, error) {
	keys, err := s.keys()
	if err != nil {
		return receiver.Rules{}, err
	}
	endpoints, err := s.endpoints()
	if err != nil {
		return receiver.Rules{}, err
	}
	r := receiver.Rules{Keys: keys}
	for _, e := range endpoints {
		r.Endpoints = append(r.Endpoints, e.Name)
	}
	return r, nil
}
