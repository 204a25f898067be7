package openvx_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	gm "github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// models are what importer loads, by url.
var models = map[string]func(b *graph.Builder){
	// y = x + [[0,1,2],[3,4,5]], most = the index of the greatest of each row
	"dir/sums": func(b *graph.Builder) {
		x := must(b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{2, 3}}))
		k := must(b.Constant("k", "", must(tensor.FromSlice([]float32{0, 1, 2, 3, 4, 5}, 2, 3))))
		y := must(b.One("add", []*graph.Value{x, k}, nil, ""))
		most := must(b.One("argmax_reduce", []*graph.Value{y}, graph.AttrsOf("axes", []int{1}), ""))
		built(b.Output("y", y), b.Output("most", most))
	},
	// A sum over all runs so far.
	"state": func(b *graph.Builder) {
		x := must(b.Input("x", graph.Type{DType: tensor.Int64, Shape: nil}))
		s := must(b.State("s", "", tensor.Scalar(int64(0))))
		y := must(b.One("add", []*graph.Value{x, s}, nil, ""))
		built(b.Update(s, y), b.Output("y", y))
	},
	"panic": func(*graph.Builder) { panic("mine") },
	"great": func(b *graph.Builder) {
		x := must(b.Input("x", graph.Type{DType: tensor.Bool, Shape: tensor.Shape{1, 1, 1, 1, 1, 1, 1, 1, 2}}))
		built(b.Output("y", x))
	},
	"symbols": func(*graph.Builder) { built(open()) },
}

func built(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		panic(err)
	}
}

// open is the error of an importer for a model with an extent that is not a number.
func open() error {
	_, err := gm.New([]gm.Input{{Name: "x", DType: tensor.Float32, Shape: gm.Shape{{Symbol: "N"}}}}, nil).Graph(nil)
	return err
}

func importer(url string) (*graph.Graph, error) {
	build, ok := models[url]
	switch {
	case !ok:
		return nil, errMine
	case url == "symbols":
		return nil, open()
	}
	b := graph.NewBuilder(op.Rules, "model")
	build(b)
	return b.Build()
}

func modelYard(t *testing.T) *yard {
	c := must(openvx.NewContext(openvx.Options{Importers: map[string]openvx.Importer{"nnef": importer}}))
	references := c.References()
	y := &yard{t: t, c: c, g: must(c.CreateGraph())}
	t.Cleanup(func() {
		y.release()
		if n := c.References(); n != references {
			t.Errorf("%d objects are left over", n-references)
		}
		status(t, c.Release(), openvx.Success)
	})
	return y
}

func (y *yard) imported(url string, params ...openvx.Reference) *openvx.Node {
	k := must(y.c.ImportKernel("nnef", url))
	defer k.Release()
	n := must(y.g.CreateGenericNode(k))
	y.keep(n)
	for i, r := range params {
		status(y.t, n.SetParameter(i, r), openvx.Success)
	}
	return n
}

// TestModel runs a model whose tensors list their extents in its order, in the reverse order, and are views.
func TestModel(t *testing.T) {
	for _, test := range []struct {
		name string
		x, y []int
	}{
		{"in order", []int{2, 3}, []int{2, 3}},
		{"reversed", []int{3, 2}, []int{3, 2}},
		{"mixed", []int{2, 3}, []int{3, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := modelYard(t)
			wide := must(y.c.CreateTensor([]int{5, 7}, openvx.TypeFloat32, 0))
			in := must(wide.CreateView([]int{1, 2}, []int{1 + test.x[0], 2 + test.x[1]}))
			between := must(y.g.CreateVirtualTensor(test.y, openvx.TypeInvalid, 0))
			out, most := must(y.c.CreateTensor(test.y, openvx.TypeFloat32, 0)), must(y.c.CreateTensor([]int{2, 1}, openvx.TypeInt32, 0))
			for _, r := range []openvx.Reference{wide, in, between, out, most} {
				y.keep(r)
			}
			y.imported("dir/sums", in, between, most)
			y.relu(between, out)
			status(t, in.Write([]float32{1, 1, 1, 2, 0, -5}), openvx.Success)
			status(t, y.g.Process(), openvx.Success)
			got, indices := make([]float32, 6), make([]int32, 2)
			status(t, out.Read(got), openvx.Success)
			status(t, most.Read(indices), openvx.Success)
			if !slices.Equal(got, []float32{1, 2, 3, 5, 4, 0}) || !slices.Equal(indices, []int32{2, 0}) {
				t.Error(got, indices)
			}
		})
	}
}

func TestModelParameters(t *testing.T) {
	y := modelYard(t)
	k := must(y.c.ImportKernel("nnef", "dir/sums"))
	y.keep(k)
	if k.NumParameters() != 3 || k.KernelName() != "sums" {
		t.Error(k.NumParameters(), k.KernelName())
	}
	for i, want := range []struct {
		name  string
		d     openvx.Direction
		dims  []int
		dtype openvx.Type
	}{
		{"x", openvx.Input, []int{2, 3}, openvx.TypeFloat32}, {"y", openvx.Output, []int{2, 3}, openvx.TypeFloat32},
		{"most", openvx.Output, []int{2, 1}, openvx.TypeInt32},
	} {
		p := must(k.Parameter(i))
		dims, dtype, fixed := must(p.MetaFormat()).Tensor()
		if p.Name() != want.name || p.Direction() != want.d || !slices.Equal(dims, want.dims) || dtype != want.dtype || fixed != 0 {
			t.Error(p.Name(), p.Direction(), dims, dtype, fixed)
		}
		status(t, p.Release(), openvx.Success)
	}
	in, open := must(y.c.CreateTensor([]int{2, 3}, openvx.TypeFloat32, 0)), y.open()
	y.keep(in)
	n := y.imported("dir/sums", in, open, y.open())
	status(t, y.g.Verify(), openvx.Success)
	if d := open.Dims(); !slices.Equal(d, []int{2, 3}) {
		t.Error(d)
	}
	for _, test := range []struct {
		dims  []int
		dtype openvx.Type
		want  openvx.Status
	}{{[]int{6}, openvx.TypeFloat32, openvx.ErrorInvalidDimension}, {[]int{2, 3}, openvx.TypeInt32, openvx.ErrorInvalidFormat}} {
		x := must(y.c.CreateTensor(test.dims, test.dtype, 0))
		y.keep(x)
		status(t, n.SetParameter(0, x), openvx.Success)
		status(t, y.g.Verify(), test.want)
	}
}

// TestModelState keeps a model's variable from one run to the next.
func TestModelState(t *testing.T) {
	y := modelYard(t)
	in, out := must(y.c.CreateTensor([]int{1}, openvx.TypeInt32, 0)), must(y.c.CreateTensor([]int{1}, openvx.TypeInt32, 0))
	y.keep(in)
	y.keep(out)
	y.imported("state", in, out)
	status(t, in.Write([]int32{3}), openvx.Success)
	got := make([]int32, 1)
	for i := range int32(3) {
		status(t, y.g.Process(), openvx.Success)
		status(t, out.Read(got), openvx.Success)
		if got[0] != 3*(i+1) {
			t.Error(got)
		}
	}
}

func TestModelsThatCannotBeImported(t *testing.T) {
	y := modelYard(t)
	for _, test := range []struct {
		kind, url string
		want      openvx.Status
	}{
		{"onnx", "dir/sums", openvx.ErrorNotSupported},
		{"nnef", "missing", openvx.ErrorInvalidParameters},
		{"nnef", "panic", openvx.ErrorInvalidParameters},
		{"nnef", "great", openvx.ErrorNotSupported},
		{"nnef", "symbols", openvx.ErrorNotSupported},
	} {
		k, err := y.c.ImportKernel(test.kind, test.url)
		status(t, err, test.want)
		if k != nil {
			t.Error("there is a kernel")
		}
	}
}
