package std_test

import (
	"os"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// TestDeclarations holds the embedded texts to being well-formed: names, defaults and parameters that bodies use.
func TestDeclarations(t *testing.T) {
	for dialect, count := range map[syntax.Dialect]int{syntax.Final: 118, syntax.Provisional: 85} {
		set := std.Of(dialect)
		if len(set.Fragments()) != count {
			t.Errorf("%v: %d operations; want %d", dialect, len(set.Fragments()), count)
		}
		seen := make(map[string]bool)
		for _, f := range set.Fragments() {
			name := f.Name.Name
			if seen[name] {
				t.Errorf("%v: %s is declared twice", dialect, name)
			}
			seen[name] = true
			if got, ok := set.Lookup(name); !ok || got != f {
				t.Errorf("%v: %s is not found", dialect, name)
			}
			checkParams(t, f)
			checkBody(t, set, f)
		}
		if _, ok := set.Lookup("nothing"); ok {
			t.Error("an unknown operation is found")
		}
	}
	if f, ok := std.Lookup("squeeze"); !ok || f.Name.Name != "squeeze" {
		t.Error("Lookup does not find an operation of the final dialect")
	}
}

// TestProvisionalTanh holds the body to the provisional text, whose formula is not that of the final one.
func TestProvisionalTanh(t *testing.T) {
	const body = "fragment tanh( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = (exp(x) - exp(-x)) / (exp(x) + exp(-x)); }"
	if text, err := os.ReadFile("provisional.nnef"); err != nil || !strings.Contains(string(text), body) {
		t.Errorf("no %s; %v", body, err)
	}
}

func checkParams(t *testing.T, f *syntax.Fragment) {
	t.Helper()
	for i := range f.Params {
		if _, tensor := f.Params[i].Type.(*syntax.TensorType); tensor && i > 0 {
			if _, before := f.Params[i-1].Type.(*syntax.TensorType); !before {
				t.Errorf("%s: tensor %s stands behind an attribute", f.Name.Name, f.Params[i].Name.Name)
			}
		}
	}
}

func checkBody(t *testing.T, set *std.Set, f *syntax.Fragment) {
	t.Helper()
	for i := range f.Body {
		syntax.Walk(&f.Body[i], func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Call); ok {
				if _, ok := set.Lookup(c.Name.Name); !ok {
					t.Errorf("%s invokes %s, which is no operation of its dialect", f.Name.Name, c.Name.Name)
				}
			}
			return true
		})
	}
}
