package nnef_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// blockText returns a document of the text form whose graph takes one of two fragments.
func blockText(then, call string) string {
	return `version 1.0;
extension concord_operators;
extension KHR_enable_fragment_definitions;
extension concord_symbol N;

fragment _if<?>( condition: tensor<logical>, values: tensor<?>[], then: string, _else: string ) -> ( results: tensor<?>[] );

fragment yes( a: tensor<scalar>, b: tensor<integer> ) -> ( y: tensor<scalar> )
{
    ` + then + `
}

fragment no( a: tensor<scalar>, b: tensor<integer> ) -> ( y: tensor<scalar> )
{
    y = neg(a);
}

graph net( c, x, i ) -> ( y )
{
    c = external<logical>(shape = []);
    x = external<scalar>(shape = [N, 3]);
    i = external<integer>(shape = [2]);
    ` + call + `
}
`
}

const goodCall = "[y] = _if(c, [x, i], then = 'yes', _else = 'no');"

// TestBlocks checks, flattens, writes and compares documents whose nodes own graphs.
func TestBlocks(t *testing.T) {
	open := func(text string) *nnef.File {
		t.Helper()
		f, err := nnef.OpenText("net.nnef", []byte(text), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	variable := strings.Replace(blockText("v = variable<scalar>(shape = [1, 3], label = 'v');\n    y = add(a, v);", "[y] = _if(c, [x, i], then = 'yes', _else = 'yes');"), "[N, 3]", "[4, 3]", 1)
	if found := open(variable).Check(); len(found) > 0 {
		t.Error(found)
	}
	read := 0
	_, err := nnef.Parse("net.nnef", []byte(variable), nnef.Options{Variables: func(string) (*tensor.Tensor, error) {
		read++
		return tensor.New(tensor.Float32, tensor.Shape{1, 3})
	}})
	if err != nil || read != 1 {
		t.Errorf("the variable of two blocks is read %d times, %v", read, err)
	}
	f := open(blockText("z = relu(a);\n    y = mul(z, 2.0);", goodCall))
	if found := f.Check(); len(found) > 0 {
		t.Error(found)
	}
	g, err := f.Flatten(flat.User)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Outputs[0].Type, g.Outputs[0].Shape); got != "scalar [0 3]" {
		t.Errorf("the output is %s", got)
	}
	var b bytes.Buffer
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := open(b.String()).Flatten(flat.User)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if second := textOf(t, again); second != b.String() {
		t.Errorf("what was written differs: %s\n%s", second, b.String())
	}
}

// TestBlockErrors holds mistakes in blocks to be told where they stand.
func TestBlockErrors(t *testing.T) {
	for _, c := range []struct{ then, call, want string }{
		{"y = reshape(a, shape = [5, 7]);", goodCall, "net.nnef:10:28: shape error [NNEF1201]: reshape: shape:"},
		{"y = sum_reduce(a, axes = [0]);", goodCall, "net.nnef:23:48: shape error [NNEF1201]: if: else: output 0 is float32[4,3]; in the block then it is float32[1,3]"},
		{"y = relu(a);", "[y] = _if(c, [x, i], then = 'maybe', _else = 'no');", "net.nnef:23:33: name error [NNEF0502]: there is no fragment maybe with a body"},
		{"y = relu(a);", "[y] = _if(c, [x], then = 'yes', _else = 'no');", "net.nnef:23:30: shape error [NNEF1201]: the fragment yes has 2 parameters; the block takes 1 values"},
		{"[y] = _if(true, [a, b], then = 'yes', _else = 'yes');", goodCall, "net.nnef:10:36: eval error [NNEF1005]: blocks are nested more than 100 deep"},
		{"v = variable<scalar>(shape = [1, 3], label = 'v');\n    y = add(a, v);", goodCall, "the data of variable v is not at hand"},
		{"u = constant<integer>(shape = [1], value = [1]);\n    y = add(a, u);", goodCall, "net.nnef:11:"},
	} {
		f, err := nnef.OpenText("net.nnef", []byte(strings.Replace(blockText(c.then, c.call), "[N, 3]", "[4, 3]", 1)), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.Model(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant …%s", c.then, err, c.want)
		}
	}
}
