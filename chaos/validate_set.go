package chaos

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// membersAt are the members of set that can do something at a target, by their
// names in a plan.
func membersAt(t Target) []string {
	switch {
	case t.Callback != nil:
		return []string{"delay_ms", "behind", "copy_after_ms", "at_ms", "frozen", "drop", "ack_lost", "signature", "say_cents",
			"say_end_to_end_id", "say_txid", "say_refund_cents", "say_refund_id", "shape", "with"}
	case t.API != nil:
		return append(callMembers(), "hide_ms", "reject_ms", "return_ms", "return_cents")
	case t.Command != nil:
		return []string{"crash", "restart_ms", "lose_commit"}
	case t.Window != nil:
		return membersThrough(t.Window.Place)
	case t.Request != "":
		return []string{"again_after_ms", "altered_after_ms", "ack_lost"}
	}
	return []string{"pay_cents", "pay_at_ms", "remove_at_ms", "pay_charge", "lax"}
}

// callMembers are those of any call of the PSP's API.
func callMembers() []string { return []string{"slow_ms", "status", "status_after", "cut"} }

// membersThrough are those of a window.
func membersThrough(place string) []string {
	switch place {
	case PlacePSP:
		return append(callMembers(), "down", "hide_ms", "lag_ms", "shift") // of every route
	case PlaceList:
		return append(callMembers(), "down", "lag_ms", "shift")
	case PlaceStatement:
		return append(callMembers(), "down", "lag_ms")
	case PlaceToken:
		return append(callMembers(), "down", "revoked")
	case PlaceWebhook:
		return []string{"removed"}
	case PlaceStore:
		return []string{"down"}
	}
	switch {
	case slices.Contains(endpointPlaces(), place):
		return []string{"down", "slow_ms", "status"}
	case strings.HasSuffix(place, "/"+PlaceClock):
		return []string{"skew_ms"}
	}
	return []string{"pause_ms"}
}

// belongs refuses a change that can do nothing where it is to strike, and an
// answer that would be no failure.
func belongs(who string, d *Deviation) error {
	known := membersAt(d.Target)
	set := reflect.ValueOf(d.Set)
	for i := range set.NumField() {
		name, _, _ := strings.Cut(set.Type().Field(i).Tag.Get("json"), ",")
		if !set.Field(i).IsZero() && !slices.Contains(known, name) {
			return fmt.Errorf("%s: set has %s, which does nothing there; want one of %s", who, name, strings.Join(known, ", "))
		}
	}
	for _, s := range []struct {
		name string
		code int
	}{{"status", d.Set.Status}, {"status_after", d.Set.StatusAfter}} {
		if s.code != 0 && (s.code < 400 || s.code > 599) {
			return fmt.Errorf("%s: %s is %d, which is no failure; want one from 400 to 599, such as 503", who, s.name, s.code)
		}
	}
	return nil
}

// commands are the store commands that can be struck.
func commands() []string {
	return []string{CommandCreateCharges, CommandRecordCalls, CommandAppendInbox, CommandClaimEvents, CommandApplyEvents,
		CommandLeaseOutbox, CommandMatchStatement, CommandReserveRefunds, CommandRecordRefunds, CommandLeaseRefunds,
		CommandReservePayouts, CommandRecordPayouts, CommandLeasePayouts, CommandBeginDuty, CommandSaveDuty}
}
