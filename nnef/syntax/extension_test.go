package syntax_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// TestConcordExtensions reads the free text behind the names of Concord's own extensions and writes it again.
func TestConcordExtensions(t *testing.T) {
	text := `version 1.0;

extension concord_operators;
extension concord_name y 'a; b\'s  "c"';
extension concord_type   x
    int8;

graph net(  ) -> ( y )
{
    y = f(1.0);
}
`
	doc, err := syntax.Parse("net", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range doc.Extensions {
		got = append(got, e.Name+"|"+e.Text)
	}
	want := `concord_operators| concord_name|y 'a; b\'s  "c"' concord_type|x int8`
	if strings.Join(got, " ") != want {
		t.Errorf("got %q; want %q", got, want)
	}
	if doc.Tract {
		t.Error("the document is taken for one of tract's")
	}
	written, err := syntax.Format(doc)
	if err != nil {
		t.Fatal(err)
	}
	again, err := syntax.Parse("again", written, syntax.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	for i := range again.Extensions {
		if again.Extensions[i].Text != doc.Extensions[i].Text {
			t.Errorf("%q became %q", doc.Extensions[i].Text, again.Extensions[i].Text)
		}
	}
	for _, bad := range []string{
		"version 1.0;\nextension concord_name y 'a;\ngraph net( x ) -> ( y ) { y = f(x); }",
		"version 1.0;\nextension concord_name y 'a\nb';\ngraph net( x ) -> ( y ) { y = f(x); }",
		"version 1.0;\ngraph net(  ) -> ( y ) { y = f(1.0); }",
	} {
		if _, err := syntax.Parse("bad", []byte(bad), syntax.Options{}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
