package testdata

import (
	"fmt"
	"strings"
)

// NetworkText returns an NNEF document like those that exporters write: n blocks of convolution, activation, pooling and
// addition with all attributes.
func NetworkText(n int) string {
	var b strings.Builder
	b.WriteString("version 1.0;\n\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [1, 8, 16, 16]);\n    a0 = copy(x);\n")
	for i := range n {
		fmt.Fprintf(&b, "    w%[1]d = variable<scalar>(shape = [8, 8, 3, 3], label = 'block%[1]d/conv/weights');\n", i)
		fmt.Fprintf(&b, "    c%[1]d = conv(a%[1]d, w%[1]d, 0.0, border = 'constant', padding = [(1, 1), (1, 1)], stride = [1, 1], dilation = [1, 1], groups = 1);\n", i)
		fmt.Fprintf(&b, "    r%[1]d = relu(c%[1]d);\n", i)
		fmt.Fprintf(&b, "    p%[1]d = max_pool(r%[1]d, size = [1, 1, 3, 3], border = 'ignore', padding = [(0, 0), (0, 0), (1, 1), (1, 1)], stride = [1, 1, 1, 1], dilation = [1, 1, 1, 1]);\n", i)
		fmt.Fprintf(&b, "    a%d = add(p%d, a%d);\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "    y = copy(a%d);\n}\n", n)
	return b.String()
}
