package tract

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestTractConstantsAreBounded makes constants in a document that has made as many as are allowed but three elements.
func TestTractConstantsAreBounded(t *testing.T) {
	l := &Lowering{Emitter: &emit.Emitter{Target: graph.NewBuilder(op.Rules, "g")}, Folding: &Folding{made: limits.TractMade - 3}}
	if v := l.constant([]eval.Value{int64(1), int64(2), int64(3)}, tensor.Int64, tensor.Shape{3}); v == nil || l.Err != nil {
		t.Fatalf("the last elements that are allowed: %v", l.Err)
	}
	var wrong *eval.Error
	if v := l.constant([]eval.Value{1}, tensor.Int64, tensor.Shape{1}); v != nil || !errors.As(l.Err, &wrong) || wrong.Code != eval.CodeLimit {
		t.Errorf("one element more: %v", l.Err)
	}
}

// TestTractWorkIsBounded computes a value in a document that has done as much work as is allowed but for this, and one operation more.
func TestTractWorkIsBounded(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "g")
	x, err := tensor.FromSlice([]float32{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	k, err := b.Constant("k", "", x)
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.One("neg", []*graph.Value{k}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []int64{-1, 0} {
		budget := foldBudget
		budget.Operations = 2 + more // what others have left
		if got, err := op.NewFolder(budget).Constant(v); (got != nil) != (more == 0) || (err == nil) != (more == 0) {
			t.Errorf("with %d operations the value is %v, %v", budget.Operations, got, err)
		}
		l := &Lowering{Emitter: &emit.Emitter{}, Folding: &Folding{Folder: op.NewFolder(budget)}, c: &eval.Invocation{Op: &eval.Operation{Name: "f"}}}
		if list := l.elements("k", v); len(list) != int(2+2*more) || more < 0 && !strings.Contains(fmt.Sprint(l.Err), "must be known before the model runs: ") {
			t.Errorf("with %d operations the elements are %v, %v", budget.Operations, list, l.Err)
		}
	}
	if foldBudget.Operations != limits.TractFoldWork || foldBudget.Bytes != limits.TractFoldWork {
		t.Errorf("a document may spend %+v", foldBudget)
	}
}
