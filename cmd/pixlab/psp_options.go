package main

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
)

// check refuses flags that nothing could be made of.
func (f *pspFlags) check(cmd *cobra.Command) error {
	for name, kind := range map[string]string{"addr-file": "FILE", "plan": "FILE", "webhook": "URL"} {
		if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
			return usagef("--%s is empty; want --%s %s", name, name, kind)
		}
	}
	if err := errors.Join(pspAddress("--listen", f.listen), pspAddress("--lab-listen", f.labListen)); err != nil {
		return err
	}
	switch f.repeat {
	case fakepsp.RefundRepeatSame, fakepsp.RefundRepeatRefused, fakepsp.RefundRepeatConflict:
	default:
		return usagef("--refund-repeat is %q; want same, 400 or 409", f.repeat)
	}
	if f.makeCharges && f.plan == "" {
		return usagef("--make-charges stands without a plan; want --plan FILE beside it")
	}
	if u, err := url.Parse(f.webhook); f.webhook != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usagef("--webhook is %q; want a URL such as https://receiver.example/hook", f.webhook)
	}
	return nil
}

// pspAddress refuses what is no address to listen at.
func pspAddress(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return usagef("%s is %q; want HOST:PORT, such as 127.0.0.1:7070", flag, addr)
	}
	return nil
}

// options are all of the server's but its ports, its plan and its log.
func (f *pspFlags) options(getenv func(string) string) (live.Options, error) {
	o := live.Options{
		Retry: f.retry.RetryTable, CallbackTimeout: f.callbackTimeout.d, StatementLag: f.lag.d, TokenTTL: f.tokenTTL.d,
		RefundRepeat: f.repeat, Senders: f.senders.n, Grace: f.grace.d, WebhookURL: f.webhook, MakeCharges: f.makeCharges,
	}
	if o.CallbackTimeout == 0 {
		o.CallbackTimeout = o.Retry.Timeout
	}
	var err error
	if o.PixKeys, err = pspKeys(cmp.Or(f.pixKeys, getenv("PIXLAB_PIX_KEYS"))); err != nil {
		return o, err
	}
	if o.Secret, err = pspSecret(getenv); err != nil {
		return o, err
	}
	client := fakepsp.Client{ID: cmp.Or(f.clientID, getenv("PIXLAB_CLIENT_ID")), Secret: getenv("PIXLAB_CLIENT_SECRET")}
	switch {
	case client.ID == "":
		return o, unset("PIXLAB_CLIENT_ID", "the id there or by --client-id under which the receiver asks for access tokens")
	case client.Secret == "":
		return o, unset("PIXLAB_CLIENT_SECRET", "the secret that goes with the client's id")
	}
	o.Clients = []fakepsp.Client{client}
	o.LabToken = getenv("PIXLAB_LAB_TOKEN")
	switch {
	case o.LabToken == "":
		return o, unset("PIXLAB_LAB_TOKEN", "a text that nobody guesses, 16 characters or more")
	case len(o.LabToken) < 16:
		return o, usagef("PIXLAB_LAB_TOKEN has %d characters; want 16 or more", len(o.LabToken))
	}
	o.APITLS, o.CallbackTLS, err = f.tls.load()
	return o, err
}

func unset(name, want string) error { return usagef("%s is not set; want %s", name, want) }

func pspKeys(text string) ([]pix.PixKey, error) {
	const name = "PIXLAB_PIX_KEYS"
	if text == "" {
		return nil, unset(name, "the account's Pix keys there or by --pix-keys, with commas between them")
	}
	var keys []pix.PixKey
	for part := range strings.SplitSeq(text, ",") {
		key, err := pix.ParsePixKey(strings.TrimSpace(part))
		if err != nil {
			return nil, usagef("--pix-keys (%s): %s", name, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// pspSecret reads ID:BASE64. No message says anything of the key.
func pspSecret(getenv func(string) string) (pix.Secret, error) {
	const name = "PIXLAB_CALLBACK_SECRET"
	text := getenv(name)
	if text == "" {
		return pix.Secret{}, unset(name, "ID:BASE64, the key that signs callbacks, 16 bytes or more")
	}
	id, coded, _ := strings.Cut(text, ":")
	key, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		key, err = base64.RawURLEncoding.DecodeString(coded)
	}
	good := id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	if err != nil || !good || len(key) < 16 {
		return pix.Secret{}, usagef("%s is not ID:BASE64; want an id of letters, digits and ._- and a key of 16 bytes or more in base64", name)
	}
	return pix.Secret{ID: id, Key: key}, nil
}

// told is the configuration in words, without secrets.
func (f *pspFlags) told(o live.Options) string {
	keys := make([]string, len(o.PixKeys))
	for i, key := range o.PixKeys {
		keys[i] = string(key)
	}
	parts := []string{
		"keys " + strings.Join(keys, " "), "client " + o.Clients[0].ID, "callbacks signed with " + o.Secret.ID,
		"retries " + f.retry.String(), fmt.Sprintf("time-out %s", o.CallbackTimeout), fmt.Sprintf("statement lag %s", o.StatementLag),
		"TLS " + f.tls.told(),
	}
	if o.WebhookURL != "" {
		parts = append(parts, "webhook "+o.WebhookURL)
	}
	if o.Plan != nil {
		parts = append(parts, "plan "+o.Plan.Hash())
	}
	return strings.Join(parts, ", ")
}
