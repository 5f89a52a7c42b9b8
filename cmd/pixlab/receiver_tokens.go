package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// How long answers under idempotency keys may be kept.
const (
	minKeyTTL = 24 * time.Hour
	maxKeyTTL = 72 * time.Hour
)

// consumerTokens are the bearer tokens of PIXLAB_API_TOKENS, by consumer:
// consumer:token, with commas between. Its errors do not repeat a token.
func (s receiverSecrets) consumerTokens() (map[string]string, error) {
	tokens := map[string]string{}
	for text := range strings.SplitSeq(s.apis, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		name, shown, ok := strings.Cut(text, ":")
		switch {
		case !ok || name == "" || len(name) > 64 || strings.IndexFunc(name, notKeyID) >= 0:
			return nil, usagef("PIXLAB_API_TOKENS: consumer %d: want consumer:token, the name 1 to 64 letters, digits, dots, dashes and underscores", len(tokens)+1)
		case tokens[name] != "":
			return nil, usagef("PIXLAB_API_TOKENS: consumer %q is there twice; want one token for each", name)
		}
		if err := token("PIXLAB_API_TOKENS", shown, "for consumer "+name); err != nil {
			return nil, err
		}
		tokens[name] = shown
	}
	return tokens, nil
}

// validateConsumers wants at least one consumer, unless everybody is let in, and
// answers that are kept for a day to three.
func (s *receiverSettings) validateConsumers() error {
	tokens, err := s.secrets.consumerTokens()
	switch {
	case err != nil:
		return err
	case s.keyTTL < minKeyTTL || s.keyTTL > maxKeyTTL:
		return usagef("--key-ttl is %s; want %s to %s", s.keyTTL, minKeyTTL, maxKeyTTL)
	case s.openAPI || len(tokens) > 0 && s.secrets.api == "":
		return nil
	case tokens[s.consumer] != "":
		return usagef("consumer %q has a token in PIXLAB_API_TOKENS and one in PIXLAB_API_TOKEN; want one", s.consumer)
	}
	return token("PIXLAB_API_TOKEN", s.secrets.api, "or --open-api to let everybody in")
}

// fits has the receiver look at its configuration before anything is said or
// opened: times that do not go together, consumers that cannot be told apart.
func (s *receiverSettings) fits(own receiver.Config, tokens map[string]string) error {
	own.Open, own.Consumers = s.openAPI, map[string]receiver.TokenDigest{}
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		own.Consumers[name] = receiver.DigestToken(tokens[name])
	}
	if s.secrets.api != "" {
		own.Consumers[s.consumer] = receiver.DigestToken(s.secrets.api)
	}
	if err := own.Validate(); err != nil {
		return usagef("%v", err)
	}
	return nil
}
