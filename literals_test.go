package concord_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/nnef"
	onnxexport "github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	openvxexport "github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
	webnnexport "github.com/concord-nn/concord/webnn/export"
)

// formats write a graph as the files of a model, of which the one that a format is named by is opened.
var formats = map[string]func(g *graph.Graph) (fstest.MapFS, error){
	"m.tar": func(g *graph.Graph) (fstest.MapFS, error) {
		var b bytes.Buffer
		err := nnef.WriteArchive(&b, g, false)
		return fstest.MapFS{"m.tar": {Data: b.Bytes()}}, err
	},
	"m.onnx": func(g *graph.Graph) (fstest.MapFS, error) {
		m, err := onnxexport.New(g, onnxexport.Options{})
		if err != nil {
			return nil, err
		}
		data, err := proto.Encode(m)
		return fstest.MapFS{"m.onnx": {Data: data}}, err
	},
	"m.json": func(g *graph.Graph) (fstest.MapFS, error) { // WebNN
		approximate := error(nil)
		m, err := webnnexport.New(g, webnnexport.Options{Approximate: func(webnnexport.Approximation) { approximate = errApproximate }})
		if err = errors.Join(err, approximate); err != nil {
			return nil, err
		}
		f, err := m.Files("m.bin")
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = f.Weights(&b)
		return fstest.MapFS{"m.json": {Data: f.Session}, "m.bin": {Data: b.Bytes()}}, err
	},
}

var errApproximate = errors.New("expressed by other operators")

// extremes are numbers that texts and formats lose.
var extremes = []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 0x1p-149, -0x1p-140, math.MaxFloat32}

// TestExtremeNumbers writes models with extreme numbers as constants and attributes, in every format. What is read again has the same bits, or
// it is refused.
func TestExtremeNumbers(t *testing.T) {
	for _, d := range op.All() {
		try := func(c op.Case, what string) {
			types := make([]op.Type, len(c.In))
			for i, x := range c.In {
				if x != nil {
					types[i] = graph.TypeOf(x)
				}
			}
			if _, _, err := d.Bind(types, c.Attrs, c.Blocks...); err != nil {
				return
			}
			g, in := single.Graph(t, d, c, func(i int) bool { return i > 0 })
			exported(t, d.Name+" "+what, g, in)
		}
		for seed := range uint64(testdata.Cases(1, 30)) {
			c := d.Draw(op.NewRand(seed, 3))
			for i, x := range c.In {
				if i > 0 && x != nil && x.DType() == tensor.Float32 && x.Shape().Len() > 0 {
					own := c
					own.In = append([]*tensor.Tensor(nil), c.In...)
					own.In[i] = op.NewRand(seed, 3).Extremes(tensor.Float32, x.Shape())
					try(own, fmt.Sprint("operand ", i))
				}
			}
			for _, a := range d.Attrs {
				if a.Kind != graph.KindFloat {
					continue
				}
				for _, x := range extremes {
					own := c
					own.Attrs = nil
					for _, old := range c.Attrs {
						if old.Name != a.Name {
							own.Attrs = append(own.Attrs, old)
						}
					}
					own.Attrs = append(own.Attrs, graph.Attr{Name: a.Name, Value: x})
					try(own, fmt.Sprint(a.Name, " ", x))
				}
			}
		}
	}
}

// exported compares a graph with what is written of it.
func exported(t *testing.T, what string, g *graph.Graph, in map[string]*tensor.Tensor) {
	t.Helper()
	want := computed(t, g, in)
	for format, write := range formats {
		files, err := write(g)
		if err != nil {
			var refused *kit.Error
			if !errors.As(err, &refused) && !errors.Is(err, errApproximate) {
				t.Errorf("%s, %s: %v (%T)", what, format, err, err)
			}
			continue
		}
		m, err := concord.OpenFS(files, format)
		if err != nil {
			t.Errorf("%s, %s: %v", what, format, err)
			continue
		}
		again, err := m.Graph(nil)
		if err != nil {
			t.Errorf("%s, %s: %v", what, format, err)
			continue
		}
		for _, v := range again.Inputs {
			if x := in[v.Name]; x != nil && x.DType() != v.Type.DType { // WebNN has no logical values
				in = maps.Clone(in)
				if in[v.Name], err = tensor.Cast(x, v.Type.DType); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := computed(t, again, in)
		for name, w := range want {
			if g := got[name]; g == nil || !bytes.Equal(tensor.Raw(g), tensor.Raw(w)) {
				t.Errorf("%s, %s: %s is %v; want %v", what, format, name, g, w)
			}
		}
	}
	if out := g.Outputs[0].Value.Type.DType; out == tensor.Float16 || out == tensor.BFloat16 {
		return // which float32 rounds less often
	}
	if err := callsOpenVX(g, in, want); err != nil {
		t.Errorf("%s, openvx: %v", what, err)
	}
}

func callsOpenVX(g *graph.Graph, in, want map[string]*tensor.Tensor) error {
	n, err := openvxexport.New(g, openvxexport.Options{Float: openvxexport.Float32})
	if err != nil {
		var refused *openvxexport.Error
		if errors.As(err, &refused) {
			return nil
		}
		return err
	}
	if code := n.Files("m").Source; bytes.Contains(code, []byte("Inf")) || bytes.Contains(code, []byte("NaN")) {
		return errors.New("C has no such literals")
	}
	if len(n.Approximations) > 0 {
		return nil
	}
	ctx, err := openvx.NewContext(openvx.Options{Threads: 1})
	if err != nil {
		return err
	}
	b, err := n.Build(ctx)
	if err == nil {
		err = b.Graph.Verify()
	}
	if err != nil {
		return err
	}
	got, err := b.Run(n, in)
	if err != nil {
		return err
	}
	for name, w := range want {
		if g := got[name]; g == nil || !bytes.Equal(tensor.Raw(g), tensor.Raw(w)) {
			return fmt.Errorf("%s is %v; want %v", name, g, w)
		}
	}
	return nil
}

// computed returns the outputs of a graph.
func computed(t *testing.T, g *graph.Graph, in map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
