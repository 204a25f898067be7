package kernel_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/interp"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// reader interprets the assembly of routines for kernels under test, and lets it touch the memory of their calls alone.
type reader struct {
	files  map[string]*interp.File // by function
	memory interp.Memory           // of the call that is computed
	fail   func(error)
	ran    map[string]bool // functions
}

// interpreting is the reader of TestInterpreted, while that runs; else the processor runs routines.
var interpreting *reader

// tiers lists those whose routines are interpreted.
var tiers = []*simd.Tier{&simd.VNNI, &simd.AVX512, &simd.AVX2}

// read returns a reader of the committed assembly.
func read(t *testing.T) *reader {
	t.Helper()
	names, err := filepath.Glob("../simd/*_amd64.s")
	if err != nil || len(names) == 0 {
		t.Fatalf("there is no assembly: %v", err)
	}
	r := &reader{files: make(map[string]*interp.File), ran: make(map[string]bool)}
	for _, name := range names {
		f, err := interp.Parse(name, must(os.ReadFile(name)))
		if err != nil {
			t.Fatal(err)
		}
		tier := tiers[slices.IndexFunc(tiers, func(t *simd.Tier) bool { return strings.HasSuffix(name, "_"+t.Name+"_amd64.s") })]
		if err := f.Within(tier.Features); err != nil {
			t.Fatal(err)
		}
		for _, function := range f.Functions() {
			r.files[function] = f
		}
	}
	return r
}

// enter lets routines touch the memory of a call: read operands and packed constants, write results and working memory.
func (r *reader) enter(c *op.Call) {
	r.memory = interp.Memory{}
	for _, x := range c.In {
		if x != nil && !slices.Contains(c.Out, x) {
			r.memory.Add(x.Bytes(), false)
		}
	}
	for _, y := range c.Out {
		r.memory.Add(y.Bytes(), true)
	}
	for _, p := range c.Packed {
		r.memory.Add(p, false)
	}
	r.memory.Add(c.Scratch, true)
	r.memory.Add(c.Shared, true)
}

// pack lets routines write a constant's packed form.
func (r *reader) pack(to []byte) {
	r.memory = interp.Memory{}
	r.memory.Add(to, true)
}

// Lends lets routines read what kernels keep beside calls, such as tables.
func (r *reader) Lends(memory []byte) { r.memory.Add(memory, false) }

func (r *reader) Run(name string, args unsafe.Pointer, size uintptr) {
	f, memory := r.files[name], r.memory
	r.ran[name] = true
	memory.Add(unsafe.Slice((*byte)(args), size), true)
	if err := f.Call(name, uintptr(args), &memory); err != nil {
		r.fail(err)
	}
}

// interpret makes routines be interpreted until the test ends.
func interpret(t *testing.T) {
	t.Helper()
	if one := uint16(1); *(*byte)(unsafe.Pointer(&one)) == 0 {
		t.Skip("the interpreter runs where the low byte comes first")
	}
	interpreting = read(t)
	interpreting.fail = func(err error) { t.Fatal(err) }
	simd.Interpreting = interpreting
	t.Cleanup(func() { interpreting, simd.Interpreting = nil, nil })
}

// TestPackedBytes holds the rows of all tiers to the references where matrices of bytes are packed as words, which only the run knows and whose zero point, too.
func TestPackedBytes(t *testing.T) {
	testdata.Wide(t)
	interpret(t)
	for _, of := range tiers {
		row := rowOf(of, "dot products of words", "matmul")
		for _, k := range []int{1, 2, 15, 16, 17, 33} {
			for i, n := range []int{1, 15, 16, 17, 33} {
				for _, transposed := range []bool{false, true} {
					r, right := op.NewRand(uint64(k*n), 4), tensor.Shape{k, n}
					if transposed {
						right = tensor.Shape{n, k}
					}
					d := []tensor.DType{tensor.Int8, tensor.Uint8}[i%2]
					c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Uint8, tensor.Shape{3, k}), r.Tensor(d, right), r.Tensor(tensor.Uint8, tensor.Shape{}), r.Tensor(d, tensor.Shape{})},
						Attrs: graph.AttrsOf("transposeB", transposed, "dtype", tensor.Int32)}
					types := make([]op.Type, len(c.In))
					for i, x := range c.In {
						types[i] = graph.TypeOf(x)
					}
					p := row.Prepare(kernel.Region{Nodes: []*graph.Node{nodeOf(t, "matmul", types, c.Attrs)}})
					if p == nil {
						t.Fatalf("%s does not take %v", of.Name, c.In)
					}
					p.Kernel = of.Name
					newTrial(t, r, "matmul", c, p).check()
				}
			}
		}
	}
}

// TestInterpreted holds the rows of all tiers, whatever processor there is, to the references by interpreting their routines, which tells of
// each access beyond the memory of a call. Fewer cases must do than the processor takes.
func TestInterpreted(t *testing.T) {
	testdata.Wide(t)
	cases := testdata.Cases(2, 20)
	interpret(t)
	for _, of := range tiers {
		t.Logf("%s: this processor has it, and the other tests run it there: %v", of.Name, of.Hardware())
		tier := tierOf(of)
		t.Run(tier.Name+"/gelu_by_erf", func(t *testing.T) {
			interpreting.fail = func(err error) { t.Fatal(err) }
			clear(interpreting.ran)
			compareGelu(t, tier, max(5*cases, 10)) // of fewer none might be for the routine
			if r, ok := of.Elements["gelu_by_erf"]; ok && !interpreting.ran[r.Name] {
				t.Errorf("nothing is computed by %s", r.Name)
			}
		})
		t.Run(tier.Name+"/lines", func(t *testing.T) {
			interpreting.fail = func(err error) { t.Fatal(err) }
			if row := rowOf(of, "tiles", "matmul"); row != nil {
				for seed := range uint64(4 * cases) {
					compareLines(t, row, seed)
				}
			}
		})
		t.Run(tier.Name+"/codes", func(t *testing.T) {
			interpreting.fail = func(err error) { t.Fatal(err) }
			clear(interpreting.ran)
			all := []string{of.Decode2.Name, of.Decode4.Name, of.Decode8.Name, of.DecodeRow2.Name, of.DecodeRow4.Name, of.DecodeRow8.Name}
			ran := func() bool {
				return !slices.ContainsFunc(all, func(name string) bool { return name != "" && !interpreting.ran[name] })
			}
			for seed := uint64(0); seed < 400 && !ran(); seed++ {
				compareCoded(t, rowOf(of, "tiles", "matmul"), seed)
			}
			if !ran() {
				t.Errorf("of %v only %v ran", all, interpreting.ran)
			}
		})
		for k := range tier.Kernels {
			row := &tier.Kernels[k]
			t.Run(tier.Name+"/"+row.Op+"/"+row.Name, func(t *testing.T) {
				interpreting.fail = func(err error) { t.Fatal(err) }
				for seed, taken := 0, 0; seed < 400 && taken < cases; seed++ {
					if compareRow(t, row, uint64(seed*31), 1+seed%8) {
						taken++
					}
				}
				for seed, taken := uint64(0), 0; requantizes(row) && seed < 100 && taken < cases; seed++ {
					if compareRequantized(t, op.NewRand(seed*31, 1+int(seed)%8), row) != nil {
						taken++
					}
				}
			})
		}
	}
}
