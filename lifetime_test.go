package concord_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx"
	onnxexport "github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// weighed returns the network add(x, w) with a weight of 64 KiB.
func weighed(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(op.Rules, "weighed")
	shape := tensor.Shape{128, 128}
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: shape})
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.Constant("w", "w", op.NewRand(1, 1).Tensor(tensor.Float32, shape))
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.One("add", []*graph.Value{x, w}, nil, "y")
	if err == nil {
		err = b.Output("y", y)
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// saved writes a network in all forms of files that are mapped or read, and returns their names.
func saved(t *testing.T, g *graph.Graph) map[string]string {
	t.Helper()
	dir := t.TempDir()
	names := map[string]string{"folder": filepath.Join(dir, "net"), "tar": filepath.Join(dir, "net.tar"), "tgz": filepath.Join(dir, "net.tgz")}
	for _, name := range names {
		if err := nnef.Save(name, g); err != nil {
			t.Fatal(err)
		}
	}
	m, err := onnxexport.New(g, onnxexport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for form, external := range map[string]bool{"onnx": false, "onnx with data": true} {
		names[form] = filepath.Join(dir, form+".onnx")
		if err := proto.WriteFile(names[form], m, external); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// opened is something with a Close, and what it is for.
type opened struct {
	use   func() error // nil or the error of a closed one
	close func() error
	ended error // what use gives afterwards; nil if it goes on
	alone bool  // whether it is for one goroutine at a time, other than Close
}

// openAll opens one of everything that has a Close.
func openAll(t *testing.T, g *graph.Graph, names map[string]string) map[string]opened {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(f func()) func() error { return func() error { f(); return nil } }
	inputs := map[string]*tensor.Tensor{"x": op.NewRand(1, 2).Tensor(tensor.Float32, g.Inputs[0].Type.Shape)}
	runs := func(p *engine.Program) func() error {
		return func() error { _, err := p.Run(t.Context(), inputs); return err }
	}
	all := make(map[string]opened)
	for form, name := range names {
		m, err := concord.Open(name)
		must(err)
		all["concord.Model, "+form] = opened{func() error { _, err := m.Compile(concord.Options{Threads: 1}); return err }, m.Close, fs.ErrClosed, false}
		other, err := concord.Open(name)
		must(err)
		programs := other.Programs(concord.Options{Threads: 2})
		_, err = programs.For(nil)
		must(err)
		all["programs of concord.Model, "+form] = opened{func() error { _, err := programs.Run(t.Context(), inputs); return err }, other.Close, nil, false}
		third, err := concord.Open(name)
		must(err)
		p, err := third.Compile(concord.Options{Threads: 2})
		must(err)
		all["program of concord.Model, "+form] = opened{runs(p), third.Close, nil, false}
	}
	file, err := nnef.Open(names["folder"], nnef.Options{})
	must(err)
	all["nnef.File"] = opened{func() error { _, err := file.Model(); return err }, file.Close, fs.ErrClosed, true}
	of, err := nnef.Open(names["folder"], nnef.Options{})
	must(err)
	network, err := of.Network()
	must(err)
	all["network of nnef.File"] = opened{func() error { _, err := network.Graph(nil); return err }, nothing(network.Close), fs.ErrClosed, false}
	loaded, err := nnef.Load(names["folder"], nnef.Options{})
	must(err)
	all["nnef.Model"] = opened{func() error { _, err := engine.Compile(loaded.Graph, engine.Options{Threads: 1}); return err }, loaded.Close, nil, false}
	for _, form := range []string{"folder", "tar", "tgz"} {
		c, err := container.Open(names[form])
		must(err)
		all["container, "+form] = opened{func() error { _, err := c.ReadFile("w.dat"); return err }, c.Close, fs.ErrClosed, false}
	}
	o, err := onnx.Open(names["onnx with data"])
	must(err)
	all["onnx.File"] = opened{func() error { _, err := o.Network(); return err }, o.Close, fs.ErrClosed, false}
	message, err := proto.Open(names["onnx with data"])
	must(err)
	all["proto.File"] = opened{func() error { _, err := message.Value(message.Model.Graph.Initializer[0]); return err }, message.Close, fs.ErrClosed, false}
	ledger, err := cvm.Open(filepath.Join("examples", "ledger", "digits.cvm"), cvm.Options{})
	must(err)
	bytes := make([]byte, ledger.Admission().InputLength)
	all["cvm.Model"] = opened{func() error { _, err := ledger.Run(t.Context(), bytes); return err }, nothing(ledger.Close), fs.ErrClosed, false}
	for name, use := range map[string]func(p *engine.Program) error{
		"Run":        func(p *engine.Program) error { return runs(p)() },
		"NewSession": func(p *engine.Program) error { _, err := p.NewSession(); return err },
	} {
		p, err := engine.Compile(g, engine.Options{Threads: 2})
		must(err)
		all["engine.Program."+name] = opened{func() error { return use(p) }, nothing(p.Close), fs.ErrClosed, false}
	}
	p, err := engine.Compile(g, engine.Options{Threads: 2})
	must(err)
	ofProgram, err := p.NewSession()
	must(err)
	all["session of engine.Program"] = opened{func() error { return ofProgram.Run(t.Context()) }, nothing(p.Close), nil, true}
	for name, use := range map[string]func(p *model.Programs) error{
		"Run":     func(p *model.Programs) error { _, err := p.Run(t.Context(), inputs); return err },
		"For":     func(p *model.Programs) error { _, err := p.For(nil); return err },
		"Session": func(p *model.Programs) error { _, err := p.Session(nil); return err },
	} {
		p := model.NewPrograms(model.Of(g), engine.Options{}, 0)
		all["model.Programs."+name] = opened{func() error { return use(p) }, nothing(p.Close), fs.ErrClosed, false}
	}
	programs := model.NewPrograms(model.Of(g), engine.Options{Threads: 2}, 0)
	kept, err := programs.For(nil)
	must(err)
	all["program of model.Programs"] = opened{runs(kept), nothing(programs.Close), nil, false}
	others := model.NewPrograms(model.Of(g), engine.Options{Threads: 2}, 0)
	ofPrograms, err := others.Session(nil)
	must(err)
	all["session of model.Programs"] = opened{func() error { return ofPrograms.Run(t.Context()) }, nothing(others.Close), nil, true}
	ofModel, err := concord.Open(names["onnx with data"])
	must(err)
	t.Cleanup(func() { _ = ofModel.Close() })
	for name, use := range map[string]func(p *pipeline.Pipeline) error{
		"Run": func(p *pipeline.Pipeline) error {
			_, err := p.Run(t.Context(), pipeline.Inputs{Tensors: inputs})
			return err
		},
		"Session": func(p *pipeline.Pipeline) error { _, err := p.Session(nil); return err },
	} {
		p, err := pipeline.New(ofModel, nil, concord.Options{Threads: 2})
		must(err)
		all["pipeline.Pipeline."+name] = opened{func() error { return use(p) }, p.Close, fs.ErrClosed, false}
	}
	for name, use := range map[string]func(j *bulk.Job) error{
		"Write": func(j *bulk.Job) error { _, err := j.Write(t.Context(), 0, io.Discard); return err },
		"Run":   func(j *bulk.Job) error { _, err := j.Run(t.Context(), t.TempDir(), 0, false, nil); return err },
		"Record": func(j *bulk.Job) error {
			if _, err := j.Record(t.Context(), &bulk.Item{}); errors.Is(err, fs.ErrClosed) {
				return err
			}
			return nil // that there is no item
		},
		"List":  func(j *bulk.Job) error { _, _, err := j.List(t.Context()); return err },
		"Range": func(j *bulk.Job) error { _, _, err := j.Range(t.Context(), 0); return err },
		"Items": func(j *bulk.Job) error { return j.Items(t.Context(), 0, func(*bulk.Item) error { return nil }) },
	} {
		j, err := bulk.Open(filepath.Join("examples", "digits", "model.nnef"), bulk.Options{Inputs: []string{filepath.Join("examples", "digits", "drawings", "seven.png")}})
		must(err)
		all["bulk.Job."+name] = opened{func() error { return use(j) }, j.Close, fs.ErrClosed, false}
	}
	page, err := webnn.ML{}.CreateContext(nil)
	must(err)
	all["webnn.Context"] = opened{func() error {
		_, err := page.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2}}})
		return err
	}, nothing(page.Destroy), webnn.InvalidStateError, false}
	host := session.NewHost(session.HostOptions{})
	all["session.Host"] = opened{func() error {
		replies, err := host.Run(t.Context(), []byte(`{"on":"ml","call":"createContext"}`), nil)
		if err == nil && replies[0].Error != nil {
			return webnn.ErrorName(replies[0].Error.Name)
		}
		return err
	}, nothing(host.Close), webnn.ErrorName("ReferenceError"), false}
	vx, err := openvx.NewContext(openvx.Options{})
	must(err)
	all["openvx.Context"] = opened{func() error {
		made, err := vx.CreateGraph()
		if err == nil {
			err = made.Release()
		}
		return gone(err)
	}, func() error {
		if err := gone(vx.Release()); !errors.Is(err, fs.ErrClosed) {
			return err
		}
		return nil
	}, fs.ErrClosed, false}
	return all
}

// gone makes fs.ErrClosed of the error of an object of OpenVX that is gone.
func gone(err error) error {
	if e, ok := errors.AsType[*openvx.Error](err); ok && e.Status == openvx.ErrorInvalidReference {
		return fs.ErrClosed
	}
	return err
}

// TestLifetimes closes everything that has a Close, once and again, and while others use it: what was made of a model goes on, new work is an error
// of its type, and nothing dies for memory that is gone.
func TestLifetimes(t *testing.T) {
	g := weighed(t)
	names := saved(t, g)
	all, shared := openAll(t, g, names), openAll(t, g, names)
	for _, name := range naming.Sorted(all) {
		t.Run(name, func(t *testing.T) {
			one := all[name]
			if err := one.use(); err != nil {
				t.Fatalf("before Close: %v", err)
			}
			for range 2 {
				if err := one.close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				runtime.GC()
				if err := one.use(); !errors.Is(err, one.ended) || one.ended == nil && err != nil {
					t.Errorf("after Close: got %v; want %v", err, one.ended)
				}
			}
			two := shared[name]
			var users sync.WaitGroup
			for range 2 {
				users.Go(func() {
					for range 5 {
						if err := two.use(); err != nil && !errors.Is(err, two.ended) && !errors.Is(err, context.Canceled) {
							t.Errorf("during Close: %v", err)
						}
					}
				})
				if two.alone {
					break
				}
			}
			for range 2 {
				users.Go(func() {
					if err := two.close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				})
			}
			users.Wait()
		})
	}
}
