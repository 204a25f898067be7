package concord_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/cvm"
	cvmexport "github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/pipeline/page"
	"github.com/concord-nn/concord/serve"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/session"
)

// TestNothingGiven calls functions with what a caller has forgotten to make: each returns an error, none panics.
func TestNothingGiven(t *testing.T) {
	var (
		none    *tensor.Tensor
		zero    tensor.Tensor
		some    = tensor.Scalar(float32(1))
		ctx     = context.Background()
		broken  = &graph.Graph{Nodes: []*graph.Node{nil}, Inputs: []*graph.Value{nil}, Outputs: []graph.Output{{Name: "y"}}, States: []*graph.State{nil}}
		unruly  = &graph.Graph{Nodes: []*graph.Node{{Op: "add"}}}
		picture *image.RGBA
		image1  = &manifest.Image{Width: 1, Height: 1}
		input   = manifest.Type{Name: "x", DType: tensor.Float32, Shape: []int{1, 3, 1, 1}}
	)
	for name, call := range map[string]func() error{
		"tensor.Cast nil":          func() error { _, err := tensor.Cast(nil, tensor.Int8); return err },
		"tensor.Cast zero":         func() error { _, err := tensor.Cast(&zero, tensor.Int8); return err },
		"tensor.CastRange":         func() error { return tensor.CastRange(some, nil, 0, 1) },
		"tensor.CopyFrom":          func() error { return some.CopyFrom(nil) },
		"tensor.CopyFrom zero":     func() error { return zero.CopyFrom(&zero) },
		"tensor.Copy zero":         func() error { _, err := zero.Copy(); return err },
		"tensor.Reshape nil":       func() error { _, err := none.Reshape(1); return err },
		"tensor.Reshape zero":      func() error { _, err := zero.Reshape(1); return err },
		"tensor.Reinterpret":       func() error { _, err := zero.Reinterpret(tensor.Int8); return err },
		"tensor.Transpose":         func() error { _, err := none.Transpose(); return err },
		"tensor.Slice":             func() error { _, err := none.Slice(0, 0, 1, 1); return err },
		"tensor.Expand":            func() error { _, err := none.Expand(1); return err },
		"tensor.New":               func() error { _, err := tensor.New(tensor.Float64, tensor.Shape{1 << 20, 1 << 20}); return err },
		"tensor.WriteNPY":          func() error { return tensor.WriteNPY(io.Discard, nil) },
		"tensor.WriteNPZ":          func() error { return tensor.WriteNPZ(io.Discard, []tensor.Named{{Name: "x"}}, false) },
		"tensor.OpenNPZ":           func() error { _, err := tensor.OpenNPZ(nil, 9, tensor.Limits{}); return err },
		"graph.Verify nil":         func() error { return graph.Verify(nil, op.Rules) },
		"graph.Verify broken":      func() error { return graph.Verify(broken, op.Rules) },
		"graph.Verify no rules":    func() error { return graph.Verify(unruly, nil) },
		"graph.Print nil":          func() error { return graph.Print(io.Discard, nil, op.Rules) },
		"graph.Print broken":       func() error { return graph.Print(io.Discard, broken, op.Rules) },
		"graph.Rewrite":            func() error { _, err := graph.Rewrite(broken, op.Rules, nil, nil); return err },
		"op.Eval nil":              func() error { _, err := op.Eval(nil, nil, nil); return err },
		"op.Eval zero":             func() error { _, err := op.Eval(&op.Def{}, nil, nil); return err },
		"op.EvalNode":              func() error { _, err := op.EvalNode(ctx, nil, nil); return err },
		"op.Of":                    func() error { _, err := op.Of(nil); return err },
		"model.Of":                 func() error { _, err := model.Of(nil).Graph(nil); return err },
		"model zero":               func() error { _, err := new(model.Model).Graph(nil); return err },
		"model.NewPrograms":        func() error { _, err := model.NewPrograms(nil, engine.Options{}, 0).Run(ctx, nil); return err },
		"concord.Model.Compile":    func() error { _, err := new(concord.Model).Compile(concord.Options{}); return err },
		"concord.Model.Complete":   func() error { _, err := new(concord.Model).Complete(nil); return err },
		"concord.Model.Eval":       func() error { _, err := new(concord.Model).Eval(model.Values{"x": nil}, nil); return err },
		"engine.Compile":           func() error { _, err := engine.Compile(broken, engine.Options{}); return err },
		"engine.Session.Run":       func() error { return new(engine.Session).Run(ctx) },
		"engine.Session.SetInput":  func() error { return new(engine.Session).SetInput(0, nil) },
		"nnef.Save nil":            func() error { return nnef.Save(filepath.Join(t.TempDir(), "m"), nil) },
		"nnef.Save broken":         func() error { return nnef.Save(filepath.Join(t.TempDir(), "m"), broken) },
		"nnef.OpenFS":              func() error { _, err := nnef.OpenFS(nil, "m", nnef.Options{}); return err },
		"syntax.Format":            func() error { _, err := syntax.Format(nil); return err },
		"nnef.ExpandBody":          func() error { _, err := nnef.ExpandBody(nil, nil, nil); return err },
		"model.Session.Run":        func() error { return new(model.Session).Run(ctx) },
		"flat.Flatten":             func() error { _, err := flat.Flatten(nil, flat.Options{}); return err },
		"cvm.OpenFS":               func() error { _, err := cvm.OpenFS(nil, "m", cvm.Options{}); return err },
		"cvm/export.FromGraph":     func() error { _, err := cvmexport.FromGraph(broken, cvmexport.Options{}); return err },
		"proto.OpenFS":             func() error { _, err := proto.OpenFS(nil, "m"); return err },
		"proto.Encode":             func() error { _, err := proto.Encode(nil); return err },
		"proto.NewTensor":          func() error { _, err := proto.NewTensor("x", nil); return err },
		"proto.NewAttribute":       func() error { _, err := proto.NewAttribute("x", nil); return err },
		"session.LoadFS":           func() error { _, err := session.LoadFS(nil, "m", nil); return err },
		"manifest.Load":            func() error { _, err := manifest.Load(nil, "m"); return err },
		"media.PrepareImage":       func() error { _, _, err := media.PrepareImage(image1, input, nil); return err },
		"media.RGBA":               func() error { _, err := media.RGBA(picture); return err },
		"media.RGBA no pixels":     func() error { _, err := media.RGBA(&image.Gray{Rect: image.Rect(0, 0, 9, 9)}); return err },
		"media.DrawBoxes":          func() error { _, err := media.DrawBoxes(nil, nil); return err },
		"media.DrawBoxes no bytes": func() error { _, err := media.DrawBoxes(&image.RGBA{Rect: image.Rect(0, 0, 9, 9)}, nil); return err },
		"media.ClassesGraph":       func() error { _, err := media.ClassesGraph(nil, graph.Type{}); return err },
		"media.ClassesGraph zero":  func() error { _, err := media.ClassesGraph(&manifest.Classes{}, graph.Type{}); return err },
		"media.BoxesGraph": func() error {
			_, err := media.BoxesGraph(&manifest.Boxes{}, media.View{}, graph.Type{}, graph.Type{})
			return err
		},
		"op.Interpreter broken": func() error { _, err := op.NewInterpreter(broken).Run(ctx, nil); return err },
		"op.Interpreter unruly": func() error { _, err := op.NewInterpreter(unruly).Run(ctx, nil); return err },
		"page.Files broken":     func() error { _, err := page.Files(nil, broken, "x", "", engine.Limits{}); return err },
		"page.Files described": func() error {
			described := &manifest.Manifest{Inputs: []manifest.Input{{Name: "x", Kind: image1}}}
			_, err := page.Files(described, unruly, "x", "", engine.Limits{})
			return err
		},
		"serve.Server.Serve no listener": func() error {
			s, err := serve.New(serve.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			return errors.Join(s.Serve(ctx, nil), s.Shutdown(ctx))
		},
		"proto.WriteFile":      func() error { return proto.WriteFile(filepath.Join(t.TempDir(), "x"), nil, true) },
		"model.Of broken":      func() error { _, err := model.Of(broken).Graph(nil); return err },
		"concord.Model.Eval 2": func() error { _, err := model.Of(&graph.Graph{}).Eval(nil, nil); return err },
		"tensor.CastRange -1":  func() error { return tensor.CastRange(some, tensor.Scalar(float32(1)), -1, 0) },
		"tensor.CastRange 2":   func() error { return tensor.CastOptions{}.CastRange(some, tensor.Scalar(float32(1)), 0, 2) },
		"tensor.CastRange 0-1": func() error { return tensor.CastRange(some, some, 1, 0) },
		"syntax.Format part": func() error {
			_, err := syntax.Format(&syntax.Document{Graph: &syntax.Graph{Body: []syntax.Assignment{{}}}})
			return err
		},
		"wasm.Evaluation": func() error {
			_, err := wasm.Evaluation(&op.Def{}, &op.Call{In: []*tensor.Tensor{nil}, Out: []*tensor.Tensor{nil}}, 0)
			return err
		},
		"serve.Server.Start": func() error {
			s, err := serve.New(serve.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			return errors.Join(s.Start(nil), s.Shutdown(ctx)) //nolint:staticcheck // that is what is tested
		},
		"bulk.Job.Items": func() error {
			m, err := concord.Open(filepath.Join("examples", "digits", "model.nnef"))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			j, err := bulk.New(m, nil, bulk.Options{Inputs: []string{filepath.Join("examples", "digits", "drawings", "seven.png")}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Record(ctx, &bulk.Item{}); err == nil {
				t.Error("the zero Item has a record")
			}
			return errors.Join(j.Items(ctx, 0, nil), j.Close())
		},
		"media.SavePNG no pixels": func() error {
			return media.SavePNG(filepath.Join(t.TempDir(), "x.png"), &image.RGBA{Rect: image.Rect(0, 0, 9, 9)})
		},
		"media.SavePNG no gray": func() error {
			return media.SavePNG(filepath.Join(t.TempDir(), "x.png"), &image.Gray{Rect: image.Rect(0, 0, 9, 9)})
		},
		"media.SavePNG endless": func() error {
			return media.SavePNG(filepath.Join(t.TempDir(), "x.png"), image.NewUniform(color.Black))
		},
		"media.SavePNG":    func() error { return media.SavePNG(filepath.Join(t.TempDir(), "x.png"), picture) },
		"media.Classes":    func() error { _, err := media.Classes(&manifest.Classes{}, nil); return err },
		"media.Boxes":      func() error { _, err := media.Boxes(&manifest.Boxes{}, media.View{}, nil, some); return err },
		"media.TrackValue": func() error { _, err := media.TrackValue(&manifest.Track{}, &zero); return err },
		"diff.Measure":     func() error { _, err := diff.Measure(some, nil, diff.Tolerance{}); return err },
		"conform.Write":    func() error { return conform.Write(nil, nil, conform.Report{}) },
	} {
		t.Run(name, func(t *testing.T) {
			if call() == nil {
				t.Error("there is no error")
			}
		})
	}
}

// TestNothingHarmful calls what has no error to return: the results are empty, and nothing panics.
func TestNothingHarmful(t *testing.T) {
	var m concord.Model
	if m.Inputs() != nil || m.Outputs() != nil || m.Key(nil) != "" || m.Close() != nil {
		t.Error("the zero Model has something")
	}
	if d := diff.Compare(diff.FromGraph(nil, nil), nil); !d.Equal() {
		t.Error("nothing differs from nothing")
	}
	if conform.Select(nil, nil) != nil || emit.Counting(0, -1) != nil || emit.Counting(0, math.MaxInt) != nil {
		t.Error("there is something")
	}
	if operators.Bound(0) != 0 || operators.Bound(math.MaxInt) != 0 {
		t.Error("no precision has a bound")
	}
	var zero tensor.Tensor
	if len(tensor.Raw(&zero)) != 0 || len(tensor.Raw(nil)) != 0 || zero.Clone() == nil || zero.String() == "" {
		t.Error("the zero Tensor has elements")
	}
	if graph.Identifiers(nil) != nil || graph.Identity(nil) == nil || graph.Text(nil, op.Rules) == "" {
		t.Error("no graph has identifiers")
	}
	var s media.Sound
	if s.Len() != 0 || len(s.Mono()) != 0 || media.TrackTable(nil, media.Style{}) != nil {
		t.Error("no sound has samples")
	}
	graph.AttrsOf("axes", struct{}{}) // of no kind that attributes have
	if rows := media.ClassTable([]media.Class{{Label: "x", Probability: 1}}, media.Style{Width: math.MaxInt}); len(rows) != 1 || len(rows[0]) > 1<<14 {
		t.Errorf("a huge width gives %d rows", len(rows))
	}
	if new(container.Container).Close() != nil || new(proto.File).Close() != nil {
		t.Error("closing nothing is an error")
	}
	h := session.NewHost(session.HostOptions{})
	defer h.Close()
	h.Do([]byte(`{"calls":[]}`), nil, nil)
	new(session.Host).Do(bytes.Repeat([]byte("["), 99), nil, nil)
}
