package std

import (
	"os"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// TestDeclarations holds the embedded text to being well-formed: names, defaults and parameters that bodies use.
func TestDeclarations(t *testing.T) {
	if text, err := os.ReadFile("standard.nnef"); err != nil || len(Fragments()) == 0 || len(text) == 0 {
		t.Fatal("the declarations are missing")
	}
	seen := make(map[string]bool)
	for _, f := range Fragments() {
		name := f.Name.Name
		if seen[name] {
			t.Errorf("%s is declared twice", name)
		}
		seen[name] = true
		if got, ok := Lookup(name); !ok || got != f {
			t.Errorf("%s is not found", name)
		}
		for i := range f.Params {
			p := &f.Params[i]
			if _, tensor := p.Type.(*syntax.TensorType); tensor && i > 0 {
				if _, before := f.Params[i-1].Type.(*syntax.TensorType); !before {
					t.Errorf("%s: tensor %s stands behind an attribute", name, p.Name.Name)
				}
			}
		}
		for i := range f.Body {
			syntax.Walk(&f.Body[i], func(n syntax.Node) bool {
				if c, ok := n.(*syntax.Call); ok {
					if _, ok := Lookup(c.Name.Name); !ok {
						t.Errorf("%s invokes %s, which is no operation of the standard", name, c.Name.Name)
					}
				}
				return true
			})
		}
	}
	if _, ok := Lookup("nothing"); ok {
		t.Error("an unknown operation is found")
	}
}
