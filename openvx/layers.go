package openvx

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
)

// layers are the built-in kernels, family by family. Their parameters, layerParams, are numbered as the standard says, and where it does not say so
// in the order of the node functions, the result last.
var layers = slices.Concat(sumLayers, elementLayers, []*layer{
	// This one can be found, as the standard's base feature set asks, and named in a graph, but not run: there are no images to run it on.
	newLayer(KernelColorConvert, func(*call) {
		refuse(ErrorNotImplemented, "color_convert computes with images, which are not in the neural-network feature set")
	}, nil),
})

// newLayer makes a row of the table.
func newLayer(id KernelID, check func(*call), lower func(*lowering) *graph.Value) *layer {
	group := "openvx."
	if library := id >> 12; library != 0 {
		group = "nn_extension."
	}
	name := "org.khronos." + group + strings.ToLower(strings.TrimPrefix(id.String(), "VX_KERNEL_"))
	return &layer{name: name, id: id, params: layerParams[id], check: check, lower: lower}
}

// infer checks the operands of a layer, and completes the result.
func (l *layer) infer(c *call) error {
	return try(func() {
		for i, p := range l.params {
			if v := reflect.ValueOf(c.operands[i].scalar); p.as != nil && v.IsValid() {
				c.operands[i].scalar = c.checkArgument(i, v.Convert(p.as))
			}
		}
		l.check(c)
	})
}

// checkArgument checks that an argument, or each field of one that is a structure, is a member of its enumeration, and sizes of a structure.
func (c *call) checkArgument(i int, v reflect.Value) any {
	check := func(what string, v any) {
		if e, ok := v.(interface{ members() (string, bool) }); ok {
			if all, is := e.members(); !is {
				c.wrong(i, ErrorInvalidValue, "gives %v as %s; it must be %s", v, what, all)
			}
		}
	}
	if v.Kind() != reflect.Struct {
		check(c.layer.params[i].name, v.Interface())
		return v.Interface()
	}
	for f, field := range v.Fields() {
		name := f.Tag.Get("vx")
		check(name, field.Interface())
		if n, ok := field.Interface().(int); ok {
			c.checkSize(i, name, n, 0)
		}
	}
	return v.Interface()
}

// wrong refuses an operand; the message begins with its name and its index.
func (c *call) wrong(i int, s Status, format string, args ...any) {
	refuse(s, "%s (parameter %d) %s", c.layer.params[i].name, i, fmt.Sprintf(format, args...))
}

// checkFormats checks that tensors have one format, that of the first, and that layers compute with it.
func (c *call) checkFormats(operands ...int) {
	first := operands[0]
	c.checkFormat(first, TypeUint8, TypeInt8, TypeInt16, TypeFloat32)
	for _, i := range operands[1:] {
		if c.operands[i].given {
			c.checkSame(i, c.operands[first].format, c.layer.params[first].name)
		}
	}
}

// checkFormat checks that a tensor has one of the element types, and the fixed point position that belongs to it.
func (c *call) checkFormat(i int, types ...Type) {
	f := c.operands[i].format
	var wanted []string
	for _, known := range layerFormats {
		if !slices.Contains(types, known.dtype) {
			continue
		}
		if wanted = append(wanted, known.String()); known.dtype != f.dtype {
			continue
		}
		if known.fixed != f.fixed {
			c.wrong(i, ErrorInvalidFormat, "has fixed point position %d; with %v it must be %d", f.fixed, f.dtype, known.fixed)
		}
		return
	}
	c.wrong(i, ErrorInvalidType, "has elements of %v; it must be one of %s", f, strings.Join(wanted, ", "))
}

// checkSame checks that a tensor has the format of the operand called like.
func (c *call) checkSame(i int, f format, like string) {
	switch o := &c.operands[i]; {
	case o.dtype != f.dtype:
		c.wrong(i, ErrorInvalidType, "has elements of %v; it must be %v, as %s", o.format, f, like)
	case o.fixed != f.fixed:
		c.wrong(i, ErrorInvalidFormat, "has fixed point position %d; it must be %d, as %s", o.fixed, f.fixed, like)
	}
}

// checkDims checks the extents of an operand other than the result.
func (c *call) checkDims(i int, want []int, why string) {
	if got := c.operands[i].dims; !slices.Equal(got, want) {
		c.wrong(i, ErrorInvalidDimension, "has extents %v; they must be %v, %s", got, want, why)
	}
}

// checkRank checks the number of dimensions of an operand.
func (c *call) checkRank(i, least, most int) {
	n := len(c.operands[i].dims)
	want := fmt.Sprintf("from %d to %d", least, most)
	if least == most {
		want = strconv.Itoa(least)
	}
	if n < least || n > most {
		c.wrong(i, ErrorInvalidDimension, "has %d dimensions, %v; there must be %s", n, c.operands[i].dims, want)
	}
}

// complete fills in what the result leaves open and checks the rest.
func (c *call) complete(f format) {
	made, wrong := c.out().completed(f)
	switch dims := made.dims; {
	case wrong == ErrorInvalidDimension && len(dims) != len(f.dims):
		c.wrong(c.last(), wrong, "has %d dimensions, %v; there must be %d, %v", len(dims), dims, len(f.dims), f.dims)
	case wrong == ErrorInvalidDimension:
		c.wrong(c.last(), wrong, "has extents %v; they must be %v", dims, f.dims)
	case wrong != Success:
		c.checkSame(c.last(), f, "it follows from the inputs")
	}
	c.out().format = made
}

// like completes the result with the format of the first operand and these extents.
func (c *call) like(dims ...int) {
	f := c.operands[0].format
	f.dims = dims
	c.complete(f)
}

// checkSize checks a number of elements, such as a padding.
func (c *call) checkSize(i int, what string, v, least int) {
	if v < least || v > limits.VXWindow {
		c.wrong(i, ErrorInvalidValue, "gives %d as %s; it must be from %d to %d", v, what, least, limits.VXWindow)
	}
}

// checkReal checks a float32 parameter: that it is positive, or may be 0, and no NaN.
func (c *call) checkReal(i int, zero bool) {
	switch v := argument[float32](c, i); {
	case v > 0 || v == 0 && zero:
	case zero:
		c.wrong(i, ErrorInvalidValue, "is %g; it must be at least 0", v)
	default:
		c.wrong(i, ErrorInvalidValue, "is %g; it must be greater than 0", v)
	}
}

// checkFinite checks that a float32 parameter is a number.
func (c *call) checkFinite(i int) {
	if v := argument[float32](c, i); v-v != 0 {
		c.wrong(i, ErrorInvalidValue, "is %g; it must be a finite number", v)
	}
}
