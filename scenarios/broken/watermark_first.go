package broken

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// watermarkFirst remembers how far it has read before it has stored what it
// read. A sweep that dies in between is never repeated.
func watermarkFirst() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "watermark-first", Invariant: "I2",
		Doc: "moves the sweep's watermark before the page is stored (overlaps by five minutes, and repairs nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			e.Config.Overlap = 5 * time.Minute
			o := overlay{Store: e.Store, repair: repairsNothing}
			o.begin = func(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
				d, ok, err := e.Store.BeginDuty(ctx, in)
				if err != nil || !ok || in.Name != receiver.DutySweep {
					return d, ok, err
				}
				moved := d
				moved.Watermark = in.Now
				_, err = e.Store.SaveDuty(ctx, moved, false)
				return d, ok, err
			}
			return reference(e, o)
		},
	}
}
