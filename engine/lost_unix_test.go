//go:build unix

package engine

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// stored returns a weight of 256 KiB that lies in a mapped file of the given name.
func stored(t *testing.T, name string) *tensor.Tensor {
	t.Helper()
	if err := os.WriteFile(name, bytes.Repeat([]byte{1, 0, 0x80, 0x3f}, 256*256), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := mapfile.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := tensor.FromBytes(tensor.Float32, tensor.Shape{256, 256}, file.Data)
	return ok(t, w, errors.Join(err, file.Close()))
}

// weighed returns a graph that applies an operator to an input and a weight or a state that begins as one, and to a function of it.
func weighed(t *testing.T, operator string, state bool, w *tensor.Tensor) *graph.Graph {
	t.Helper()
	n := newNet(t)
	rows := 256
	if operator == "matmul" {
		rows = 8
	}
	x := n.input("x", tensor.Float32, rows, 256)
	v, err := n.Constant("w", "", w)
	if state {
		v, err = n.State("s", "", w)
	}
	y := n.op(operator, nil, x, ok(t, v, err))
	n.output("y", y)
	n.output("z", n.op(operator, nil, x, n.op("exp", nil, v)))
	if state {
		n.update(v, y)
	}
	g, err := n.Build()
	return ok(t, g, err)
}

// TestLostWeights makes the file of a weight shorter before each step of using it: it is read in passes, packing, kernels of the processor's tier,
// references and copies, on workers and without them. What reads it is an error that names the file.
func TestLostWeights(t *testing.T) {
	for _, c := range []struct {
		operator string
		state    bool
		read     string // when the weight is read by all means: in the steps C(ompile), S(ession), R(un), (rese)T
	}{{"matmul", false, "C"}, {"add", false, "CR"}, {"lt", false, "CR"}, {"add", true, "ST"}} {
		for _, opts := range []Options{{Threads: 1}, {Threads: 2}, {NoOptimize: true}} {
			for lost, step := range "CSRTR" {
				name := filepath.Join(t.TempDir(), "weights")
				g := weighed(t, c.operator, c.state, stored(t, name))
				err := useAll(g, opts, lost, func() error { return os.Truncate(name, 100) })
				if lost == 0 || testdata.Cases(0, 1) > 0 {
					runtime.GC() // which looks at what is left of stacks
				}
				path, is := errors.AsType[*fs.PathError](err)
				if err == nil && strings.ContainsRune(c.read, step) || err != nil && (!is || path.Path != name || !errors.Is(err, mapfile.ErrLost)) {
					t.Errorf("%s, a state is %v, lost before step %d, %+v: got %v", c.operator, c.state, lost, opts, err)
				}
			}
		}
	}
}

// useAll compiles a graph, makes a session, runs it, resets it and runs it again, and calls lose before one of the steps. It goes on after a failure.
func useAll(g *graph.Graph, opts Options, lost int, lose func() error) error {
	var p *Program
	var s *Session
	var errs []error
	for i, step := range []func() error{
		func() (err error) { p, err = Compile(g, opts); return err },
		func() (err error) { s, err = p.NewSession(); return err },
		func() error { return s.Run(context.Background()) },
		func() error { s.Reset(); return nil },
		func() error { return s.Run(context.Background()) },
	} {
		if i == lost {
			errs = append(errs, lose())
		}
		err := step()
		if errs = append(errs, err); err != nil && i < 2 {
			break
		}
	}
	if p != nil {
		p.Close()
	}
	return errors.Join(errs...)
}
