package nnef_test

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// flattened are documents with operands that are absent and scalars that have no literal.
var flattened = map[string]string{
	"absent operand": `version 1.0;
extension tract_registry tract_transformers;
graph g( x ) -> ( y )
{
    x = tract_core_external(shape = [1, 2, 3], datum_type = 'f32');
    y = tract_transformers_sdpa(x, x, x, datum_type = 'f32', acc_datum_type = 'f32', is_causal = false, scale = 1.3);
}
`,
	"infinite": `version 1.0;
extension tract_registry tract_core;
graph g( x ) -> ( y, z, n )
{
    x = tract_core_external(shape = [2, 3], datum_type = 'f32');
    y = select(x > 0.0, 1.0, -inf);
    z = max(x, inf * 2.0);
    n = select(x > 0.0, x, inf - inf);
}
`,
	"ends of the range": `version 1.0;
extension KHR_enable_operator_expressions;
graph g( x ) -> ( y, z )
{
    x = external(shape = [2, 3]);
    y = x * -0.0 + 1e-45;
    z = max(x, 3.4028234663852886e38) * 1.4e-45;
}
`,
}

// TestFlattenedAgain reads flattened documents, which have the same results.
func TestFlattenedAgain(t *testing.T) {
	for name, text := range flattened {
		f, err := nnef.OpenText("g.nnef", []byte(text), nnef.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		fg, err := f.Flatten(flat.User)
		if err != nil {
			t.Fatal(name, err)
		}
		var b bytes.Buffer
		if err := fg.Write(&b); err != nil {
			t.Fatal(name, err)
		}
		var outputs [2]map[string]*tensor.Tensor
		for i, text := range []string{text, b.String()} {
			g, err := nnef.Parse("g.nnef", []byte(text), nnef.Options{})
			if err != nil {
				t.Fatal(name, err)
			}
			x := op.NewRand(1, 1).Tensor(tensor.Float32, g.Inputs[0].Type.Shape)
			outputs[i] = evaluate(t, g, map[string]*tensor.Tensor{"x": x})
		}
		for out, want := range outputs[0] {
			if got := outputs[1][out]; got == nil || !bytes.Equal(tensor.Raw(got), tensor.Raw(want)) {
				t.Errorf("%s: %s is %v; before it was flattened %v\n%s", name, out, got, want, &b)
			}
		}
	}
}
