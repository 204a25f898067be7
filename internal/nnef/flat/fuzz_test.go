package flat_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// FuzzFlatten flattens any text. What is accepted must be written so that it reads back equal.
func FuzzFlatten(f *testing.F) {
	for _, text := range []string{
		netText,
		"version 1.0\ngraph g( x ) -> ( y )\n{\n    x = external(shape = [0,2])\n    y = idn(x)\n}\n",
		head + "fragment f<?>( x: tensor<?>[], s: string = 'a' ) -> ( y: tensor<?>, z: tensor<scalar>[] );\n" +
			"graph g( x ) -> ( y ) { x = external(shape = [1]); (y, [a, b]) = f([x, 1.0], s = 'b' * 2); }",
		head + "graph g( x ) -> ( y, z ) { x = external(shape = [4]); [y, t] = copy_n(x, times = 2); z = cast<integer>(true); }",
		head + "graph g( x ) -> ( y ) { x = external(shape = [4]); v = variable(shape = [4], label = 'v'); y = update(v, max_pool(-x, size = [2])); }",
		"version 1.0; extension concord_operators; graph g( x ) -> ( y ) { x = external(shape = [4]); y = relu(x); }",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, all bool) {
		doc, err := syntax.Parse("fuzz", []byte(text), syntax.Options{Lenient: true})
		if err != nil || flat.Check(doc, flat.Options{Lenient: true}).Err() != nil {
			return
		}
		opts := flat.Options{Limits: eval.Limits{Steps: 1 << 14, Items: 1 << 14, Calls: 1 << 10}}
		if all {
			opts.Level = flat.All
		}
		g, err := flat.Flatten(doc, opts)
		if err != nil {
			return
		}
		if _, err := json.Marshal(g); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := g.Write(&b); err != nil {
			if doc.Tract || len(doc.Warnings) > 0 {
				return // names and text that only other dialects have
			}
			t.Fatal(err)
		}
		again, err := syntax.Parse("written", b.Bytes(), syntax.Options{Lenient: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		back, err := flat.Flatten(again, flat.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		var second bytes.Buffer
		if err := back.Write(&second); err != nil || second.String() != b.String() {
			t.Fatalf("%v\n%s\n%s", err, b.String(), second.String())
		}
	})
}
