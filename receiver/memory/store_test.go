package memory_test

import (
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/receiver/storetest"
)

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(_ *testing.T, rules receiver.Rules, now func() time.Time) receiver.Store {
		return memory.New(memory.Config{Rules: rules, Now: now})
	})
}
