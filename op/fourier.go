package op

import (
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Transforms of signals.
var fourierOps = []*Def{dftDef}

var dftDef = &Def{
	Name: "dft",
	Doc: `Dft returns the discrete Fourier transform of signals along an axis, or its inverse (ONNX, DFT).

X[k] = Σ x[i]·w(i·k) over the N elements i of a signal, with w(t) = cos(2πt/N) - j·sin(2πt/N); the inverse has + j·sin and divides by N. The last
dimension has real and imaginary parts, or real ones alone. N is length or, if that is 0, the extent n of the axis; missing elements are
0, and further ones are left out. With onesided only X[0] … X[N/2] are returned; the inverse takes them, with X[N-k] the conjugate of X[k] and
X[0] and, for even N, X[N/2] counting as real, and yields real parts alone; N is then 2·(n-1) if length is 0.

All is computed in float64, operation by operation, and rounded once to the type of the result. The transform of one element is the element. Else let p be the least prime
factor of N, m = N/p, and F(r) the transform of every p-th element from number r on: X[k] is F(0)[k mod m], to which are added, for r = 1 … p-1, the
products F(r)[k mod m]·w(r·k mod N), (a + jb)(c + jd) being (a·c - b·d) + j(a·d + b·c). Sine and cosine are those of fmath.Turn.`,
	In:  []Operand{{Name: "input", Types: Floats, Rank: AtLeast(2), Doc: "signals; the last extent is 1 (real) or 2 (complex)"}},
	Out: []Result{{Name: "output", Like: "input", Doc: "transforms; the last extent is 2, or 1 for an inverse that is onesided"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Doc: "dimension of the signals, not the last"},
		{Name: "length", Kind: graph.KindInt, Default: 0, Range: [2]float64{0, gridLimit}, Doc: "number N of elements; 0 for all"},
		{Name: "inverse", Kind: graph.KindBool, Default: false, Doc: "whether the inverse is computed"},
		{Name: "onesided", Kind: graph.KindBool, Default: false, Doc: "whether there are only the first half of the frequencies, those of a real signal"},
	},
	Shape:    dftShape,
	Ref:      Reference{Kernels: floatKernels(dftKernel[float32], dftKernel[float64]), Pieces: dftSignals, Scratch: dftScratch},
	Work:     dftWork,
	Lane:     firstLane(func(s *Sig, axis int) bool { return axis != s.Int("axis") && axis != s.In[0].Shape.Rank()-1 }),
	Generate: generateDFT,
}

// dftLength returns the number of elements of a signal.
func dftLength(in tensor.Shape, a graph.Attrs) int {
	n := a.Int("length")
	if n > 0 {
		return n
	}
	if n = in[a.Int("axis")]; a.Bool("inverse") && a.Bool("onesided") {
		n = 2 * (n - 1)
	}
	return n
}

func dftShape(s *Sig) ([]tensor.Shape, error) {
	in := s.In[0].Shape
	last := len(in) - 1
	axis, err := s.axis("axis", in)
	switch {
	case err != nil:
		return nil, err
	case axis == last:
		return nil, s.Errorf("axis", "dimension %d holds real and imaginary parts; the axis must be another", axis)
	case in[last] != 1 && in[last] != 2:
		return nil, s.Errorf("input", "the last extent of %v must be 1, for real, or 2, for complex numbers", in)
	}
	n := dftLength(in, s.Attrs)
	if n < 1 || n > gridLimit {
		return nil, s.Misfit("length", "%d elements cannot be transformed; there must be from 1 to %d", n, gridLimit)
	}
	out := in.Clone()
	out[axis], out[last] = n, 2
	switch {
	case s.Bool("onesided") && s.Bool("inverse"):
		out[last] = 1
	case s.Bool("onesided"):
		out[axis] = n/2 + 1
	}
	return []tensor.Shape{out}, nil
}

// leastFactor returns the least prime factor of n > 1.
func leastFactor(n int) int {
	for p := 2; p <= n/p; p++ {
		if n%p == 0 {
			return p
		}
	}
	return n
}

// primeFactors returns the sum of the prime factors of n and the greatest.
func primeFactors(n int) (sum, greatest int) {
	for n > 1 {
		greatest = leastFactor(n)
		sum += greatest
		n /= greatest
	}
	return sum, greatest
}

// dftSignals makes each signal a piece.
func dftSignals(s *Sig, _ []Type) int {
	n := 1
	for d, extent := range s.In[0].Shape[:len(s.In[0].Shape)-1] {
		if d != s.Int("axis") {
			n *= extent
		}
	}
	return n
}

// dftScratch asks for the table of w, the transform, and as many elements as the greatest factor has.
func dftScratch(s *Sig, _ []Type) int {
	n := dftLength(s.In[0].Shape, s.Attrs)
	_, greatest := primeFactors(n)
	return (2*n + greatest) * int(unsafe.Sizeof(point{}))
}

func dftWork(s *Sig, _ []tensor.Shape) Work {
	n := dftLength(s.In[0].Shape, s.Attrs)
	sum, _ := primeFactors(n)
	return Work{MACs: times(dftSignals(s, nil), n, sum, 4), Ops: times(n, 32)}
}

// point is a complex number, of which no operation is fused.
type point struct{ re, im float64 }

func (a point) plus(b point) point { return point{a.re + b.re, a.im + b.im} }

func (a point) times(b point) point {
	return point{float64(a.re*b.re) - float64(a.im*b.im), float64(a.re*b.im) + float64(a.im*b.re)}
}

// fourier transforms one signal after the other.
type fourier[T fmath.Float] struct {
	n                int
	x                []T  // from the first element of the signal on
	extent           int  // of the axis
	step             int  // between elements of the signal
	complex, half    bool // whether there are imaginary parts, and only the first half of the elements
	turns, out, some []point
	watch            Watch
}

// element returns element i of the signal.
func (f *fourier[T]) element(i int) point {
	at, mirrored := i, f.half && i > f.n-i
	if mirrored {
		at = f.n - i
	}
	if at >= f.extent {
		return point{}
	}
	p := point{re: float64(f.x[at*f.step])}
	if f.complex && (!f.half || i != 0 && i != f.n-i) {
		p.im = float64(f.x[at*f.step+1])
	}
	if mirrored {
		p.im = -p.im
	}
	return p
}

// transform sets out[at…at+n-1] to the transform of n elements, from a first one on, that are a distance apart. It returns false if nobody
// waits for them.
func (f *fourier[T]) transform(at, first, distance, n int) bool {
	if n == 1 {
		f.out[at] = f.element(first)
		return true
	}
	p := leastFactor(n)
	m := n / p
	for r := range p {
		if !f.transform(at+r*m, first+r*distance, distance*p, m) { // Without this it would end a little later.
			return false
		}
	}
	out := f.out[at:][:n]
	if p == 2 {
		return f.joinHalves(out[:m], out[m:], distance)
	}
	for j := range m {
		some := f.some[:p]
		for q := range some {
			if f.watch.Stops(4 * p) {
				return false
			}
			k, turn := j+q*m, 0
			sum := out[j]
			for i := j + m; i < n; i += m {
				if turn += k; turn >= n { // the remainder of a multiple of k
					turn -= n
				}
				sum = sum.plus(out[i].times(f.turns[turn*distance]))
			}
			some[q] = sum
		}
		for q, sum := range some {
			out[j+q*m] = sum
		}
	}
	return true
}

// joinHalves is the last step of transform for two parts, whose sums stay in registers.
func (f *fourier[T]) joinHalves(even, odd []point, distance int) bool {
	odd = odd[:len(even)]
	near, far := f.turns, f.turns[len(even)*distance:]
	for j, b := range odd {
		if f.watch.Stops(16) {
			return false
		}
		a := even[j]
		even[j], odd[j] = a.plus(b.times(near[j*distance])), a.plus(b.times(far[j*distance]))
	}
	return true
}

func dftKernel[T fmath.Float](c *Call, lo, hi int) {
	in, out, axis, inverse := c.In[0].Shape(), c.Out[0].Shape(), c.Int("axis"), c.Bool("inverse")
	x, y, last := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), len(in)-1
	n, parts, inner := dftLength(in, c.Attrs), out[last], in[axis+1:last].Len()
	memory := unsafe.Slice((*point)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), len(c.Scratch)/int(unsafe.Sizeof(point{})))
	f := fourier[T]{n: n, extent: in[axis], step: inner * in[last], complex: in[last] == 2, half: inverse && c.Bool("onesided"),
		turns: memory[:n], out: memory[n : 2*n], some: memory[2*n:], watch: c.Watch()}
	for k := range f.turns {
		sin, cos := fmath.Turn(int64(k), int64(n))
		if f.turns[k] = (point{cos, -sin}); inverse {
			f.turns[k].im = sin
		}
		if f.watch.Stops(32) {
			return
		}
	}
	for signal := lo; signal < hi; signal++ {
		before, after := signal/inner, signal%inner
		if in[axis] > 0 { // else all elements are zeros that were added
			f.x = x[(before*in[axis]*inner+after)*in[last]:]
		}
		if !f.transform(0, 0, 1, n) {
			return
		}
		to := y[(before*out[axis]*inner+after)*parts:]
		for k := range out[axis] {
			v := f.out[k]
			if inverse {
				v = point{v.re / float64(n), v.im / float64(n)}
			}
			if to[k*inner*parts] = canonical(T(v.re)); parts == 2 {
				to[k*inner*parts+1] = canonical(T(v.im))
			}
		}
	}
}

func generateDFT(r *Rand) Case {
	shape := r.Shape(2, 4)
	axis, last := r.IntN(len(shape)-1), len(shape)-1
	shape[last] = r.Between(1, 2)
	shape[axis] = Pick(r, []int{1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 22, 30})
	inverse, onesided, length := r.Bool(), r.Bool(), 0
	if r.Bool() || inverse && onesided && shape[axis] == 1 {
		length = r.Between(1, 2*shape[axis])
	}
	d := r.DType(Floats)
	x := r.Tensor(d, shape)
	if r.IntN(8) == 0 {
		x = r.Extremes(d, shape)
	}
	return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{{Name: "axis", Value: axis}, {Name: "length", Value: length},
		{Name: "inverse", Value: inverse}, {Name: "onesided", Value: onesided}}}
}
