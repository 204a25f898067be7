package tensor

import (
	"strconv"
	"strings"
)

// shown is the most elements that String writes.
const shown = 16

// Describe returns the type and shape of the tensor, "float32[2,3]", for messages.
func (t *Tensor) Describe() string {
	if t == nil {
		return "<nil>"
	}
	return t.dtype.String() + t.shape.String()
}

// String writes the tensor as [Tensor.Describe] does and, if there are no more than 16 elements, these: "float32[2,2] [[1 2] [3 4]]".
func (t *Tensor) String() string {
	text := t.Describe()
	if t == nil || t.shape.Check() != nil || t.Len() > shown {
		return text
	}
	elements := t.texts()
	if elements == nil {
		return text
	}
	var b strings.Builder
	b.WriteString(text + " ")
	nest(&b, t.shape, elements)
	return b.String()
}

// texts returns the elements as text, nil for elements that cannot be converted.
func (t *Tensor) texts() []string {
	wide := Int64
	switch d := t.dtype; {
	case d == Float64 || d == Bool:
		wide = d
	case d.IsFloat() || d.IsSmallFloat():
		wide = Float32
	case d == Uint64:
		wide = Uint64
	}
	x, err := Cast(t, wide)
	if err != nil {
		return nil
	}
	list := make([]string, x.Len())
	for i := range list {
		switch wide {
		case Bool:
			list[i] = strconv.FormatBool(x.Bytes()[i] != 0)
		case Float32:
			list[i] = strconv.FormatFloat(float64(Data[float32](x)[i]), 'g', -1, 32)
		case Float64:
			list[i] = strconv.FormatFloat(Data[float64](x)[i], 'g', -1, 64)
		case Uint64:
			list[i] = strconv.FormatUint(Data[uint64](x)[i], 10)
		default:
			list[i] = strconv.FormatInt(Data[int64](x)[i], 10)
		}
	}
	return list
}

// nest writes elements in brackets, a pair for each dimension.
func nest(b *strings.Builder, shape Shape, elements []string) {
	if len(shape) == 0 {
		b.WriteString(elements[0])
		return
	}
	b.WriteByte('[')
	if len(elements) > 0 {
		step := len(elements) / shape[0]
		for i := range shape[0] {
			if i > 0 {
				b.WriteByte(' ')
			}
			nest(b, shape[1:], elements[i*step:(i+1)*step])
		}
	}
	b.WriteByte(']')
}
