package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Instance is one receiver of a stage.
type Instance struct {
	Up    bool
	PID   int // of the life that goes on
	Lives int // so far
	// Died is how it ended although nobody had killed it, "" if it did not.
	Died string
}

// Instances are the receivers as they stand, 1 first.
func (s *Stage) Instances() []Instance {
	out := make([]Instance, 0, len(s.house.receiver))
	for _, m := range s.house.receiver {
		c := m.running()
		m.mu.Lock()
		x := Instance{Up: c != nil, Lives: m.lives, Died: m.died}
		m.mu.Unlock()
		if c != nil {
			x.PID = c.cmd.Process.Pid
		}
		out = append(out, x)
	}
	return out
}

// DatabaseUp says whether nobody has stopped the database.
func (s *Stage) DatabaseUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.down
}

// CanStopDatabase says whether the server is ours to stop.
func (s *Stage) CanStopDatabase() bool { return !s.house.db.cluster.Given() }

// Booked is one line of the ledger on the account that has to agree with the
// statement.
type Booked struct {
	Transaction int64
	EndToEndID  pix.EndToEndID
	Cents       int64
}

// Ledger reads those lines of transactions after a number, in their order.
// Numbers are handed out before transactions commit, so that a lower one may
// show up after a higher one.
func (s *Stage) Ledger(ctx context.Context, after int64) ([]Booked, error) {
	return query(ctx, s.house.db, `SELECT transaction_id, end_to_end_id, cents FROM ledger_entry
WHERE transaction_id > $1 AND account = $2 ORDER BY transaction_id, position`,
		func(rows pgx.Rows) (b Booked, err error) {
			return b, rows.Scan(&b.Transaction, &b.EndToEndID, &b.Cents)
		},
		after, string(receiver.AccountSettlement))
}

// Inbox counts the events that are stored.
func (s *Stage) Inbox(ctx context.Context) (int64, error) {
	n, err := query(ctx, s.house.db, `SELECT count(*) FROM inbox_event`, func(rows pgx.Rows) (n int64, err error) { return n, rows.Scan(&n) })
	if err != nil || len(n) == 0 {
		return 0, err
	}
	return n[0], nil
}

// Statement lists all lines of the account statement.
func (s *Stage) Statement(ctx context.Context) ([]pix.StatementLine, error) {
	return s.psp.Statement(ctx)
}

// Gauges reads the metrics of the first receiver that answers: its own, and
// those that it asks of the store which it shares with the other. A metric with
// labels is left out.
func (s *Stage) Gauges(ctx context.Context) (map[string]float64, error) {
	err := fmt.Errorf("no receiver is up")
	for _, m := range s.house.receiver {
		if m.running() == nil {
			continue
		}
		m.mu.Lock()
		url := m.url.Admin
		m.mu.Unlock()
		var out map[string]float64
		if out, err = s.scrape(ctx, url); err == nil {
			return out, nil
		}
	}
	return nil, err
}

func (s *Stage) scrape(ctx context.Context, admin string) (map[string]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.house.admin)
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", admin, resp.Status)
	}
	return readGauges(resp.Body)
}

// readGauges reads the lines of Prometheus' text that have no labels.
func readGauges(r io.Reader) (map[string]float64, error) {
	out := map[string]float64{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.ContainsAny(name, "#{") {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("read the metric %s: %w", name, err)
		}
		out[name] = v
	}
	return out, lines.Err()
}
