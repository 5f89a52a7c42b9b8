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

// withStatus is a problem under another status, with one more header.
func withStatus(reply Reply, status int, header, value string) Reply {
	p, err := pix.ParseProblem(reply.Body)
	if err != nil { // cannot happen: writeProblem made it
		return reply
	}
	p.Status = status
	out := writeProblem(p)
	out.Header.Set(header, value)
	return out
}
