package export_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// inputBits is the precision of inputs of single operators.
const inputBits = 5

// has are the operators that CVM has. Others are said in these, by their definitions or not at all.
var has = strings.Fields(`abs add bit_length cast clamp clamp_precision concat conv copy div expand gather gt linear lookup lt matmul max max_pool max_reduce
	min min_reduce mul ne neg non_max_suppression relu resample rescale reshape select slice squeeze sub sum_reduce tile transpose unsqueeze valid_count`)

// TestOperators converts generated cases of every operator and compares what the models compute with the operators.
func TestOperators(t *testing.T) {
	cases := max(testdata.Cases(60, 600), 60)
	said := []string{"sqr", "stack", "unstack", "reverse", "box", "debox", "deconv", "prelu", "l1_reduce"} // by their definitions
	for _, d := range op.All() {
		name := d.Name
		t.Run(name, func(t *testing.T) {
			cases, has := cases, slices.Contains(has, name)
			foreign := !has && d.Body == "" && d.Expand == nil
			if foreign {
				cases /= 10
			} else if name == "conv" || name == "max_pool" || name == "ne" {
				cases *= 10 // few of them are such as CVM has
			}
			converted, refused := 0, make(map[string]int)
			for seed := range cases {
				switch err := operatorCase(t, d, uint64(seed), 1+seed*6/cases); {
				case err == nil:
					converted++
				case !errors.Is(err, errUnfit):
					refused[err.Error()]++
				}
			}
			t.Logf("%d of %d cases are converted", converted, cases)
			for _, why := range naming.Sorted(refused) {
				t.Logf("%d refused: %s", refused[why], why)
			}
			if foreign && converted > 0 {
				t.Error("CVM has it, and the list does not")
			}
			if converted == 0 && (has || slices.Contains(said, name)) {
				t.Error("no case was converted")
			}
		})
	}
}

// errUnfit is for cases that no model of CVM could have: their types or shapes exclude it.
var errUnfit = errors.New("the case is not for CVM")

// operatorCase applies an operator to one input and constants. An error says why it is not converted.
func operatorCase(t *testing.T, d *op.Def, seed uint64, size int) error {
	t.Helper()
	c := d.Draw(op.NewRand(seed, size))
	data := -1
	for i, x := range c.In {
		switch {
		case x == nil:
			continue
		case x.Len() == 0 || x.DType().IsFloat():
			return errUnfit
		case x.DType() == tensor.Bool:
			continue
		}
		var err error
		if c.In[i], err = tensor.Cast(x.Contiguous(), tensor.Int32); err != nil {
			t.Fatal(err)
		}
		c.In[i] = evaluate(t, "clamp_precision", graph.AttrsOf("precision", inputBits), c.In[i])[0]
		if data < 0 && x.Rank() > 0 && x.Rank() <= 6 {
			data = i
		}
	}
	if data < 0 {
		return errUnfit
	}
	n := exported.NewNet(t, d.Name)
	in := n.Node("clamp_precision", graph.AttrsOf("precision", inputBits), n.Input("x", tensor.Int32, c.In[data].Shape()...))
	operands := make([]*graph.Value, len(c.In))
	for i, x := range c.In {
		if i == data {
			operands[i] = in
		} else if x != nil {
			operands[i] = n.Constant("", x.Contiguous())
		}
	}
	out, err := n.B.Node(d.Name, operands, c.Attrs, "")
	if err != nil {
		return errUnfit
	}
	want := evaluate(t, d.Name, c.Attrs, c.In...)
	for i, v := range out {
		want[i] = evaluate(t, "cast", graph.AttrsOf("dtype", tensor.Int32), want[i])[0]
		switch v.Type.DType {
		case tensor.Int32:
		case tensor.Bool: // CVM knows truth, which select asks for
			v = n.Node("select", nil, v, numbers(n, 1, v), numbers(n, 0, v))
		default:
			v = n.Node("cast", graph.AttrsOf("dtype", tensor.Int32), v)
		}
		n.Output(v.Name, v)
	}
	f, err := export.FromGraph(n.Graph(), export.Options{})
	if refusal, ok := errors.AsType[*export.Error](err); ok {
		return errors.New(refusal.Refusals[0].Reason)
	} else if err != nil {
		t.Fatal(err)
	}
	m, err := cvm.Load(f, cvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var input []byte
	for _, x := range tensor.Data[int32](c.In[data]) {
		input = append(input, byte(x))
	}
	got, err := m.Run(context.Background(), input)
	if err != nil {
		return errUnfit // outputs of different rows cannot be encoded
	}
	if len(want) == 1 && !slices.Equal(int32s(widened(m, got)), tensor.Data[int32](want[0])) {
		t.Errorf("seed %d, size %d: %v of %v is %v in place of %v", seed, size, d.Name, c.In, int32s(widened(m, got)), tensor.Data[int32](want[0]))
	}
	return nil
}

// numbers adds a constant with one number throughout, in the shape of a value.
func numbers(n *exported.Net, number int32, like *graph.Value) *graph.Value {
	n.T.Helper()
	shape := like.Type.Shape
	x, err := tensor.FromSlice(slices.Repeat([]int32{number}, shape.Len()), shape...)
	n.Check(err)
	return n.Constant("", x)
}

func evaluate(t *testing.T, operator string, attrs graph.Attrs, in ...*tensor.Tensor) []*tensor.Tensor {
	t.Helper()
	d, _ := op.Lookup(operator)
	out, err := op.Eval(d, in, attrs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func int32s(data []byte) []int32 {
	list := make([]int32, 0, len(data)/4)
	for ; len(data) >= 4; data = data[4:] {
		list = append(list, int32(binary.LittleEndian.Uint32(data)))
	}
	return list
}
