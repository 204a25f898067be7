package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Matrix products, and determinants.
var matmulOps = []*Def{matmul, linear, gemm, detDef}

// productDoc says in which order a product is accumulated.
const productDoc = "Floats: each element starts at +0 and takes one fused multiply-add for each k, in ascending order. "

var matmul = &Def{
	Name: "matmul",
	Doc: "Matmul returns the matrix products C = A · B over the last two dimensions, cᵢⱼ = ∑ₖ aᵢₖ·bₖⱼ; the leading dimensions broadcast (NNEF; WebNN). " +
		productDoc + "Integers may have two types; products and sums wrap in the type of the result. With zero points cᵢⱼ = ∑ₖ (aᵢₖ - A_zeroᵢ)·(bₖⱼ - B_zeroⱼ) " +
		"(ONNX, MatMulInteger).",
	Spec: Spec{NNEF: "matmul", WebNN: "matmul"},
	In: []Operand{
		{Name: "A", Types: Numbers, Rank: AtLeast(2), Doc: "left matrices (…, M, K), or (…, K, M) if transposed"},
		{Name: "B", Types: Numbers, Rank: AtLeast(2), Doc: "right matrices (…, K, N), or (…, N, K) if transposed, in the rank of A; a float has A's type, an integer any"},
		zeroOperand("A", AnyRank, "a scalar, or of the rank of C: one for each row (…, M, 1), where leading extents may be 1"),
		zeroOperand("B", AnyRank, "a scalar, or of the rank of C: one for each column (…, 1, N), where leading extents may be 1"),
	},
	Out: []Result{{Name: "C", Like: "A", TypeAttr: "dtype", Doc: "products (…, M, N)"}},
	Attrs: []Attr{
		{Name: "transposeA", Kind: graph.KindBool, Default: false, Doc: "whether A is transposed"},
		{Name: "transposeB", Kind: graph.KindBool, Default: false, Doc: "whether B is transposed"},
		sumsAttr,
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		out, err := matmulShape(s)
		if err != nil {
			return nil, err
		}
		return out, s.matmulZeros(out[0])
	},
	Ref:      Reference{Kernels: productKernels(matmulOf(fma[float32]), matmulOf(fma[float64]), matmulOf(mulAdd[int32]), matmulOf(mulAdd[int64])), PerElement: true},
	Work:     matmulWork,
	Expand:   expandMatmul,
	Lane:     matmulLane,
	Generate: func(r *Rand) Case { return r.matrices(r.Between(0, 2), true, r.DType(Numbers)) },
	Further: func(r *Rand) Case {
		c := r.matrices(r.Between(0, 2), true, r.DType(Integers))
		_, types, err := byName["matmul"].Bind(typesOf(c.In), c.Attrs)
		out := must(types, err)[0].Shape
		for i, shared := range []int{len(out) - 1, len(out) - 2} {
			zero := tensor.Shape{}
			if r.Bool() {
				zero = r.someOnes(out)
				zero[shared] = 1
			}
			c.In = append(c.In, r.Tensor(c.In[i].DType(), zero))
		}
		c.In = r.drop(c.In, 2)
		return c
	},
}

var linear = &Def{
	Name: "linear",
	Doc: "Linear returns input · filterᵀ + bias, yᵢⱼ = ∑ₖ xᵢₖ·fⱼₖ + bⱼ (NNEF, linear; CVM, dense; OpenVX, fully connected layer). " +
		productDoc + "The bias, if given, is added last, with one rounding. Integers may have two types; products and sums wrap in the type of the result.",
	Spec: Spec{NNEF: "linear", OpenVX: "vxFullyConnectedLayer", CVM: "dense"},
	In: []Operand{
		{Name: "input", Types: Numbers, Rank: Rank(2), Doc: "(M, K): batch and features"},
		{Name: "filter", Types: Numbers, Rank: Rank(2), Doc: "(N, K); a float has the input's type, an integer any"},
		{Name: "bias", Types: Floats | TypeSet(tensor.Int32, tensor.Int64), Rank: Ranks{0, 2}, Optional: true,
			Doc: "one number or one for each column, shaped (N) or (1, N); it has the type of the result"},
	},
	Out:   []Result{{Name: "output", Like: "input", TypeAttr: "dtype", Doc: "(M, N)"}},
	Attrs: []Attr{sumsAttr},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if err := s.productTypes(); err != nil {
			return nil, err
		}
		x, f := s.In[0].Shape, s.In[1].Shape
		if x[1] != f[1] {
			return nil, s.Errorf("filter", "shape %v has %d columns; it must have %d, as many as the input %v", f, f[1], x[1], x)
		}
		shape := tensor.Shape{x[0], f[0]}
		return []tensor.Shape{shape}, s.checkBias(shape)
	},
	Ref:     Reference{Kernels: productKernels(linearOf(fma[float32]), linearOf(fma[float64]), linearOf(mulAdd[int32]), linearOf(mulAdd[int64])), PerElement: true},
	Body:    "output = matmul(input, filter, transposeB = true, dtype = dtype) + reshape(bias, shape = [1, -1]);",
	BodyTol: 0,
	Work:    addedWork,
	Lane:    itemLane("input"),
	Generate: func(r *Rand) Case {
		c := r.matrices(0, false, r.DType(Numbers))
		c.In[1] = r.Tensor(c.In[1].DType(), tensor.Shape{r.Extent(), c.In[0].Shape()[1]})
		n, d := c.In[1].Shape()[0], c.In[0].DType()
		if d.IsInteger() {
			d = c.Attrs.DType("dtype")
		}
		c.In = append(c.In, r.Tensor(d, Pick(r, []tensor.Shape{{}, {n}, {1, n}, {1, 1}})))
		c.In = r.drop(c.In, 2)
		return c
	},
}

var gemm = &Def{
	Name: "gemm",
	Doc: "Gemm returns alpha · A · B + beta · C for matrices A (M, K) and B (K, N), C broadcast to (M, N) (WebNN, gemm). " +
		productDoc + "The sum is multiplied by alpha and C by beta, then they are added, each step rounded; factors of exactly 1 and an absent C are left out.",
	Spec: Spec{WebNN: "gemm"},
	In: []Operand{
		{Name: "a", Types: Floats, Rank: Rank(2), Doc: "left matrix (M, K), or (K, M) if transposed"},
		{Name: "b", Types: Floats, Like: "a", Rank: Rank(2), Doc: "right matrix (K, N), or (N, K) if transposed"},
		{Name: "c", Types: Floats, Like: "a", Rank: Ranks{0, 2}, Optional: true, Doc: "addend: its dimensions, aligned on the right with (M, N), have the same extent or 1"},
	},
	Out: []Result{{Name: "output", Like: "a", Doc: "(M, N)"}},
	Attrs: []Attr{
		{Name: "alpha", Kind: graph.KindFloat, Default: 1.0, Doc: "factor of the product"},
		{Name: "beta", Kind: graph.KindFloat, Default: 1.0, Doc: "factor of c"},
		{Name: "transposeA", Kind: graph.KindBool, Default: false, Doc: "whether a is transposed"},
		{Name: "transposeB", Kind: graph.KindBool, Default: false, Doc: "whether b is transposed"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		out, err := matmulShape(s)
		if err != nil || !s.Has(2) {
			return out, err
		}
		c := s.In[2].Shape
		for i := range c {
			if n := out[0][2-len(c)+i]; c[i] != n && c[i] != 1 {
				return nil, s.Errorf("c", "shape %v does not broadcast to %v", c, out[0])
			}
		}
		return out, nil
	},
	Ref: Reference{Kernels: floatKernels(gemmFloats[float32], gemmFloats[float64]), PerElement: true},
	// The function mul of an absent operand is absent; the operator would leave its other operand.
	Body: "output = alpha * matmul(a, b, transposeA = transposeA, transposeB = transposeB)\n" +
		"    + mul(reshape(c, shape = [1] * (2 - length_of(shape_of(c))) + shape_of(c)), beta);",
	Work: addedWork,
	Lane: gemmLane,
	Generate: func(r *Rand) Case {
		c := r.matrices(0, true, r.DType(Floats))
		m, n := c.In[0].Shape()[0], c.In[1].Shape()[1]
		if c.Attrs.Bool("transposeA") {
			m = c.In[0].Shape()[1]
		}
		if c.Attrs.Bool("transposeB") {
			n = c.In[1].Shape()[0]
		}
		c.In = append(c.In, r.Tensor(c.In[0].DType(), Pick(r, []tensor.Shape{{}, {1}, {n}, {1, n}, {m, 1}, {m, n}})))
		c.In = r.drop(c.In, 2)
		c.Attrs = append(graph.Attrs{
			{Name: "alpha", Value: Pick(r, []float64{1, 0.5, -1.25})},
			{Name: "beta", Value: Pick(r, []float64{1, 0, 0.75})},
		}, c.Attrs[:2]...)
		return c
	},
}

// allIntegers returns the table with k for every integer type.
func allIntegers(k Kernel) Kernels { return integerKernels(k, k, k, k, k, k, k, k) }

// productTypes checks that operand 1 has the type of operand 0 if either is a float.
func (s *Sig) productTypes() error {
	a, b := s.In[0].DType, s.In[1].DType
	if a == b || a.IsInteger() && b.IsInteger() {
		return nil
	}
	want := "an integer"
	if a.IsFloat() {
		want = a.String()
	}
	return s.Errorf(s.Def.In[1].Name, "the element type is %v; for %s of type %v it must be %s", b, s.Def.In[0].Name, a, want)
}

// matmulZeros checks the zero points of factors against the shape of the product.
func (s *Sig) matmulZeros(out tensor.Shape) error {
	for i, shared := range []int{len(out) - 1, len(out) - 2} { // the dimension in which each serves all elements
		zero := s.In[2+i].Shape // without dimensions if it is absent
		fits := len(zero) == 0 || len(zero) == len(out) && zero[shared] == 1
		for d := 0; d < len(zero) && fits; d++ {
			fits = zero[d] == 1 || zero[d] == out[d]
		}
		if !fits {
			return s.Errorf(s.Def.In[2+i].Name, "shape %v; it must be a scalar, or have extent 1 in dimension %d and in the others 1 or those of the product %v", zero, shared, out)
		}
	}
	return nil
}

// matmulShape is the shape rule of matmul and gemm.
func matmulShape(s *Sig) ([]tensor.Shape, error) {
	if err := s.productTypes(); err != nil {
		return nil, err
	}
	a, b, name := s.In[0].Shape, s.In[1].Shape, s.Def.In[1].Name
	if len(a) != len(b) {
		return nil, s.Errorf(name, "the ranks of shapes %v and %v differ", a, b)
	}
	at := len(a) - 2
	m, k, k2, n := a[at], a[at+1], b[at], b[at+1]
	if s.Bool("transposeA") {
		m, k = k, m
	}
	if s.Bool("transposeB") {
		k2, n = n, k2
	}
	if k != k2 {
		return nil, s.Errorf(name, "the product of shapes %v and %v is not defined: the left matrix has %d columns, the right one %d rows", a, b, k, k2)
	}
	shape := a.Clone()
	shape[at], shape[at+1] = m, n
	for d := range at {
		switch {
		case a[d] == 1:
			shape[d] = b[d]
		case b[d] != 1 && b[d] != a[d]:
			return nil, s.Errorf(name, "shape %v does not broadcast with %v: the extents %d and %d of dimension %d differ", b, a, b[d], a[d], d)
		}
	}
	return []tensor.Shape{shape}, nil
}

// matmulWork counts a multiply-add for each element of the result and each k.
func matmulWork(s *Sig, out []tensor.Shape) Work {
	a := s.In[0].Shape
	k := a[len(a)-1]
	if s.Bool("transposeA") {
		k = a[len(a)-2]
	}
	return Work{MACs: times(out[0].Len(), k)}
}

// addedWork counts an addend, operand 2, too.
func addedWork(s *Sig, out []tensor.Shape) Work {
	w := matmulWork(s, out)
	if s.Has(2) {
		w.Ops = int64(out[0].Len())
	}
	return w
}

// matrices returns two factors of the given type with some leading dimensions, and attributes for them.
func (r *Rand) matrices(leading int, transposable bool, d tensor.DType) Case {
	m, k, n := r.Extent(), r.Extent(), r.Extent()
	lead := r.Shape(leading, leading)
	a, b := append(r.someOnes(lead), m, k), append(r.someOnes(lead), k, n)
	attrs := graph.Attrs{}
	if transposable {
		ta, tb := r.Bool(), r.Bool()
		if ta {
			a[leading], a[leading+1] = k, m
		}
		if tb {
			b[leading], b[leading+1] = n, k
		}
		attrs = graph.Attrs{{Name: "transposeA", Value: ta}, {Name: "transposeB", Value: tb}}
	}
	other := d
	if d.IsInteger() {
		other = r.DType(Integers)
	}
	attrs = append(attrs, graph.Attr{Name: "dtype", Value: Pick(r, sumsAttr.Types.List())})
	c := Case{In: []*tensor.Tensor{r.Tensor(d, a), r.Tensor(other, b)}, Attrs: attrs}
	if d.IsFloat() && r.IntN(8) == 0 {
		i := r.IntN(2)
		c.In[i] = r.Extremes(d, c.In[i].Shape())
	}
	return c
}

// someOnes returns a copy of shape in which some extents are 1.
func (r *Rand) someOnes(shape tensor.Shape) tensor.Shape {
	out := append(tensor.Shape{}, shape...)
	for i := range out {
		if r.IntN(3) == 0 {
			out[i] = 1
		}
	}
	return out
}
