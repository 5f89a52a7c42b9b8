package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
)

// The hosts of the simulated network.
const (
	hostPSP      = "psp.lab"
	hostReceiver = "receiver.lab"
	hostEndpoint = "%d.merchant.lab" // by the endpoint's number, from 1
)

// Errors of the simulated network.
var (
	errRefused = errors.New("connection refused")
	errCut     = errors.New("connection cut")
	errTimeout = errors.New("time-out")
)

// client sends an instance's calls. The actor parks before the call leaves and
// until its answer is there or its deadline has passed, so the other side acts
// and answers while the caller waits, or after it gave up.
type client struct{ inst *instance }

// Do sends one request.
func (c client) Do(req *http.Request) (*http.Response, error) {
	w, a := c.inst.w, c.inst.w.self()
	end := deadline(req.Context())
	a.calls++
	name := a.task.Name + "/call/" + strconv.Itoa(a.calls)
	subject := w.subjectOfPath(req.URL.Path)
	if key := req.Header.Get("Idempotency-Key"); subject == "" && key != "" {
		subject = w.subjects[key]
	}
	a.park(w.sched.Now(), subject, "call")
	if w.sched.Now() >= end {
		return nil, context.DeadlineExceeded
	}
	x := &exchange{}
	w.at(w.sched.Now(), name+"/arrive", subject, "arrive", func() { w.serveCall(x, a, name, subject, req) })
	a.park(end, subject, "answer")
	if !x.done {
		w.marks.reach(markTimeout)
		w.emit(a.task.Name, "call.timeout", req.Method+" "+req.URL.Path, "subject", subject)
		return nil, context.DeadlineExceeded
	}
	if x.err != nil {
		return nil, x.err
	}
	return x.response(req), nil
}

// exchange is one request on its way and what came back.
type exchange struct {
	done   bool
	status int
	header http.Header
	body   []byte
	err    error
}

func (x *exchange) response(req *http.Request) *http.Response {
	return &http.Response{
		StatusCode: x.status, Status: strconv.Itoa(x.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.header, Body: io.NopCloser(bytes.NewReader(x.body)), ContentLength: int64(len(x.body)), Request: req,
	}
}

// serveCall is the request's arrival at the other side: it acts now, and its
// answer sets out.
func (w *World) serveCall(x *exchange, a *actor, name, subject string, req *http.Request) {
	var after time.Duration
	w.calls++
	switch req.URL.Host {
	case hostPSP:
		reply := w.handle(req)
		w.scheduleCourier() // a call may give the PSP something to tell
		after = reply.After
		x.status, x.header, x.body = reply.Status, reply.Header, reply.Body
		if reply.Cut {
			x.err = errCut
		}
	default:
		e := w.endpointAt(req.URL.Host)
		if e == nil {
			x.err = fmt.Errorf("no host %q", req.URL.Host)
			break
		}
		after = e.serve(w, x, req)
	}
	w.at(w.sched.Now()+chaos.Span(after), name+"/answer", subject, "answer", func() {
		x.done = true
		w.sched.Rewake(a.task, w.sched.Now())
	})
}

// handle has the PSP answer, and shows the exchange to whoever watches.
func (w *World) handle(req *http.Request) fakepsp.Reply {
	if w.watch == nil {
		return w.psp.Handle(req)
	}
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			w.fail(err)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	reply := w.psp.Handle(req)
	w.watch(req, body, reply)
	return reply
}

// inbound is one request to the receiver from outside.
type inbound struct {
	name    string // unique, for the tasks
	subject string
	method  string
	path    string // path and query
	header  http.Header
	body    []byte
	timeout time.Duration
	// loseAnswer loses the answer on its way back.
	loseAnswer bool
	// bent marks what a receiver may refuse.
	bent bool
	// then is told the answer, or the error of the network.
	then func(status int, body []byte, err error)

	// answered is told what a handler answered, before the answer travels.
	answered func(inst *instance, status int)
	// logged is told all of it, in the same way.
	logged func(rec *recorder)

	settled  bool
	expiry   *chaos.Task
	troubles int // of the world, when the request arrived
}

// send puts a request on the wire: it arrives at one instance that is up, its
// handler runs as an actor of its own, and the answer travels back.
func (w *World) send(in *inbound) {
	in.expiry = w.at(w.sched.Now()+chaos.Span(in.timeout), in.name+"/timeout", in.subject, "timeout", func() {
		in.settle(w, 0, nil, errTimeout)
	})
	w.at(w.sched.Now()+w.travel(in.name), in.name+"/arrive", in.subject, "arrive", func() { w.arrive(in) })
}

// travel is how long a request to the receiver is on its way, by the plan: from
// half its mean to one and a half.
func (w *World) travel(name string) chaos.Instant {
	mean := chaos.MS(w.plan.Settings.WireMS)
	if mean == 0 {
		return 0
	}
	return mean/2 + chaos.Instant(w.balance.Mix(chaos.HashName(name), 1, 0)%uint64(mean))
}

// settle ends the exchange for the sender, once.
func (in *inbound) settle(w *World, status int, body []byte, err error) {
	if in.settled {
		return
	}
	in.settled = true
	w.sched.Remove(in.expiry)
	in.then(status, body, err)
}

func (w *World) arrive(in *inbound) {
	in.troubles = w.troubles
	w.calls++
	inst := w.pick(in.name)
	if inst == nil {
		w.emit("wire", "refused", "no instance is up", "to", in.path, "subject", in.subject)
		w.at(w.sched.Now(), in.name+"/answer", in.subject, "answer", func() { in.settle(w, 0, nil, errRefused) })
		return
	}
	req, err := serverRequest(in)
	if err != nil {
		in.settle(w, 0, nil, err)
		return
	}
	rec := &recorder{header: http.Header{}}
	name := inst.name + "/http/" + in.name
	w.emit(name, "http.arrive", in.method+" "+in.path, "subject", in.subject)
	w.spawn(inst, name, in.subject, func() { inst.handler.ServeHTTP(rec, req) }, func(killed bool) {
		err := error(nil)
		if killed {
			err = errCut
		}
		w.emit(name, "http.answer", answerText(rec, killed), "subject", in.subject)
		if in.answered != nil && !killed {
			in.answered(inst, rec.code())
		}
		if in.logged != nil && !killed {
			in.logged(rec)
		}
		if in.loseAnswer {
			return
		}
		w.at(w.sched.Now(), in.name+"/answer", in.subject, "answer", func() { in.settle(w, rec.code(), rec.body.Bytes(), err) })
	})
}

func answerText(rec *recorder, killed bool) string {
	if killed {
		return "cut: the instance died"
	}
	return strconv.Itoa(rec.code())
}

func serverRequest(in *inbound) (*http.Request, error) {
	u, err := url.ParseRequestURI(in.path)
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", in.path, err)
	}
	header := in.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Request{
		Method: in.method, URL: u, RequestURI: in.path, Host: hostReceiver, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(in.body)), ContentLength: int64(len(in.body)),
	}, nil
}

// recorder keeps what a handler writes.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}
