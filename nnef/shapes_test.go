package nnef_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
)

// TestRepeatedShapes infers the shapes of many like operations, of which some differ in an attribute or an operand.
func TestRepeatedShapes(t *testing.T) {
	var b strings.Builder
	b.WriteString("version 1.0;\ngraph net( x ) -> ( y )\n{\nx = external<scalar>(shape = [1, 2, 8, 8]);\n")
	want := make(map[string][]int)
	for i := range 40 {
		operand, size, stride := "x", 8, i%3+1
		if i%4 == 3 {
			fmt.Fprintf(&b, "e%d = external<scalar>(shape = [1, 2, %d, 8]);\n", i, 9+i)
			operand, size = fmt.Sprintf("e%d", i), 9+i
		}
		fmt.Fprintf(&b, "p%d = max_pool(%s, size = [1, 1, 2, 2], border = 'ignore', stride = [1, 1, %d, %d]);\n", i, operand, stride, i%2+1)
		want[fmt.Sprintf("p%d", i)] = []int{1, 2, (size + stride - 1) / stride, 8 / (i%2 + 1)}
	}
	externals := externalNames(b.String())
	text := strings.Replace(b.String(), "net( x )", "net( "+strings.Join(externals, ", ")+" )", 1) + "y = copy(x);\n}\n"
	f, err := nnef.OpenText("net.nnef", []byte(text), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Flatten(flat.User)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range g.Ops {
		if r := op.Outputs()[0]; want[r.Name] != nil && !slices.Equal(r.Shape, want[r.Name]) {
			t.Errorf("%s has the shape %v, want %v", r.Name, r.Shape, want[r.Name])
		}
	}
}

// externalNames returns the identifiers that external is assigned to.
func externalNames(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, " = external"); ok {
			names = append(names, name)
		}
	}
	return names
}
