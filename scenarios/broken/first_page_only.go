package broken

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// firstPageOnly takes a list's first page for the list.
func firstPageOnly() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "first-page-only", Invariant: "I2",
		Doc: "reads the first page of GET /pix and no other (and repairs nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			e.Config.HTTP = pageReader{e.Config.HTTP}
			return reference(e, overlay{Store: e.Store, repair: repairsNothing})
		},
	}
}

// pageReader tells its caller that every list has one page.
type pageReader struct{ next receiver.Doer }

// Do sends a request and cuts what the answer says of further pages.
func (p pageReader) Do(r *http.Request) (*http.Response, error) {
	resp, err := p.next.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.HasSuffix(r.URL.Path, "/v2/pix") {
		return resp, err
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var list map[string]json.RawMessage
	var params map[string]json.RawMessage
	var paging map[string]json.RawMessage
	if json.Unmarshal(raw, &list) == nil && json.Unmarshal(list["parametros"], &params) == nil && json.Unmarshal(params["paginacao"], &paging) == nil {
		paging["quantidadeDePaginas"] = json.RawMessage("1")
		for _, part := range []struct {
			of   map[string]json.RawMessage
			name string
			what any
		}{{params, "paginacao", paging}, {list, "parametros", params}} {
			if part.of[part.name], err = json.Marshal(part.what); err != nil {
				return nil, err
			}
		}
		if raw, err = json.Marshal(list); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return resp, nil
}
