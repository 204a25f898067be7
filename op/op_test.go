package op_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// hasOperand reports whether an operator has an operand of that name.
func hasOperand(d *op.Def, name string) bool {
	return slices.ContainsFunc(d.In, func(o op.Operand) bool { return o.Name == name })
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// TestDefinitions holds every definition to what a reader and the derived tables need.
func TestDefinitions(t *testing.T) {
	names := make(map[string]bool)
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			if names[d.Name] || !identifier.MatchString(d.Name) {
				t.Errorf("the name is taken or no identifier")
			}
			names[d.Name] = true
			if !strings.HasSuffix(d.Summary(), ".") || len(d.Summary()) > 200 {
				t.Errorf("the summary must be one sentence of at most 200 characters: %q", d.Summary())
			}
			if len(d.In) == 0 || len(d.Out) == 0 || d.Generate == nil {
				t.Fatalf("operands, results and generator must be given")
			}
			blocks := len(d.Blocks) > 0
			if (d.Shape == nil) != blocks || (d.Results != nil) != blocks || (d.BlockInputs != nil) != blocks || (d.Captures != nil) != blocks || (d.Control != nil) != blocks {
				t.Fatalf("there must be either a shape rule or blocks and all that is said about them")
			}
			params := make(map[string]bool)
			param := func(name, doc string) {
				if params[name] || !identifier.MatchString(strings.ToLower(name)) || doc == "" {
					t.Errorf("parameter %q is taken, no identifier or undocumented", name)
				}
				params[name] = true
			}
			for i, o := range d.In {
				param(o.Name, o.Doc)
				if o.Types == 0 || o.Variadic && i != len(d.In)-1 || o.Like != "" && !hasOperand(d, o.Like) {
					t.Errorf("operand %s: no types, variadic but not last, or like an operand that is not there", o.Name)
				}
			}
			for _, a := range d.Attrs {
				param(a.Name, a.Doc)
				if a.Default != nil {
					if name, ok := a.Default.(string); graph.KindOf(a.Default) != a.Kind || ok && a.Enum != nil && !slices.Contains(a.Enum, name) {
						t.Errorf("%v cannot be the default of %s", a.Default, a.Name)
					}
				}
			}
			for _, b := range d.Blocks {
				param(b.Name, b.Doc)
			}
			for i, r := range d.Out {
				param(r.Name, r.Doc)
				if d.Results != nil {
					continue
				}
				sources := 0
				for _, given := range []bool{r.Like != "", r.TypeAttr != "", r.Type != tensor.Invalid} {
					if given {
						sources++
					}
				}
				if widens := r.Like != "" && r.TypeAttr != "" && sources == 2; sources != 1 && !widens || r.Like != "" && !hasOperand(d, r.Like) || r.Variadic && i != len(d.Out)-1 {
					t.Errorf("result %s: its type must come from one source, and only the last may be variadic", r.Name)
				}
			}
			for _, dt := range d.In[d.Ref.By].Types.List() {
				if d.Control == nil && d.Ref.Kernels[dt] == nil && !d.Widens(dt) {
					t.Errorf("no reference kernel for %v", dt)
				}
			}
		})
	}
}

// TestGenerated evaluates random cases of every operator: they are legal, their results are complete and canonical, and
// they do not depend on how the pieces are divided.
func TestGenerated(t *testing.T) {
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			cases := testdata.Cases(100, 400)
			for seed := range cases {
				r := op.NewRand(uint64(seed), 1+seed*8/cases)
				c := d.Draw(r)
				out, err := op.Eval(d, c.In, c.Attrs, c.Blocks...)
				if err != nil {
					t.Fatalf("seed %d: %v: operands %v, attributes %v", seed, err, c.In, c.Attrs)
				}
				for i, o := range out {
					if at := notCanonical(o); at >= 0 {
						t.Fatalf("seed %d: element %d of result %d is a NaN that is not canonical", seed, at, i)
					}
				}
				if d.Control == nil {
					checkPieces(t, d, c, out, r)
				}
			}
		})
	}
}

// notCanonical returns the index of the first NaN with other bits than the canonical one, or -1. Operators that only
// move elements keep whatever bits they have, and generators draw none but canonical NaNs.
func notCanonical(t *tensor.Tensor) int {
	for i, v := range tensor.Data[float32](t) {
		if v != v && math.Float32bits(v) != 0x7FC00000 {
			return i
		}
	}
	for i, v := range tensor.Data[float64](t) {
		if v != v && math.Float64bits(v) != 0x7FF8000000000000 {
			return i
		}
	}
	for i, v := range tensor.Data[tensor.F16](t) {
		if v&0x7FFF > 0x7C00 && v != 0x7E00 {
			return i
		}
	}
	return -1
}

// checkPieces evaluates a case again in random portions, over memory full of rubbish, and compares the bits.
func checkPieces(t *testing.T, d *op.Def, c op.Case, want []*tensor.Tensor, r *op.Rand) {
	t.Helper()
	types := make([]op.Type, len(c.In))
	for i, x := range c.In {
		if x == nil {
			continue
		}
		if d.Widens(x.DType()) {
			return // the widened evaluation has been divided with float32 cases
		}
		types[i] = op.Type{DType: x.DType(), Shape: x.Shape()}
	}
	s, outTypes, err := d.Bind(types, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	call := &op.Call{In: make([]*tensor.Tensor, len(s.In)), Attrs: s.Attrs}
	for i, x := range c.In {
		if x != nil {
			call.In[i] = x.Contiguous()
		}
	}
	for _, o := range outTypes {
		if d.Widens(o.DType) {
			return
		}
		x := must(tensor.New(o.DType, o.Shape))
		for i := range x.Bytes() {
			if o.DType != tensor.Bool {
				x.Bytes()[i] = 0xA5
			}
		}
		call.Out = append(call.Out, x)
	}
	if d.Ref.Scratch != nil {
		call.Scratch = tensor.AlignedBytes(d.Ref.Scratch(s, outTypes))
	}
	inPortions(d, call, r)
	for i, o := range call.Out {
		if string(o.Bytes()) != string(want[i].Bytes()) {
			t.Fatalf("result %d of %v %v differs when it is computed in portions", i, c.In, c.Attrs)
		}
	}
	if d.Traits.Has(op.Elementwise) {
		checkInPlace(t, d, call, want[0], r)
	}
}

func inPortions(d *op.Def, call *op.Call, r *op.Rand) {
	sig, types := d.Applied(call)
	kernel, n := d.Kernel(sig), d.Pieces(sig, types)
	for lo := 0; lo < n; {
		hi := min(n, lo+1+r.IntN(n))
		for i := range call.Scratch {
			call.Scratch[i] = 0xA5
		}
		kernel(call, lo, hi)
		lo = hi
	}
}

// checkInPlace lays the result into the memory of each operand that [Def.InPlace] allows, and compares the bits.
func checkInPlace(t *testing.T, d *op.Def, call *op.Call, want *tensor.Tensor, r *op.Rand) {
	t.Helper()
	for k, x := range call.In {
		if x == nil || !d.InPlace(k) || x.DType() != want.DType() || !x.Shape().Equal(want.Shape()) {
			continue
		}
		in := slices.Clone(call.In)
		in[k] = x.Clone()
		inPortions(d, &op.Call{In: in, Out: []*tensor.Tensor{in[k]}, Attrs: call.Attrs, Scratch: call.Scratch}, r)
		if string(in[k].Bytes()) != string(want.Bytes()) {
			t.Fatalf("%v %v differs in the memory of operand %d", call.In, call.Attrs, k)
		}
	}
}

// TestRejects holds every operator to refusing operands and attributes that its declarations exclude.
func TestRejects(t *testing.T) {
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			c := d.Draw(op.NewRand(1, 3))
			if _, err := op.Eval(d, c.In, append(c.Attrs, c.Attrs.With("no_such_attribute", 1)...), c.Blocks...); err == nil {
				t.Error("an unknown attribute is accepted")
			}
			if _, err := op.Eval(d, nil, c.Attrs); err == nil {
				t.Error("missing operands are accepted")
			}
			if !d.In[len(d.In)-1].Variadic {
				many := append(append([]*tensor.Tensor{}, c.In...), make([]*tensor.Tensor, len(d.In))...)
				many = append(many, c.In[0])
				if _, err := op.Eval(d, many, c.Attrs); err == nil {
					t.Error("too many operands are accepted")
				}
			}
		})
	}
}
