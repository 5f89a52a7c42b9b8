package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Client speaks to a lab port. A refusal comes back as a [pix.Problem] in the
// error's chain, with the status of the answer.
type Client struct {
	// URL is the lab port's, such as "http://127.0.0.1:7071".
	URL string
	// Token is the lab's.
	Token string
	// HTTP sends the calls; nil is [http.DefaultClient].
	HTTP *http.Client
}

// Healthy is nil if the port answers.
func (c *Client) Healthy(ctx context.Context) error { return c.call(ctx, "GET", "/healthz", nil, nil) }

// Charge makes dynamic charges at the PSP, past the receiver.
func (c *Client) Charge(ctx context.Context, orders ...ChargeOrder) (out []Charged, err error) {
	err = c.call(ctx, "POST", "/lab/charges", orders, &out)
	return out, err
}

// Pay has payers send Pix, all at one instant. If one of them cannot be meant,
// or is known already, none is sent; see [Paid] for what came of each.
func (c *Client) Pay(ctx context.Context, orders ...PayOrder) (out []Paid, err error) {
	err = c.call(ctx, "POST", "/lab/payments", orders, &out)
	return out, err
}

// Refund has the bank's app make a refund.
func (c *Client) Refund(ctx context.Context, o RefundOrder) (out Refund, err error) {
	err = c.call(ctx, "POST", "/lab/refunds", o, &out)
	return out, err
}

// Report opens a MED case.
func (c *Client) Report(ctx context.Context, o DisputeOrder) (out Dispute, err error) {
	err = c.call(ctx, "POST", "/lab/disputes", o, &out)
	return out, err
}

// Apply applies a plan, whose zero is then. With makeCharges the lab makes the
// plan's dynamic charges at the PSP, and takes back those that are to be
// removed: for a receiver that nobody drives. Without, it makes only those that
// the plan has made elsewhere.
func (c *Client) Apply(ctx context.Context, plan *chaos.Plan, makeCharges bool) (out PlanState, err error) {
	path := "/lab/plan"
	if makeCharges {
		path += "?charges=" + chargesMake
	}
	err = c.call(ctx, "POST", path, json.RawMessage(plan.Encode()), &out)
	return out, err
}

// Plan is what became of the plan so far.
func (c *Client) Plan(ctx context.Context) (out PlanState, err error) {
	err = c.call(ctx, "GET", "/lab/plan", nil, &out)
	return out, err
}

// Heal ends all faults, and counts them.
func (c *Client) Heal(ctx context.Context) (out Faults, err error) {
	err = c.call(ctx, "POST", "/lab/heal", nil, &out)
	return out, err
}

// Truth is what settled.
func (c *Client) Truth(ctx context.Context) (out Truth, err error) {
	err = c.call(ctx, "GET", "/lab/truth", nil, &out)
	return out, err
}

// Statement lists all lines of the account statement, whatever the lag.
func (c *Client) Statement(ctx context.Context) ([]pix.StatementLine, error) {
	var page pix.StatementPage
	err := c.call(ctx, "GET", "/lab/statement", nil, &page)
	return page.Lines, err
}

// Check is whether the PSP agrees with itself.
func (c *Client) Check(ctx context.Context) (out Verdict, err error) {
	err = c.call(ctx, "GET", "/lab/check", nil, &out)
	return out, err
}

// Deliveries counts callbacks.
func (c *Client) Deliveries(ctx context.Context) (out Deliveries, err error) {
	err = c.call(ctx, "GET", "/lab/deliveries", nil, &out)
	return out, err
}

// Faults counts the plan's deviations.
func (c *Client) Faults(ctx context.Context) (out Faults, err error) {
	err = c.call(ctx, "GET", "/lab/faults", nil, &out)
	return out, err
}

// Acknowledged hands each callback that was answered 2xx to fn, in that order,
// until there is no more or fn errs.
func (c *Client) Acknowledged(ctx context.Context, fn func(Ack) error) error {
	resp, err := c.send(ctx, "GET", "/lab/deliveries/acknowledged", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for dec := json.NewDecoder(resp.Body); ; {
		var ack Ack
		switch err := dec.Decode(&ack); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read what was acknowledged: %w", err)
		}
		if err := fn(ack); err != nil {
			return err
		}
	}
}
