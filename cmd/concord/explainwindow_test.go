package main

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
)

// TestReportWindow takes the numbers of the standard's rules: one window begins in each stride, and the odd item of padding
// lies behind.
func TestReportWindow(t *testing.T) {
	document := func(body string) string { return "version 1.0;\ngraph net( x ) -> ( y )\n{\n" + body + "}\n" }
	pool := func(in, size, stride, dilation int, padding string) string {
		return document(fmt.Sprintf("x = external(shape = [%d]);\ny = max_pool(x, size = [%d], stride = [%d], dilation = [%d]%s);\n",
			in, size, stride, dilation, padding))
	}
	const deconv = "x = external(shape = [1, 1, 5]);\nf = variable(shape = [1, 1, 3], label = 'f');\ny = deconv(x, f, stride = [2]%s);\n"
	for _, tt := range []struct {
		text     string
		want     axisReport
		up       bool
		computed bool
	}{
		{pool(7, 3, 2, 1, ""), axisReport{In: 7, Out: 4, Kernel: 3, Stride: 2, Dilation: 1, Before: 1, After: 1, Covers: 3}, false, true},
		{pool(6, 3, 2, 1, ""), axisReport{In: 6, Out: 3, Kernel: 3, Stride: 2, Dilation: 1, After: 1, Covers: 3}, false, true},
		{pool(7, 3, 1, 2, ""), axisReport{In: 7, Out: 7, Kernel: 3, Stride: 1, Dilation: 2, Before: 2, After: 2, Covers: 5}, false, true},
		{pool(5, 1, 2, 1, ""), axisReport{In: 5, Out: 3, Kernel: 1, Stride: 2, Dilation: 1, Covers: 1}, false, true},
		{pool(7, 3, 2, 1, ", padding = [(0, 0)]"), axisReport{In: 7, Out: 3, Kernel: 3, Stride: 2, Dilation: 1, Covers: 3}, false, false},
		{document(fmt.Sprintf(deconv, "")), axisReport{Axis: 2, In: 5, Out: 10, Kernel: 3, Stride: 2, Dilation: 1, After: 1, Covers: 3}, true, true},
		{document(fmt.Sprintf(deconv, ", output_shape = [1, 1, 9]")),
			axisReport{Axis: 2, In: 5, Out: 9, Kernel: 3, Stride: 2, Dilation: 1, Before: 1, After: 1, Covers: 3}, true, true},
	} {
		f, err := nnef.OpenText("net.nnef", []byte(tt.text), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := f.Explain(flat.User)
		if err != nil {
			t.Fatal(err)
		}
		w := reportOperation(e.Flat.Ops[len(e.Flat.Ops)-1], e).Windows
		if len(w) != 1 || len(w[0].Axes) != 1 || w[0].Axes[0] != tt.want || w[0].Up != tt.up || w[0].Computed != tt.computed {
			t.Errorf("%s: %+v; want %+v", tt.text, w, tt.want)
		}
	}
}
