package onnx_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var (
	applied = flag.Int("random", 0, "apply each operator so many times at random")
	last    = flag.String("last", "", "a file to which each random model is written before it is tried")
)

// What a model of a fuzz test may take, at most: far more than the limits of its run.
const (
	fuzzBytes = 2 << 30
	fuzzTime  = 30 * time.Second
)

var fuzzLimits = engine.Limits{Nodes: 2000, Memory: 16 << 20, Operations: 1 << 22, Time: time.Second}

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// try reads a model and runs it, if it can be run with little. It reports whether it was run to its end.
func try(t *testing.T, m *proto.Model, given model.Values) bool {
	t.Helper()
	if *last != "" {
		if b, err := proto.Encode(m); err == nil {
			if err := os.WriteFile(*last, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin, bytes := time.Now(), allocated()
	err := attempt(m, given)
	switch passed, taken := time.Since(begin), allocated()-bytes; {
	case err != nil && strings.Contains(err.Error(), "internal error"):
		t.Errorf("%v\n%s", err, modelText(m))
	case taken > fuzzBytes || passed > fuzzTime:
		t.Errorf("%v and %d MiB are taken, with the error %v\n%s", passed, taken>>20, err, modelText(m))
	}
	return err == nil
}

func attempt(m *proto.Model, given model.Values) error {
	f, err := onnx.New(m)
	if err != nil {
		return typed(err)
	}
	n, err := f.Network()
	if err != nil {
		return typed(err)
	}
	shapes, in := make(model.Shapes), make(model.Values)
	for _, x := range n.Inputs() {
		shape := tensor.Shape{}
		for _, d := range x.Shape {
			if d.Symbol != "" {
				d.Extent = 2
			}
			shape = append(shape, d.Extent)
		}
		name := x.Name
		if x.Sequence {
			name = model.Element(name, 0)
		}
		shapes[name] = shape
		if t := given[name]; t != nil && (x.Unranked || len(shape) == t.Rank()) {
			for i, n := range t.Shape() {
				if x.Unranked {
					shape = append(shape, n)
				} else if x.Shape[i].Symbol != "" {
					shape[i] = n
				}
			}
			if shapes[name] = shape; t.DType() == x.DType && t.Shape().Equal(shape) {
				in[name] = t
				continue
			}
		}
		if shape.Check() == nil && small(shape, 1<<16) {
			if in[name], err = tensor.New(x.DType, shape); err != nil {
				return err
			}
		}
	}
	if _, err := n.Part(shapes); err != nil || len(in) < len(shapes) {
		return typed(err)
	}
	if _, err := f.Explain(shapes); err != nil {
		return typed(err)
	}
	p := model.NewPrograms(n, engine.Options{Threads: 1, Limits: fuzzLimits}, 0)
	defer p.Close()
	_, err = p.Run(context.Background(), in)
	return err
}

// typed holds an error to being one of ours with a place.
func typed(err error) error {
	var one *onnx.Error
	var all onnx.Errors
	switch {
	case err == nil:
		return nil
	case errors.As(err, &one), errors.As(err, &all) && len(all) > 0, errors.As(err, new(*model.OpenError)):
		return err
	}
	return errors.Join(errors.New("internal error: no type"), err)
}

// modelText writes a model for people.
func modelText(m *proto.Model) string {
	b, err := proto.Encode(m)
	if err != nil {
		return err.Error()
	}
	if m, err = proto.Decode(b); err != nil { // so that nothing but what a file holds is shown
		return err.Error()
	}
	var w strings.Builder
	for _, s := range m.OpsetImport {
		fmt.Fprintf(&w, "%q %d\n", s.Domain, s.Version)
	}
	for _, x := range m.Functions {
		fmt.Fprintf(&w, "function %s.%s(%q) %q\n", x.Domain, x.Name, x.Input, x.Output)
		describeNodes(&w, "  ", x.Node)
	}
	describeGraph(&w, "", m.Graph)
	return w.String()
}

func describeGraph(w *strings.Builder, indent string, g *proto.Graph) {
	for _, t := range g.Initializer {
		v, err := t.Value(nil)
		fmt.Fprintf(w, "%s%s: %v %v\n", indent, t.Name, tensorText(v), err)
	}
	for _, v := range g.Input {
		fmt.Fprintf(w, "%sinput %s: ", indent, v.Name)
		if v.Type != nil && v.Type.Tensor != nil {
			fmt.Fprint(w, v.Type.Tensor.ElemType)
			if v.Type.Tensor.Shape != nil {
				for _, d := range v.Type.Tensor.Shape.Dim {
					fmt.Fprint(w, " ", d.Value, d.Param)
				}
			}
		}
		fmt.Fprintln(w)
	}
	describeNodes(w, indent, g.Node)
	for _, v := range g.Output {
		fmt.Fprintf(w, "%soutput %s\n", indent, v.Name)
	}
}

func describeNodes(w *strings.Builder, indent string, nodes []*proto.Node) {
	for _, n := range nodes {
		fmt.Fprintf(w, "%s%s = %s.%s %s\n", indent, strings.Join(n.Output, ", "), n.Domain, n.OpType, strings.Join(n.Input, ", "))
		for _, a := range n.Attribute {
			fmt.Fprintf(w, "%s  %s (%d): i=%d f=%v s=%q %v %v %q %s\n", indent, a.Name, a.Type, a.I, a.F, a.S, a.Ints, a.Floats, a.Strings, a.RefAttrName)
			if a.T != nil {
				v, err := a.T.Value(nil)
				fmt.Fprintf(w, "%s    %v %v\n", indent, tensorText(v), err)
			}
			if a.G != nil {
				describeGraph(w, indent+"    ", a.G)
			}
		}
	}
}

// tensorText writes a small tensor as a whole.
func tensorText(t *tensor.Tensor) string {
	if t == nil || t.Len() > 16 {
		return fmt.Sprint(t)
	}
	wide, err := tensor.Cast(t, tensor.Float64)
	if err != nil {
		return fmt.Sprint(t)
	}
	return fmt.Sprint(t, tensor.Data[float64](wide.Contiguous()))
}

// fuzzForms are all forms, in order.
var fuzzForms = sync.OnceValue(func() []declared {
	out := declaredForms()
	slices.SortFunc(out, func(a, b declared) int { return cmp.Or(strings.Compare(a.name, b.name), a.version-b.version) })
	return out
})

// seed returns bytes that are the same for each number.
func seed(i, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	out := make([]byte, n)
	for k := range out {
		out[k] = byte(r.Uint32())
	}
	return out
}

// FuzzNode applies operators to what they may be applied to, and what they may not.
func FuzzNode(f *testing.F) {
	forms := fuzzForms()
	for i := range forms {
		f.Add(uint16(i), seed(i, 200))
	}
	f.Fuzz(func(t *testing.T, number uint16, bytes []byte) {
		d := &dice{bytes: bytes, forms: forms}
		d.forms = forms[int(number)%len(forms):][:1]
		try(t, d.model(), nil)
	})
}

// FuzzChanged changes models of the standard's cases.
func FuzzChanged(f *testing.F) {
	models := soundModels(f)
	for i := 0; i < len(models); i += 10 { // TestChanged has all
		f.Add(uint16(i), seed(i, 30))
	}
	if testdata.Cases(0, 1) == 1 {
		f.Add(uint16(463), []byte("0100000")) // a loop in parts that ends at a limit, which takes seconds
	}
	f.Fuzz(func(t *testing.T, number uint16, bytes []byte) {
		d := &dice{bytes: bytes, forms: fuzzForms()}
		m, in := d.mutate(models[int(number)%len(models)])
		try(t, m, in)
	})
}

// TestChanged does as FuzzChanged does, for each model so many times.
func TestChanged(t *testing.T) {
	models := soundModels(t)
	forms := fuzzForms()
	ran, all := 0, 0
	for i := range models {
		for k := range max(*applied, 1) {
			d := &dice{bytes: seed(k*len(models)+i, 60), forms: forms}
			m, in := d.mutate(models[i])
			if all++; try(t, m, in) {
				ran++
			}
		}
	}
	t.Logf("%d of %d models ran", ran, all)
}

// TestRandomNodes does as FuzzNode does, for each operator so many times.
func TestRandomNodes(t *testing.T) {
	forms := fuzzForms()
	for i := range forms {
		ran := 0
		for k := range max(*applied, 2) {
			d := &dice{bytes: seed(k*len(forms)+i, 300), forms: forms[i : i+1]}
			if try(t, d.model(), nil) {
				ran++
			}
		}
		if *applied > 0 {
			t.Logf("%s %d: %d ran", forms[i].name, forms[i].version, ran)
		}
	}
}

// fuzzModels are small models of all kinds.
func fuzzModels() []*proto.Model {
	var out []*proto.Model
	for i, f := range fuzzForms() {
		if i%7 == 0 {
			d := &dice{bytes: seed(i, 100), forms: []declared{f}}
			out = append(out, d.model())
		}
	}
	return out
}

// FuzzImport reads bytes as a model.
func FuzzImport(f *testing.F) {
	for i, name := range testdata.Glob(f, "conformance", "onnx", "*", "*", "model.onnx") {
		if b, err := os.ReadFile(name); err == nil && len(b) < 1000 && i%10 == 0 {
			f.Add(b)
		}
	}
	for _, s := range handMade(f) {
		f.Add(s.encoded)
	}
	for _, m := range fuzzModels() {
		b, err := proto.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := proto.Decode(b)
		if err != nil {
			return
		}
		try(t, m, nil)
	})
}
