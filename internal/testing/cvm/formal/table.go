package formal

// operators are those of the text, in its order, and broadcast_greater, which it does not have.
var operators map[string]operator

func init() {
	operators = map[string]operator{
		"sum": reduce(sum, func(c *call) int { return same(c) + bitlen(c.in[0].Len()/c.out[0].Len()) }),
		"max": reduce(maximum, nil),

		"broadcast_add":     broadcast(wider, add),
		"broadcast_sub":     broadcast(wider, sub),
		"broadcast_mul":     broadcast(func(c *call) int { return c.in[0].Precision + c.in[1].Precision }, mul),
		"broadcast_div":     broadcast(same, div),
		"broadcast_max":     broadcast(func(c *call) int { return max(c.in[0].Precision, c.in[1].Precision) }, larger),
		"broadcast_greater": broadcast(same, greater),

		"conv2d":     conv2d,
		"dense":      dense,
		"relu":       unary("", same, relu),
		"max_pool2d": maxPool,
		"upsampling": upsampling,

		"abs":             unary("", same, abs),
		"cvm_precision":   unary("", func(*call) int { return 6 }, bits),
		"elemwise_add":    elemwise(add),
		"elemwise_sub":    elemwise(sub),
		"negative":        unary("", same, negative),
		"clip":            unary("a_min:int! a_max:int!", clipPrecision, clipBounds),
		"cvm_clip":        unary("precision:int! is_sign:bool", given, clipTo),
		"cvm_right_shift": unary("precision:int! shift_bit:int! is_sign:bool", shifted, rightShift),
		"cvm_left_shift":  unary("precision:int! shift_bit:int! is_sign:bool", shiftedLeft, leftShift),

		"repeat":        repeat,
		"tile":          tile,
		"flatten":       flatten,
		"concatenate":   concatenate,
		"transpose":     transpose,
		"strided_slice": slice,
		"slice_like":    sliceLike,
		"take":          take,
		"cvm_lut":       lut,
		"expand_dims":   expandDims,
		"reshape":       reshape,
		"squeeze":       squeeze,
		"where":         where,

		"get_valid_counts":    validCounts,
		"non_max_suppression": suppression,
	}
}
