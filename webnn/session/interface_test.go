package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// TestInterface calls every operation that the standard declares, without arguments: a host has it, and returns promises where the standard does.
func TestInterface(t *testing.T) {
	objects := map[string]string{"ML": "ml", "MLContext": "context", "MLGraphBuilder": "builder", "MLGraph": "graph", "MLTensor": "tensor"}
	h := newHost(t)
	run(t, h, first, nil)
	run(t, h, `{"on":"context","call":"createTensor","args":[{"dataType":"float32","shape":[2,2]}],"id":"tensor"}`, nil)
	for _, i := range idl.WebNN.Interfaces {
		for _, o := range i.Operations {
			call := fmt.Sprintf(`{"on":%q,"call":%q}`, objects[i.Name], o.Name)
			if o.Name == "constructor" {
				call = fmt.Sprintf(`{"on":null,"call":%q}`, i.Name)
			}
			r := run(t, h, call, nil)[0]
			if r.Async != (o.Result.Name == "Promise") || r.Error != nil && strings.Contains(r.Error.Message, "there is no ") {
				t.Errorf("%s.%s: a promise: %v; %+v", i.Name, o.Name, r.Async, r.Error)
			}
		}
	}
}
