package fakepsp

import (
	"encoding/json"
	"net/http"

	"github.com/pixlab/pixlab/pix"
)

// problem writes an error of the standard.
func problem(kind pix.ProblemKind, detail string, v ...pix.Violation) Reply {
	return writeProblem(pix.NewProblem(kind, detail, v...))
}

// statusProblem writes the error for a bare status. One that the standard does
// not know has the type about:blank (RFC 7807, 4.2).
func statusProblem(status int, detail string) Reply {
	known := [...]pix.ProblemKind{
		pix.ProblemInvalidRequest, pix.ProblemForbidden, pix.ProblemNotFound, pix.ProblemGone,
		pix.ProblemInternal, pix.ProblemUnavailable, pix.ProblemTimeout,
	}
	for _, kind := range known {
		if kind.Status() == status {
			return problem(kind, detail)
		}
	}
	return writeProblem(pix.Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail,
	})
}

func writeProblem(p pix.Problem) Reply {
	body, err := json.Marshal(p)
	if err != nil { // cannot happen: a problem is strings and a number
		body = []byte("{}")
	}
	return Reply{Status: p.Status, Header: contentType("application/problem+json"), Body: body}
}

// notAllowed is the 405 of a path that is offered under other methods.
func notAllowed(c *call) Reply {
	p := pix.NewProblem(pix.ProblemInvalidRequest, c.request.Method+" is not offered here")
	p.Status = http.StatusMethodNotAllowed
	reply := writeProblem(p)
	reply.Header.Set("Allow", c.allow)
	return reply
}
