package scenarios

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/receiver"
)

// sayKey adds what became of the request's key, if it had one.
func sayKey(what string, o receiver.KeyOutcome) string {
	if o.Result == "" {
		return what
	}
	return what + " key=" + string(o.Result)
}

func (s *simStore) FindKeys(ctx context.Context, in []receiver.KeyRef) ([]*receiver.Key, error) {
	return batch(s, "FindKeys", in,
		func(k receiver.KeyRef) string { return s.id(k.Key) },
		func(k *receiver.Key) string { return "found=" + sayBool(k != nil) },
		func() ([]*receiver.Key, error) { return s.inner.FindKeys(ctx, in) })
}

func (s *simStore) ReleaseKeys(ctx context.Context, in []receiver.KeyHold) ([]bool, error) {
	return batch(s, "ReleaseKeys", in,
		func(h receiver.KeyHold) string { return s.id(h.Ref.Key) }, sayBool,
		func() ([]bool, error) { return s.inner.ReleaseKeys(ctx, in) })
}

func (s *simStore) PurgeKeys(ctx context.Context, in receiver.KeyPurge) (int, error) {
	n := 0
	err := s.run("PurgeKeys", 0, nil, func() (string, error) {
		var err error
		n, err = s.inner.PurgeKeys(ctx, in)
		return strconv.Itoa(n), err
	})
	return n, err
}
