package peer

import (
	"errors"
	"fmt"
	"math"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Tolerance is by how much results may differ.
type Tolerance struct {
	Loose  float64 // a factor for what rounding to the type of the result explains
	Quanta int     // of integers
}

// Compare returns where the outputs of a graph differ.
func Compare(g *proto.Graph, ours, theirs map[string]*tensor.Tensor, far Tolerance) error {
	for _, o := range g.Output {
		want := theirs[o.Name]
		if want == nil {
			return fmt.Errorf("%s: ORT has no such output", o.Name)
		}
		if err := near(ours[o.Name], want, far); err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return nil
}

// near returns where two tensors differ by more than rounding: each element is held to a part of itself and of the greatest one.
func near(got, want *tensor.Tensor, far Tolerance) error {
	if got == nil {
		return errors.New("it is missing")
	}
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return fmt.Errorf("it is %v; ORT has %v", got.Describe(), want.Describe())
	}
	if d := want.DType(); !d.IsFloat() {
		return nearIntegers(got, want, far.Quanta)
	}
	relative := map[tensor.DType]float64{tensor.Float16: 5e-3, tensor.Float32: 1e-5, tensor.Float64: 1e-6}[want.DType()] * far.Loose
	x, y := floats(got), floats(want)
	least := map[tensor.DType]float64{tensor.Float16: -65504, tensor.Float32: -math.MaxFloat32, tensor.Float64: -math.MaxFloat64}[want.DType()] // ORT's -Inf
	greatest := 0.0
	for _, v := range y {
		if v = math.Abs(v); v < math.Inf(1) {
			greatest = max(greatest, v)
		}
	}
	for i := range x {
		if math.IsNaN(x[i]) && math.IsNaN(y[i]) || x[i] == y[i] || math.IsInf(x[i], -1) && y[i] == least {
			continue
		}
		if !(math.Abs(x[i]-y[i]) <= relative*(10*math.Abs(y[i])+greatest)+relative/10) || math.IsInf(y[i], 0) {
			return fmt.Errorf("element %d of %v is %v; ORT has %v\n\tours %v\n\tORT  %v", i, want.Describe(), x[i], y[i], clip(x), clip(y))
		}
	}
	return nil
}

func nearIntegers(got, want *tensor.Tensor, quanta int) error {
	a, b := integers(got), integers(want)
	for i, x := range a {
		if y := b[i]; x != y && (max(x, y)-min(x, y) > int64(quanta) || max(x, y)-min(x, y) <= 0) {
			return fmt.Errorf("element %d of %v is %d; ORT has %d\n\tours %v\n\tORT  %v", i, want.Describe(), x, y, clip(a), clip(b))
		}
	}
	return nil
}

func integers(t *tensor.Tensor) []int64 { return tensor.Data[int64](as(t, tensor.Int64)) }
func floats(t *tensor.Tensor) []float64 { return tensor.Data[float64](as(t, tensor.Float64)) }
func clip[T any](x []T) []T             { return x[:min(len(x), 40)] }

func as(t *tensor.Tensor, d tensor.DType) *tensor.Tensor {
	t, err := tensor.Cast(t, d)
	if err != nil {
		panic(err)
	}
	return t
}
