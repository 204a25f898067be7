package rest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// appendResponse appends the JSON of an answer, and returns the elements of its binary tensors, which follow it. These share memory with the
// tensors. The lease holds the text of elements before it is made.
func appendResponse(b []byte, r *oip.Response, q *request, l *budget.Lease) (text []byte, binary [][]byte, err error) {
	b = append(b, '{')
	if r.ID != "" {
		b = append(appendString(append(b, `"id":`...), r.ID), ',')
	}
	b = appendString(append(b, `"model_name":`...), r.Model)
	if r.Version != "" {
		b = appendString(append(b, `,"model_version":`...), r.Version)
	}
	if len(r.Parameters) > 0 {
		b = appendParameters(append(b, `,"parameters":`...), r.Parameters, -1)
	}
	b = append(b, `,"outputs":[`...)
	for i, out := range r.Outputs {
		if i > 0 {
			b = append(b, ',')
		}
		datatype := oip.Datatype(out.Data.DType())
		if datatype == "" {
			return nil, nil, oip.Errorf(oip.Internal, "the output %s is of the type %v, which the protocol does not have", oip.Quote(out.Name), out.Data.DType())
		}
		b = appendString(append(b, `{"name":`...), out.Name)
		b = append(append(append(b, `,"datatype":"`...), datatype...), `","shape":[`...)
		for j, n := range out.Data.Shape() {
			if j > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
		b = append(b, ']')
		size := -1
		form, given := q.forms[out.Name]
		if form || !given && q.binary {
			elements := tensor.Raw(out.Data)
			binary = append(binary, elements)
			size = len(elements)
		}
		if size >= 0 || len(out.Parameters) > 0 {
			b = appendParameters(append(b, `,"parameters":`...), out.Parameters, size)
		}
		if size < 0 {
			if err := l.Take(textSize(out.Data)); err != nil {
				return nil, nil, err
			}
			if b, err = appendData(append(b, `,"data":`...), out.Data); err != nil {
				return nil, nil, oip.Errorf(oip.InvalidArgument, "the output %s is of datatype %s, which has no JSON form: ask for it with the parameter %s",
					oip.Quote(out.Name), datatype, binaryData)
			}
		}
		b = append(b, '}')
	}
	return append(b, `]}`...), binary, nil
}

// appendParameters appends parameters, in the order of their names, and the size of binary elements if there is one.
func appendParameters(b []byte, p oip.Parameters, size int) []byte {
	b = append(b, '{')
	begin := len(b)
	if size >= 0 {
		b = strconv.AppendInt(append(b, `"binary_data_size":`...), int64(size), 10)
	}
	for _, name := range naming.Sorted(p) {
		if len(b) > begin {
			b = append(b, ',')
		}
		b = append(appendString(b, name), ':')
		switch v := p[name].(type) {
		case string:
			b = appendString(b, v)
		case bool:
			b = strconv.AppendBool(b, v)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case uint64:
			b = strconv.AppendUint(b, v, 10)
		case float64:
			b = appendFloat(b, v, 64)
		default:
			b = append(b, "null"...)
		}
	}
	return append(b, '}')
}

// appendString appends a string of JSON.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			text, _ := json.Marshal(s) // strings can be marshalled
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// textSize is about how many bytes the signs, digits and commas of elements take at most.
func textSize(t *tensor.Tensor) int64 { return 3 * int64(t.Len()+t.DType().Bytes(t.Len())) }

// appendData appends the elements of a tensor as one list.
func appendData(b []byte, t *tensor.Tensor) ([]byte, error) {
	f := forms[t.DType()]
	if f.append == nil {
		return nil, errNoJSON
	}
	t = t.Contiguous()
	return f.append(slices.Grow(b, int(textSize(t))), t), nil
}

var errNoJSON = oip.Errorf(oip.InvalidArgument, "the datatype has no JSON form")

// form is the JSON form of the elements of a type.
type form struct {
	read   func(p *reader, shape tensor.Shape) (*tensor.Tensor, error)
	append func(b []byte, t *tensor.Tensor) []byte // of a contiguous tensor
}

var forms = [tensor.NumDTypes]form{
	tensor.Bool:    formOf((*reader).boolean, strconv.AppendBool),
	tensor.Int8:    formOf(signed[int8], appendSigned),
	tensor.Int16:   formOf(signed[int16], appendSigned),
	tensor.Int32:   formOf(signed[int32], appendSigned),
	tensor.Int64:   formOf(signed[int64], appendSigned),
	tensor.Uint8:   formOf(unsigned[uint8], appendUnsigned),
	tensor.Uint16:  formOf(unsigned[uint16], appendUnsigned),
	tensor.Uint32:  formOf(unsigned[uint32], appendUnsigned),
	tensor.Uint64:  formOf(unsigned[uint64], appendUnsigned),
	tensor.Float32: formOf(single, func(b []byte, v float32) []byte { return appendFloat(b, float64(v), 32) }),
	tensor.Float64: formOf(double, func(b []byte, v float64) []byte { return appendFloat(b, v, 64) }),
}

func formOf[T tensor.Element](element func(*reader) (T, error), text func([]byte, T) []byte) form {
	return form{
		func(p *reader, shape tensor.Shape) (*tensor.Tensor, error) {
			return read(p, tensor.TypeOf[T](), shape, element)
		},
		func(b []byte, t *tensor.Tensor) []byte { return appendList(b, tensor.Data[T](t), text) },
	}
}

func appendList[T any](b []byte, list []T, element func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = element(b, v)
	}
	return append(b, ']')
}

func appendSigned[T int8 | int16 | int32 | int64](b []byte, v T) []byte {
	return strconv.AppendInt(b, int64(v), 10)
}

func appendUnsigned[T uint8 | uint16 | uint32 | uint64](b []byte, v T) []byte {
	return strconv.AppendUint(b, uint64(v), 10)
}

// appendFloat appends the shortest number that reads back to the same bits.
func appendFloat(b []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		for _, f := range notFinite {
			if f.value == v || math.IsNaN(f.value) && math.IsNaN(v) {
				return append(b, f.word...)
			}
		}
	case v == 0 && math.Signbit(v):
		return append(b, "-0.0"...) // readers such as Python's take -0 for an integer
	}
	return strconv.AppendFloat(b, v, 'g', -1, bits)
}
