package check_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/nnef/check"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// recorder is a library whose operations yield tensors of the declared types.
type recorder map[string]*eval.Operation

type tensor struct{ item syntax.Primitive }

func (t *tensor) Item() syntax.Primitive        { return t.item }
func (t *tensor) Extents() ([]int, bool)        { return nil, false }
func (t *tensor) SameTensor(u eval.Tensor) bool { return u == eval.Tensor(t) }

func (r recorder) Operation(name string) *eval.Operation {
	if op := r[name]; op != nil {
		return op
	}
	f, ok := std.Lookup(name)
	if !ok {
		return nil
	}
	op := eval.FromFragment(f, r)
	op.Body, op.Source = nil, nil
	op.Apply = func(*eval.Invocation) ([]eval.Value, error) { return []eval.Value{&tensor{syntax.Scalar}}, nil }
	r[name] = op
	return op
}

func parsed(b testing.TB, text string) *syntax.Document {
	b.Helper()
	doc, err := syntax.Parse("bench", []byte(text), syntax.Options{Strict: true})
	if err != nil {
		b.Fatal(err)
	}
	return doc
}

func BenchmarkCheck(b *testing.B) {
	text := testdata.NetworkText(5000)
	doc := parsed(b, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if list := check.Check(doc, check.Options{}); len(list) > 0 {
			b.Fatal(list)
		}
	}
}

// BenchmarkCheckAndEvaluate is what a reader does that evaluates the graph itself.
func BenchmarkCheckAndEvaluate(b *testing.B) {
	text := testdata.NetworkText(5000)
	doc := parsed(b, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if list := check.Check(doc, check.Options{Evaluated: true}); len(list) > 0 {
			b.Fatal(list)
		}
		e := eval.New(eval.Limits{}).For(doc)
		e.Graph(doc.Graph, make(recorder), nil)
		if list := e.Diagnostics(); len(list) > 0 {
			b.Fatal(list)
		}
	}
}
