package params_test

import (
	"strconv"
	"testing"

	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkParse parses 50 MB in 100 arrays, half of them int32 and at odd offsets.
func BenchmarkParse(b *testing.B) {
	var list []params.Param
	for i := range 100 {
		name := strconv.Itoa(i)
		d, n := tensor.Int8, 500_000
		if i%2 == 0 {
			d, n = tensor.Int32, 125_000
		}
		x, err := tensor.New(d, tensor.Shape{n})
		list = append(list, params.Param{Name: name, Tensor: must(b, x, err)})
	}
	file, err := params.Append(nil, list)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := params.Parse(file); err != nil {
			b.Fatal(err)
		}
	}
}
