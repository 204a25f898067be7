package syntax_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// FuzzParse holds that no text makes the reader panic, that errors have a place inside of the text, and that accepted
// documents survive formatting.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		finalGraph("x = external<scalar>(shape = [1, -2]); # a\n\n# b\n[y, z], w = f(1.5e-3, 'a\\'b', true);"),
		finalGraph("y = [for i in a, j in range_of(b) if i in c && !d yield -a[i] ^ b[1:] + (i if c else (1, 2))[0]];"),
		"version 1.0;\nextension A, B;\nextension tract_symbol S;\nfragment f<? = scalar>( x: tensor<?>, n: (integer, string[])[] = [(1, 'a')] ) -> ( y: tensor<?>[] );\ngraph g( x ) -> ( y ) { x = i\"a b\"(); }",
		oldFragment("y = [i if i > 1 else 2 for i in a if c], x\n[a, b] = z\n(c, d) = extent(x)(e, f) = 1 in 2"),
	} {
		for mode := range byte(8) {
			f.Add([]byte(text), mode)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, mode byte) {
		opts := syntax.Options{Strict: mode&1 != 0, Lenient: mode&2 != 0, Tract: mode&4 != 0}
		doc, err := syntax.Parse("fuzz", text, opts)
		if err == nil {
			syntax.Walk(doc, func(n syntax.Node) bool {
				if n.Pos() > n.End() || int(n.End()) > len(text) {
					t.Fatalf("%T has the span %d to %d", n, n.Pos(), n.End())
				}
				return true
			})
			checkRoundTrip(t, doc, opts)
			return
		}
		var list syntax.Diagnostics
		if !errors.As(err, &list) || len(list) == 0 || len(list) > 2*syntax.DefaultLimits.Errors+1 {
			t.Fatalf("%T with %d diagnostics", err, len(list))
		}
		for _, d := range list {
			if d.From > d.To || int(d.To) > len(text) || d.Message == "" || d.Class() > syntax.ClassExtension {
				t.Fatalf("bad diagnostic %+v", d)
			}
		}
		_ = list.Render()
	})
}

// FuzzQuant does the same for quantization files.
func FuzzQuant(f *testing.F) {
	f.Add([]byte("# a\n\"x\": q(min = [[-1.0, 2]], bits = 8); # b\n'y': p((1, 'a'))\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, old bool) {
		d := syntax.Final
		if old {
			d = syntax.Provisional
		}
		q, err := syntax.ParseQuant("fuzz", text, d, syntax.Options{})
		if err != nil {
			return
		}
		out, err := syntax.FormatQuant(q)
		if err != nil {
			t.Fatal(err)
		}
		again, err := syntax.ParseQuant("formatted", out, d, syntax.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for i := range q.Entries {
			if err := sameTree(&q.Entries[i], &again.Entries[i]); err != nil {
				t.Fatal(err)
			}
		}
	})
}
