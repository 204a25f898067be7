package wasm

import (
	"errors"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
)

// Evaluation makes a module whose run computes a call by the operator's reference, for [op.Evaluate] of programs that have no references themselves. All
// tensors of the call are in the Weights; after the run those of Out lie where Outputs says, in their order.
func Evaluation(d *op.Def, c *op.Call, pieces int) (*Module, error) {
	if d == nil || c == nil || d.Ref.By >= len(c.In) {
		return nil, errors.New("there is no call of an operator: it is nil, or has no operand to choose a function by")
	}
	if d.Ref.By >= 0 && c.In[d.Ref.By] == nil || slices.Contains(c.Out, nil) {
		return nil, errors.New("there is no call of an operator: a result, or the operand to choose a function by, is nil")
	}
	m, err := newMaker(&engine.Image{}, newWeights(), Options{})
	if err != nil {
		return nil, err
	}
	m.stack = m.o.AddData(wasmobj.Datum{Align: 16, Size: stackBytes})
	code := wasmobj.NewCode(wasmobj.FuncType{})
	if err := m.reference(code, d, c, func() { whole(code, pieces, 0) }); err != nil {
		return nil, err
	}
	l := wasmobj.NewLinker(m.o, firstAddress)
	l.Exports = []wasmobj.Export{{Name: "run", Func: m.o.AddFunc(wasmobj.FuncType{}, code)}}
	return m.link(l, nil, c.Out, false)
}
