package chaos

import "fmt"

// place is a target in words.
func place(t Target) string {
	switch {
	case t.Callback != nil:
		return callbackPlace(*t.Callback)
	case t.API != nil:
		return fmt.Sprintf("call %d of %s about %s", t.API.Nth, t.API.Route, t.API.Subject)
	case t.Command != nil:
		c := t.Command
		return fmt.Sprintf("%s execution %d of %s with %s, instance %s:", c.Edge, c.Nth, c.Command, c.Subject, c.Instance)
	case t.Window != nil:
		return fmt.Sprintf("%s from %s to %s", t.Window.Place, clock(t.Window.FromMS), clock(t.Window.ToMS))
	case t.Request != "":
		return "the request for " + t.Request
	}
	return "the payer"
}

// sameNotice says whether both strike the callback of the same notice, or both none.
func sameNotice(a, b Target) bool {
	if a.Callback == nil || b.Callback == nil {
		return a.Callback == b.Callback
	}
	return a.Callback.Notice == b.Callback.Notice
}

// ofNotice says whose callback it is, where it is not the payment's own.
func ofNotice(a *CallbackAddress) string {
	if a.Notice == NoticeCredit {
		return ""
	}
	return " of callback " + a.Notice
}

func callbackPlace(a CallbackAddress) string {
	name := "the callback"
	if a.Notice != NoticeCredit {
		name = "callback " + a.Notice
	}
	switch {
	case extraNotice(a.Notice):
		return "an extra callback"
	case a.Copy > 0:
		return fmt.Sprintf("copy %d of %s", a.Copy, name)
	}
	return fmt.Sprintf("attempt %d of %s", a.Attempt, name)
}
