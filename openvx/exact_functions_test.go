package openvx_test

import (
	"fmt"
	"math/big"
	"slices"
)

// accuracy is how near, relative to the terms of a formula, an implementation has to come to the values of functions: the text
// does not say, and this is what float32 arithmetic attains with a few operations.
var accuracy = big.NewRat(1, 1<<20)

// slack is the accuracy for the terms of a formula.
func slack(terms ...*big.Rat) *big.Rat {
	s := new(big.Rat)
	for _, t := range terms {
		s.Add(s, new(big.Rat).Abs(t))
	}
	return s.Mul(s, accuracy)
}

// Activation is vxActivationLayer.
type Activation struct {
	Function string // as in vx_nn_activation_function_e, in lower case
	A, B     float32
}

// Apply returns the results, which are truncated. The root of a negative number is 0.
func (a Activation) Apply(f Format, in *exactTensor) Result {
	return within(in.Dims, func(index []int) (low, high int64) {
		raw := in.at(index...)
		x, zero := f.value(raw), new(big.Rat)
		exactly := func(v *big.Rat) (low, high int64) {
			n := f.encode(v, Policy{})
			return n, n
		}
		switch a.Function {
		case "logistic":
			e := point(x).neg().exp()
			return number(1).add(e).inverse().elements(f, accuracy)
		case "hyperbolic_tan":
			factor := rational(a.A)
			x.Mul(x, rational(a.B))
			e := point(x.Add(x, x)).exp()
			tanh := number(1).sub(number(1).add(e).inverse().shift(1))
			return point(factor).mul(tanh).elements(f, slack(factor))
		case "relu":
			return exactly(greater(x, zero))
		case "brelu":
			bound := rational(a.A)
			if x = greater(x, zero); x.Cmp(bound) > 0 {
				x = bound
			}
			return exactly(x)
		case "softrelu":
			y := number(1).add(point(x).exp()).log()
			return y.elements(f, slack(greater(x, big.NewRat(1, 1))))
		case "abs":
			return exactly(x.Abs(x))
		case "square":
			return exactly(x.Mul(x, x))
		case "sqrt": // of an integer below a square root: both are truncated alike
			n := new(big.Int).Sqrt(big.NewInt(max(raw, 0) << f.Fraction)).Int64()
			return n, n
		case "linear":
			product, b := new(big.Rat).Mul(rational(a.A), x), rational(a.B)
			return point(new(big.Rat).Add(product, b)).elements(f, slack(product, b))
		}
		panic(fmt.Sprintf("exact: no function %q", a.Function))
	})
}

func greater(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// Softmax is vxSoftmaxLayer: over the first of up to two dimensions, and over the third of more.
func Softmax(f Format, in *exactTensor) Result {
	axis := 0
	if len(in.Dims) > 2 {
		axis = 2
	}
	powers := map[int64]interval{} // of e, by differences of elements
	return within(in.Dims, func(index []int) (low, high int64) {
		// 1 / Σ e^(x_i - x)
		x, total := in.at(index...), number(0)
		other := slices.Clone(index)
		for other[axis] = range in.Dims[axis] {
			difference := in.at(other...) - x
			if _, known := powers[difference]; !known {
				powers[difference] = point(f.value(difference)).exp()
			}
			total = total.add(powers[difference])
		}
		return total.inverse().elements(f, accuracy)
	})
}

// Normalization is vxLocalResponseNormalizationLayer, and with a bias of 1 vxNormalizationLayer.
type Normalization struct {
	AcrossMaps        bool
	Size              int
	Alpha, Beta, Bias float32
}

// Apply returns the results, which are truncated. Within a map the region is a square of Size, and its elements are what is counted.
func (n Normalization) Apply(f Format, in *exactTensor) Result {
	region := [3]int{n.Size, n.Size, 1}
	if n.AcrossMaps {
		region = [3]int{1, 1, n.Size}
	}
	alpha := new(big.Rat).Mul(rational(n.Alpha), big.NewRat(1, int64(Volume(region[:]))))
	return within(in.Dims, func(index []int) (low, high int64) {
		squares, other := int64(0), slices.Clone(index)
		each(region[:], func(r []int) {
			for i := range r {
				other[i] = index[i] + r[i] - region[i]/2
				if other[i] < 0 || other[i] >= in.Dims[i] {
					return
				}
			}
			squares += in.at(other...) * in.at(other...)
		})
		base := new(big.Rat).Mul(alpha, big.NewRat(squares, 1<<(2*f.Fraction)))
		base.Add(base, rational(n.Bias))
		y := point(f.value(in.at(index...))).mul(point(base).pow(rational(n.Beta)).inverse())
		magnitude, _ := y.hi.Rat(nil)
		return y.elements(f, slack(magnitude, new(big.Rat).Mul(magnitude, rational(n.Beta))))
	})
}
