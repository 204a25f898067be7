package openvx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

func (c *call) poolingWindows() ([2]window, error) {
	x := c.operands[0].dims
	windows := [2]window{
		{axis: "width", in: x[0], out: c.extent(0), pad: argument[int](c, 4), size: argument[int](c, 2), step: 1},
		{axis: "height", in: x[1], out: c.extent(1), pad: argument[int](c, 5), size: argument[int](c, 3), step: 1},
	}
	return windows, c.slideBoth(&windows, SizeRounding(argument[Enum](c, 6)))
}

func inferPooling(c *call) error {
	if err := firstOf(
		c.checkFormats(0), c.checkRank(0, 3, MaxTensorDims),
		checkEnum(c, 1, "pooling type", Pooling(argument[Enum](c, 1)), PoolingMax, PoolingAvg),
		c.checkSize(2, "size", argument[int](c, 2), 1), c.checkSize(3, "size", argument[int](c, 3), 1),
		c.checkSize(4, "padding", argument[int](c, 4), 0), c.checkSize(5, "padding", argument[int](c, 5), 0),
		c.checkSizeRounding(6, SizeRounding(argument[Enum](c, 6))),
	); err != nil {
		return err
	}
	if x, y := argument[int](c, 2), argument[int](c, 3); x > limits.VXWindow/y {
		return c.wrong(3, ErrorInvalidValue, "and the parameter before it make a window of %d × %d elements; there may be %d",
			x, y, limits.VXWindow)
	}
	windows, err := c.poolingWindows()
	if err != nil {
		return err
	}
	return c.complete(c.like(0, append([]int{windows[0].out, windows[1].out}, c.operands[0].dims[2:]...)...))
}

// lowerPooling: the standard pads the data with zeros before it pools, so these take part in maxima and count in averages. With ceiling the
// last window may leave the padded data; of what lies there nothing takes part, and a window with nothing else gives 0. The sample
// implementation leaves the zeros out of maxima, and divides a sum by the size of the window wherever that reaches.
func lowerPooling(l *lowering) *graph.Value {
	windows, err := l.poolingWindows()
	l.Fail(err)
	const rank = 4 // batch, channels and plane, of which kernels know more
	size, stride := ones(rank), ones(rank)
	padding, zeros := make([]int, 2*rank), make([]int, 2*rank)
	padded, beyond := false, false
	for i, w := range windows {
		d := rank - 1 - i
		size[d], stride[d] = w.size, w.skip
		padding[2*d], padding[2*d+1] = w.pad, w.after
		last := (w.out-1)*w.skip - w.pad // where the last window begins
		zeros[2*d], zeros[2*d+1] = w.pad, max(w.pad, last+1-w.in)
		padded, beyond = padded || zeros[2*d+1] > 0, beyond || w.beyond > 0
	}
	x := l.Reshape(l.values[0], batched(l.operands[0].dims, 3)...)
	pool := func(operator string, attrs ...any) *graph.Value {
		return l.result(l.Node(operator, append(emit.Attr(attrs...), emit.Attr("size", size, "stride", stride, "padding", padding)...), x))
	}
	pad := func() {
		if !padded {
			return
		}
		x = l.Node("pad", emit.Attr("padding", zeros), x)
		for i := range padding {
			padding[i] -= zeros[i]
		}
	}
	switch {
	case Pooling(argument[Enum](l.call, 1)) == PoolingMax:
		if !l.compatible && x.Type.DType != tensor.Uint8 { // no number of that type is below 0
			pad()
		}
		return pool("max_pool", "border", "ignore")
	case beyond && !l.compatible:
		pad()
		return pool("box", "border", "ignore", "normalize", true)
	}
	return pool("box", "border", "constant", "normalize", true)
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
