package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
)

func TestError(t *testing.T) {
	tests := []struct {
		err  fault.Error
		want string
	}{
		{fault.Error{Stage: fault.Text, File: "symbol.json", Line: 3, Column: 7, Node: -1, Msg: "no colon", Want: ":"},
			"symbol.json:3:7: no colon; want :"},
		{fault.Error{Stage: fault.Text, Line: 3, Column: 7, Node: -1, Part: "heads", Msg: "the key is missing"},
			"3:7: heads: the key is missing"},
		{fault.Error{Stage: fault.Params, File: "params", Offset: 16, Node: -1, Part: "w", Msg: "wrong magic"},
			"params:offset 16: w: wrong magic"},
		{fault.Error{Stage: fault.Params, Node: -1, Msg: "wrong magic"}, "offset 0: wrong magic"},
		{fault.Error{Stage: fault.Params, File: "net.json", Offset: -1, Node: -1, Msg: "no parameters"}, "net.json: no parameters"},
		{fault.Error{Stage: fault.Params, Node: 2, Name: "w", Msg: "no such parameter"}, `params: node 2 "w": no such parameter`},
		{fault.Error{Stage: fault.Shape, Node: 0, Name: "a", Operator: "conv2d_3", Part: "kernel", Msg: "rank 3", Want: "rank 4"},
			`shape: node 0 "a" (conv2d_3): kernel: rank 3; want rank 4`},
		{fault.Error{Stage: fault.Run, File: "m", Node: -1, Err: context.Canceled}, "m: context canceled"},
		{fault.Error{Stage: fault.Graph, Node: -1, Want: "a version"}, "graph: want a version"},
		{fault.Error{Stage: fault.Graph, Node: 1, Name: "a\nb", Part: "\x1b", Msg: "x\ny"}, `graph: node 1 "a\nb": \x1b: x\ny`},
		{fault.Error{Stage: fault.Graph, Node: -1, Part: strings.Repeat("é", 100), Msg: "x"}, "graph: " + strings.Repeat("é", 40) + "…: x"},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestLong shortens texts of the model in messages.
func TestLong(t *testing.T) {
	if e := fault.Logicf(fault.Graph, "%s and %q", "a", strings.Repeat("x", 1000)); e.Msg != `a and "`+strings.Repeat("x", 80)+`…"` {
		t.Errorf("the message is %s", e.Msg)
	}
}

func TestUnwrap(t *testing.T) {
	e := fault.Runtimef(fault.Run, "stopped")
	e.Err = context.DeadlineExceeded
	if !errors.Is(fmt.Errorf("outer: %w", e), context.DeadlineExceeded) {
		t.Error("the cause is lost")
	}
	if !strings.HasSuffix(e.Error(), ": stopped: context deadline exceeded") {
		t.Error(e)
	}
}

func TestClass(t *testing.T) {
	for _, test := range []struct {
		err  error
		want fault.Class
		name string
	}{
		{nil, fault.OK, "ok"},
		{fault.Logicf(fault.Shape, "rank %d", 3), fault.Logic, "logic"},
		{fault.Runtimef(fault.Text, "no text"), fault.Runtime, "runtime"},
		{fmt.Errorf("outer: %w", fault.Logicf(fault.Graph, "x")), fault.Logic, "logic"},
		{errors.New("other"), fault.Runtime, "runtime"},
	} {
		if got := fault.ClassOf(test.err); got != test.want || got.String() != test.name {
			t.Errorf("ClassOf(%v) = %v, want %v", test.err, got, test.want)
		}
	}
	if e := fault.New(fault.Logic, fault.Graph, "x"); e.Node != -1 {
		t.Errorf("a new error has node %d", e.Node)
	}
}
