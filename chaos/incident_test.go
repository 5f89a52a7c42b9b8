package chaos

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func incidentLine(pix, clock string, attempt int, answer string) string {
	return fmt.Sprintf(`{"endToEndId":"E99999008202603101403abcdefghij%s","time":"2026-03-10T%sZ","attempt":%d,"answer":%s}`+"\n", pix, clock, attempt, answer)
}

func TestIncidentBecomesDeviations(t *testing.T) {
	t.Parallel()
	log := incidentLine("1", "14:03:00", 1, `"timeout"`) + incidentLine("1", "14:08:10", 2, "500") + "\n" +
		incidentLine("2", "14:03:01", 1, "401") + incidentLine("2", "14:08:01", 2, "200") +
		incidentLine("3", "14:03:02", 1, "200") + incidentLine("3", "14:03:03", 1, "200")
	p, err := ReadIncident(strings.NewReader(log), 9)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Payments) != 3 || len(p.Charges) != 3 || p.Seed != 9 || p.Profile != IncidentProfile {
		t.Errorf("%d payments, %d charges, seed %d, profile %s", len(p.Payments), len(p.Charges), p.Seed, p.Profile)
	}
	text := explain(p)
	for _, want := range []string{
		"ack_lost: attempt 1 of the callback loses its answer",
		"forged: attempt 1 of the callback has a bad signature",
		"duplicate: copy 1 of the callback comes 1s after the first",
		"store_down: store from 02:08:09.500 to 02:08:10.500 refuses everything",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan lacks %q:\n%s", want, text)
		}
	}
	again, err := ReadPlan(bytes.NewReader(p.Encode()))
	if err != nil || again.Hash() != p.Hash() {
		t.Errorf("the plan comes back as another one: %v", err)
	}
}

func TestIncidentRefusals(t *testing.T) {
	t.Parallel()
	for says, log := range map[string]string{
		"incident is empty":    "\n",
		"line 1: ":             "no JSON",
		`line 2: endToEndId`:   incidentLine("1", "14:03:00", 1, "200") + `{"endToEndId":"E1","time":"2026-03-10T14:00:00Z","attempt":1,"answer":200}`,
		"attempt is 0":         incidentLine("1", "14:03:00", 0, "200"),
		"attempt 2 of":         incidentLine("1", "14:03:00", 2, "200"),
		`answer is "99"`:       incidentLine("1", "14:03:00", 1, "99"),
		"unknown field":        `{"e2e":"x"}`,
		"time is missing":      `{"endToEndId":"E99999008202603101403abcdefghij1","attempt":1,"answer":200}`,
		`valor is "ten reais"`: `{"endToEndId":"E99999008202603101403abcdefghij1","time":"2026-03-10T14:00:00Z","attempt":1,"answer":200,"valor":"ten reais"}`,
	} {
		_, err := ReadIncident(strings.NewReader(log), 1)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line that says %q", err, says)
		}
	}
}
