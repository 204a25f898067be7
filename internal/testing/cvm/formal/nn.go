package formal

import "math"

const maxAttr = 4096

// multiplied is the precision of a sum of n products, and of that with a bias.
func multiplied(c *call, n int64) int {
	check(c.in[0].Precision <= 8 && c.in[1].Precision <= 8, "data and weight must have at most 8 bits")
	p := c.in[0].Precision + c.in[1].Precision + bitlen(n)
	if len(c.in) == 3 {
		p = max(p, c.in[2].Precision) + 1
	}
	return p
}

func withBias(c *call) int64 {
	if c.boolOr("use_bias", true) {
		return 3
	}
	return 2
}

func (c *call) bias(oc int64) int64 {
	if len(c.in) == 3 {
		return c.in[2].at(oc)
	}
	return 0
}

var conv2d = operator{
	attrs: "channels:int! kernel_size:tuple! strides:tuple padding:tuple dilation:tuple groups:int use_bias:bool layout:text " +
		"kernel_layout:text out_layout:text out_dtype:dtype",
	inputs: withBias,
	infer: func(c *call) {
		c.oneOf("layout", "NCHW")
		c.oneOf("kernel_layout", "OIHW")
		c.oneOf("out_layout", "NCHW", "__undef__")
		x, w := c.in[0].Shape, c.in[1].Shape
		check(len(x) == 4 && len(w) == 4, "data and weight must be 4-D")
		groups, oc := c.intOr("groups", 1), c.int("channels")
		check(groups > 0 && x[1]%groups == 0 && oc%groups == 0, "groups must divide the channels")
		k := c.tuple("kernel_size")
		check(len(k) == 2, "kernel_size must have two elements")
		if len(c.in) == 3 && (len(c.in[2].Shape) != 1 || c.in[2].Shape[0] != oc && oc != 0) { // 0 stands for any number as deployed
			refuseRuntime("the bias has another shape")
		}
		for i, n := range []int64{oc, x[1] / groups, k[0], k[1]} {
			check(w[i] == n, "the weight has another shape")
		}
		ph, pw := c.pair("padding", 0, 0)
		sh, sw := c.pair("strides", 1, 1)
		dh, dw := c.pair("dilation", 1, 1)
		h, wd := x[2]+2*ph-dh*(k[0]-1)-1, x[3]+2*pw-dw*(k[1]-1)-1
		check(h >= 0 && wd >= 0, "the kernel is larger than the data")
		c.oneOf("out_dtype", "same", "int32")
		c.yield(multiplied(c, w[1]*w[2]*w[3]), x[0], oc, h/sh+1, wd/sw+1)
	},
	compute: func(c *call) {
		x, w, y := c.in[0], c.in[1], c.out[0]
		ph, pw := c.pair("padding", 0, 0)
		sh, sw := c.pair("strides", 1, 1)
		dh, dw := c.pair("dilation", 1, 1)
		pad := func(n, j, p, q int64) int64 {
			if 0 <= p && p < x.Shape[2] && 0 <= q && q < x.Shape[3] {
				return x.at(n, j, p, q)
			}
			return 0
		}
		opg, ic := w.Shape[0]/c.intOr("groups", 1), w.Shape[1]
		each(y.Shape, func(d []int64) {
			n, oc, p, q := d[0], d[1], d[2], d[3]
			s := c.bias(oc)
			each(w.Shape[1:], func(k []int64) {
				s += pad(n, oc/opg*ic+k[0], p*sh-ph+k[1]*dh, q*sw-pw+k[2]*dw) * w.at(oc, k[0], k[1], k[2])
			})
			y.set(s, n, oc, p, q)
		})
	},
	base: func(c *call) int64 { return 3*c.in[1].Len()/c.in[1].Shape[0] + int64(len(c.in)-2) },
}

var dense = operator{
	attrs: "units:int! use_bias:bool",
	inputs: func(c *call) int64 {
		if c.int("units") < 1 {
			refuseRuntime("units must be at least 1")
		}
		return withBias(c)
	},
	infer: func(c *call) {
		x, w, n := c.in[0].Shape, c.in[1].Shape, c.int("units")
		check(len(x) == 2 && len(w) == 2, "data and weight must be 2-D")
		if w[0] != n || w[1] != x[1] {
			refuseRuntime("the weight has another shape")
		}
		if len(c.in) == 3 && (len(c.in[2].Shape) != 1 || c.in[2].Shape[0] != n) {
			refuseRuntime("the bias has another shape")
		}
		c.yield(multiplied(c, x[1]), x[0], n)
	},
	compute: func(c *call) {
		x, w, y := c.in[0], c.in[1], c.out[0]
		each(y.Shape, func(d []int64) {
			s := c.bias(d[1])
			for k := range x.Shape[1] {
				s += x.at(d[0], k) * w.at(d[1], k)
			}
			y.set(s, d...)
		})
	},
	base: func(c *call) int64 { return 3*c.in[1].Shape[1] + int64(len(c.in)-2) },
}

// window returns the attributes of max_pool2d, by axis.
func window(c *call) (size, stride, pad [2]int64) {
	t := c.tuple("pool_size")
	check(len(t) == 2, "pool_size must have two elements")
	size = [2]int64(t)
	stride[0], stride[1] = c.pair("strides", 1, 1)
	t = c.tupleOr("padding", 0, 0)
	check(len(t) == 1 || len(t) == 2, "padding must have one or two elements")
	pad = [2]int64{t[0], t[len(t)-1]}
	return size, stride, pad
}

var maxPool = operator{
	attrs:  "pool_size:tuple! strides:tuple padding:tuple layout:text ceil_mode:bool",
	inputs: count(1),
	infer: func(c *call) {
		c.oneOf("layout", "NCHW")
		x := c.in[0].Shape
		check(len(x) == 4, "data must be 4-D")
		size, stride, pad := window(c)
		shape := []int64{x[0], x[1]}
		for i := range 2 {
			n := x[2+i]
			check(0 <= pad[i] && pad[i] <= maxAttr, "padding out of range")
			check(0 <= size[i] && size[i] <= n+2*pad[i] && size[i] > pad[i], "pool_size out of range")
			out := floorDiv(n+2*pad[i]-size[i], stride[i]) + 1
			if c.boolOr("ceil_mode", false) {
				out = ceilDiv(n+2*pad[i]-size[i], stride[i]) + 1
				check((out-1)*stride[i]-pad[i] < n, "a window lies outside of the data")
			}
			shape = append(shape, out)
		}
		c.yield(same(c), shape...)
	},
	compute: func(c *call) {
		x, y := c.in[0], c.out[0]
		size, stride, pad := window(c)
		each(y.Shape, func(d []int64) {
			m := int64(math.MinInt32)
			each(size[:], func(k []int64) {
				p, q := d[2]*stride[0]-pad[0]+k[0], d[3]*stride[1]-pad[1]+k[1]
				if 0 <= p && p < x.Shape[2] && 0 <= q && q < x.Shape[3] {
					m = max(m, x.at(d[0], d[1], p, q))
				}
			})
			y.set(m, d...)
		})
	},
	base: func(c *call) int64 { return product(c.tuple("pool_size")) },
}

var upsampling = operator{
	attrs:  "scale:int! method:text layout:text",
	inputs: count(1),
	infer: func(c *call) {
		c.oneOf("layout", "NCHW")
		c.oneOf("method", "NEAREST_NEIGHBOR")
		x, scale := c.in[0].Shape, c.int("scale")
		check(len(x) == 4, "data must be 4-D")
		check(1 <= scale && scale <= maxAttr, "scale out of range")
		c.yield(same(c), x[0], x[1], x[2]*scale, x[3]*scale)
	},
	compute: func(c *call) {
		scale := c.int("scale")
		each(c.out[0].Shape, func(d []int64) {
			c.out[0].set(c.in[0].at(d[0], d[1], d[2]/scale, d[3]/scale), d...)
		})
	},
}
