package syntax_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// sameTree compares trees by everything but positions and comments.
func sameTree(a, b any) error { return sameValue(reflect.ValueOf(a), reflect.ValueOf(b), "") }

var ignoredTypes = map[reflect.Type]bool{
	reflect.TypeFor[syntax.Span]():        true,
	reflect.TypeFor[syntax.Pos]():         true,
	reflect.TypeFor[*syntax.Source]():     true,
	reflect.TypeFor[*syntax.Comments]():   true,
	reflect.TypeFor[syntax.Diagnostics](): true,
}

func sameValue(a, b reflect.Value, path string) error {
	if a.Kind() != b.Kind() {
		return fmt.Errorf("%s: %v and %v", path, a, b)
	}
	if !a.IsValid() || ignoredTypes[a.Type()] {
		return nil
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return fmt.Errorf("%s: nil and not nil", path)
			}
			return nil
		}
		if a.Elem().Type() != b.Elem().Type() {
			return fmt.Errorf("%s: %v and %v", path, a.Elem().Type(), b.Elem().Type())
		}
		return sameValue(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		for i := range a.NumField() {
			if err := sameValue(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if a.Len() != b.Len() {
			return fmt.Errorf("%s: %d and %d items", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if err := sameValue(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	default:
		if !a.Equal(b) {
			return fmt.Errorf("%s: %v and %v", path, a, b)
		}
	}
	return nil
}

// checkRoundTrip formats a document, reads the text and compares: the tree must be the same, and so must the text of
// the second formatting.
func checkRoundTrip(t *testing.T, doc *syntax.Document, opts syntax.Options) {
	t.Helper()
	text, err := syntax.Format(doc)
	if err != nil {
		t.Fatalf("format: %v", err)
	}
	again, err := syntax.Parse("formatted", text, opts)
	if err != nil {
		var list syntax.Diagnostics
		errors.As(err, &list)
		t.Fatalf("formatted text does not parse:\n%s\n%s", list.Render(), text)
	}
	if err := sameTree(doc, again); err != nil {
		t.Fatalf("the tree changed: %v\n%s", err, text)
	}
	second, err := syntax.Format(again)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(second) {
		t.Fatalf("the text changed:\n%s\n---\n%s", text, second)
	}
}

// mustParse reads a document that has to be right.
func mustParse(t *testing.T, text string, opts syntax.Options) *syntax.Document {
	t.Helper()
	doc, err := syntax.Parse("test.nnef", []byte(text), opts)
	if err != nil {
		var list syntax.Diagnostics
		errors.As(err, &list)
		t.Fatalf("%s%s", list.Render(), text)
	}
	return doc
}

// diagnose reads a document that has to be wrong.
func diagnose(t *testing.T, text string, opts syntax.Options) syntax.Diagnostics {
	t.Helper()
	doc, err := syntax.Parse("test.nnef", []byte(text), opts)
	var list syntax.Diagnostics
	if !errors.As(err, &list) {
		t.Fatalf("accepted:\n%s", text)
	}
	if doc != nil {
		t.Error("a document came with an error")
	}
	return list
}

// finalGraph puts statements into a graph of the final dialect.
func finalGraph(body string) string {
	return "version 1.0;\ngraph g( x ) -> ( y )\n{\n" + body + "\n}\n"
}

// oldFragment puts statements into a fragment of the provisional dialect.
func oldFragment(body string) string {
	return "version 1.0\nfragment f( x: tensor ) -> ( y: tensor )\n{\n" + body +
		"\n}\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1])\ny = f(x)\n}\n"
}

// TestWalk visits the names of a document in the order of the text, and nothing below what is declined.
func TestWalk(t *testing.T) {
	doc, err := syntax.Parse("net", []byte("version 1.0;\nfragment f( a: tensor<scalar>, b: integer[] = [1] ) -> ( c: tensor<scalar> )\n"+
		"{\n    c = [for i in b if i > 1 yield g(a, k = -i)][h[0]] if !l else m[:n];\n}\n"+finalGraph("y = f(x);")[len("version 1.0;\n"):]), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := func(into func(syntax.Node) bool) string {
		var list []string
		syntax.Walk(doc, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				list = append(list, id.Name)
			}
			return into(n)
		})
		return strings.Join(list, " ")
	}
	if got, want := names(func(syntax.Node) bool { return true }), "f a b c c i b i g a k i h l m n g x y y f x"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := names(func(n syntax.Node) bool { _, ok := n.(*syntax.Fragment); return !ok }); got != "g x y y f x" {
		t.Errorf("without fragments: %s", got)
	}
}

func TestIsIdentifier(t *testing.T) {
	for word, want := range map[string]bool{"": false, "a": true, "_1": true, "1a": false, "a-b": false, "ö": false, "graph": false, "integer": false, "extent": true} {
		if syntax.IsIdentifier(word, syntax.Final) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
	if !syntax.IsIdentifier("integer", syntax.Provisional) || syntax.IsIdentifier("extent", syntax.Provisional) {
		t.Error("the keywords of the provisional dialect are others")
	}
}
