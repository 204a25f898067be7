package checked

import "math"

// E is a public name.
var E = math.Exp(1)

var Root = math.Sqrt(2)

const Zero = 0 // Zero may have its comment behind it.

type (
	// T is public.
	T struct{}
	U struct{}
	v int
)

// The name comes first.
func Power(x float64) float64 { return math.Tan(x) } //nolint:portable // it is a test

func (T) M() {}

func (T) m() {} //nolint:unused // it is a test

func (T) String() string { return "" }

var unused = v(0) //nolint:unused // it is a test

var again = v(0) //nolint:errcheck // it is no error

var more = v(unused)
