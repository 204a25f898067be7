package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// walkMost is how many calls of functions of ours may be nested on the way from the command line to an operator.
const walkMost = 25

// TestWalk holds the way from `concord run` to definitions and kernels of operators to few nested calls: a reader can follow it, and the
// front-end and its evaluator do not call each other in turn.
func TestWalk(t *testing.T) {
	t.Setenv(simd.Variable, "portable") // whose kernels are functions that can be watched
	w := watchWalk(t)
	for _, args := range [][]string{
		{"run", digits(t, "model.nnef"), digits(t, "drawings", "seven.png")},
		{"run", nested(t), "--random", "--hash"},
		{"run", nested(t), "--random", "--hash", "--shape", "x=2,4,6,6"},
	} {
		w.bind, w.kernel = deepest{}, deepest{}
		if out, code := execute(t, args...); code != 0 {
			t.Fatal(out)
		}
		for _, deep := range []*deepest{&w.bind, &w.kernel} {
			if deep.depth == 0 || deep.depth > walkMost {
				t.Errorf("%s: %d calls lead to %s, of at most %d:\n%s", strings.Join(args[1:], " "), deep.depth, deep.what, walkMost, deep.stack)
			}
		}
	}
}

// nested writes a document whose graph invokes fragments in fragments and operations that the standard defines by others.
func nested(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nested.nnef")
	if err := os.WriteFile(path, []byte(`version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;

fragment inner( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = local_contrast_normalization(x, size = [1, 1, 3, 3]) + l2_normalization(x, axes = [1]);
}

fragment outer( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = inner(relu(x)) * 0.5;
}

graph net( x ) -> ( y )
{
    x = external<scalar>(shape = [1, 2, 8, 8]);
    y = outer(x);
}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBindings holds the definitions of operators to being bound twice for each node between a file and its program: when the node is made, and
// when the graph is verified. Passes bind the nodes that they make.
func TestBindings(t *testing.T) {
	w := watchWalk(t)
	for _, c := range []struct {
		path  string
		given model.Shapes
	}{{digits(t, "model.nnef"), nil}, {nested(t), nil}, {nested(t), model.Shapes{"x": {2, 4, 6, 6}}}} {
		w.bound = 0
		m, err := concord.Open(c.path)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Graph(c.given)
		if err != nil {
			t.Fatal(err)
		}
		if most := len(g.Nodes); w.bound > most {
			t.Errorf("%v: %d bindings make a graph of %d nodes", c, w.bound, most)
		}
		p, err := m.Compile(concord.Options{Shapes: c.given})
		if err != nil {
			t.Fatal(err)
		}
		if most := 2 * len(g.Nodes); w.bound > most {
			t.Errorf("%v: %d bindings make a program of %d nodes, of at most %d", c, w.bound, len(g.Nodes), most)
		}
		p.Close()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// walk notes the longest ways to operators.
type walk struct {
	mu           sync.Mutex
	bind, kernel deepest
	bound        int // how often definitions were bound
}

type deepest struct {
	what, stack string
	depth       int
}

// watchWalk makes every definition note the way to it until the test ends.
func watchWalk(t *testing.T) *walk {
	w := new(walk)
	for _, d := range op.All() {
		saved := *d
		t.Cleanup(func() { *d = saved })
		d.Shape = func(s *op.Sig) ([]tensor.Shape, error) {
			w.note(&w.bind, "the definition of "+d.Name)
			w.bound++
			return saved.Shape(s)
		}
		for i, k := range saved.Ref.Kernels {
			if k != nil {
				d.Ref.Kernels[i] = func(c *op.Call, lo, hi int) {
					w.note(&w.kernel, "the kernel of "+d.Name)
					k(c, lo, hi)
				}
			}
		}
	}
	return w
}

// note compares the way to its caller with the longest one.
func (w *walk) note(deep *deepest, what string) {
	var pcs [200]uintptr
	var stack strings.Builder
	depth := 0
	for frames, more := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])]), true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasPrefix(f.Function, "github.com/concord-nn/concord") && !strings.HasSuffix(f.File, "_test.go") {
			depth++
			fmt.Fprintf(&stack, "\t%s\n", strings.TrimPrefix(f.Function, "github.com/concord-nn/concord"))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if depth > deep.depth {
		*deep = deepest{what, stack.String(), depth}
	}
}
