package rest

import (
	"fmt"
	"math"
	"strconv"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// request is a request and what only this transport does: how outputs are to be sent.
type request struct {
	oip.Request
	binary bool            // outputs are binary unless they say otherwise
	forms  map[string]bool // by output: whether it is binary, for those that say so
}

// The parameters that mean something here, and that a service never sees.
const (
	binaryDataSize   = "binary_data_size"
	binaryData       = "binary_data"
	binaryDataOutput = "binary_data_output"
)

// parseRequest reads a request: its JSON, and behind that the elements of binary tensors, if it may have some.
func parseRequest(text, data []byte, binary bool, l *budget.Lease) (*request, error) {
	p := &reader{text: text, lease: l}
	q := &request{}
	var inputs []input
	given := false
	err := p.object("the request", func(name string) (known bool, err error) {
		switch name {
		case "id":
			if !p.word("null") {
				q.ID, err = p.string("the id")
			}
		case "parameters":
			q.Parameters, err = p.parameters()
		case "inputs":
			given = true
			inputs, err = p.inputs()
		case "outputs":
			if !p.word("null") {
				err = p.outputs(q)
			}
		default:
			return false, nil
		}
		return true, err
	})
	if err == nil {
		err = p.end()
	}
	if err == nil && !given {
		err = p.errorf("the request lacks its inputs")
	}
	if err == nil {
		q.binary, err = takeBool(q.Parameters, binaryDataOutput, "the request")
	}
	if err == nil {
		q.Inputs, err = tensors(inputs, data, binary)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// input is an input while it is read.
type input struct {
	oip.Tensor
	datatype tensor.DType
	shape    tensor.Shape // nil before it is known
	dataAt   int          // where its data begin, if they come before datatype or shape
	size     int64        // of its binary elements; -1 if they are not binary
}

func (p *reader) inputs() ([]input, error) {
	var list []input
	seen := make(map[string]bool)
	err := p.array("the inputs", limits.ServeTensors, func() error {
		in, err := p.input()
		if err != nil {
			return err
		}
		if seen[in.Name] {
			return p.errorf("the input %s is there twice", oip.Quote(in.Name))
		}
		seen[in.Name] = true
		list = append(list, in)
		return nil
	})
	return list, err
}

func (p *reader) input() (input, error) {
	in := input{size: -1}
	named, data := false, false
	err := p.object("an input", func(name string) (known bool, err error) {
		switch name {
		case "name":
			named = true
			in.Name, err = p.string("the name of an input")
		case "datatype":
			in.datatype, err = p.datatype()
		case "shape":
			in.shape, err = p.shape()
		case "parameters":
			in.Parameters, err = p.parameters()
		case "data":
			if p.word("null") {
				break
			}
			data = true
			if in.datatype != tensor.Invalid && in.shape != nil {
				in.Data, err = p.data(in.datatype, in.shape)
			} else {
				in.dataAt = p.at
				err = p.skip()
			}
		default:
			return false, nil
		}
		return true, err
	})
	switch {
	case err != nil:
		return in, err
	case !named || in.datatype == tensor.Invalid || in.shape == nil:
		return in, p.errorf("the input %s lacks its name, datatype or shape", oip.Quote(in.Name))
	}
	if data && in.Data == nil {
		behind := p.at
		p.at = in.dataAt
		if in.Data, err = p.data(in.datatype, in.shape); err != nil {
			return in, err
		}
		p.at = behind
	}
	if size, ok := in.Parameters[binaryDataSize]; ok {
		in.size, ok = size.(int64)
		if !ok || in.size < 0 {
			return in, p.errorf("the %s of the input %s has to be a number of bytes", binaryDataSize, oip.Quote(in.Name))
		}
		delete(in.Parameters, binaryDataSize)
	}
	if data == (in.size >= 0) {
		return in, p.errorf("the input %s has to have either data or the parameter %s", oip.Quote(in.Name), binaryDataSize)
	}
	return in, in.Parameters.Check("the input " + oip.Quote(in.Name))
}

// tensors returns the inputs as tensors. Those that are binary take their elements from data, in order, and leave nothing of it.
func tensors(inputs []input, data []byte, binary bool) ([]oip.Tensor, error) {
	list := make([]oip.Tensor, len(inputs))
	for i, in := range inputs {
		if in.size >= 0 {
			want := in.datatype.Bytes(in.shape.Len())
			switch {
			case !binary:
				return nil, oip.Errorf(oip.InvalidArgument, "the input %s is binary; its elements stand behind the JSON, and the header "+
					"Inference-Header-Content-Length says where that ends", oip.Quote(in.Name))
			case in.size != int64(want):
				return nil, oip.Errorf(oip.InvalidArgument, "the %s of the input %s is %d; %s%v takes %d", binaryDataSize, oip.Quote(in.Name), in.size,
					oip.Datatype(in.datatype), in.shape, want)
			case len(data) < want:
				return nil, oip.Errorf(oip.InvalidArgument, "the body ends %d bytes into the %d of the input %s", len(data), want, oip.Quote(in.Name))
			}
			t, err := fromRaw(in.Name, in.datatype, in.shape, data[:want])
			if err != nil {
				return nil, err
			}
			in.Data, data = t, data[want:]
		}
		list[i] = in.Tensor
	}
	if len(data) > 0 {
		return nil, oip.Errorf(oip.InvalidArgument, "the body has %d bytes behind those of the last input", len(data))
	}
	return list, nil
}

func fromRaw(name string, d tensor.DType, shape tensor.Shape, data []byte) (*tensor.Tensor, error) {
	t, err := tensor.FromRaw(d, shape, data)
	if err != nil {
		return nil, oip.Errorf(oip.InvalidArgument, "the input %s: %v", oip.Quote(name), err)
	}
	return t, nil
}

func (p *reader) outputs(q *request) error {
	seen := make(map[string]bool)
	return p.array("the outputs", limits.ServeTensors, func() error {
		var out oip.Requested
		named := false
		err := p.object("an output", func(name string) (known bool, err error) {
			switch name {
			case "name":
				named = true
				out.Name, err = p.string("the name of an output")
			case "parameters":
				out.Parameters, err = p.parameters()
			default:
				return false, nil
			}
			return true, err
		})
		switch {
		case err != nil:
			return err
		case !named:
			return p.errorf("an output lacks its name")
		case seen[out.Name]:
			return p.errorf("the output %s is there twice", oip.Quote(out.Name))
		}
		seen[out.Name] = true
		what := "the output " + oip.Quote(out.Name)
		if _, ok := out.Parameters[binaryData]; ok {
			form, err := takeBool(out.Parameters, binaryData, what)
			if err != nil {
				return err
			}
			if q.forms == nil {
				q.forms = make(map[string]bool)
			}
			q.forms[out.Name] = form
		}
		q.Outputs = append(q.Outputs, out)
		return out.Parameters.Check(what)
	})
}

// takeBool takes a parameter of this transport away.
func takeBool(p oip.Parameters, name, of string) (bool, error) {
	value, ok := p[name]
	if !ok {
		return false, nil
	}
	b, ok := value.(bool)
	if !ok {
		return false, oip.Errorf(oip.InvalidArgument, "the parameter %s of %s has to be true or false", name, of)
	}
	delete(p, name)
	return b, nil
}

// parameters reads names and strings, numbers or truth values.
func (p *reader) parameters() (oip.Parameters, error) {
	if p.word("null") {
		return nil, nil
	}
	list := make(oip.Parameters)
	err := p.object("the parameters", func(name string) (bool, error) {
		if len(list) == limits.ServeParameters {
			return true, p.errorf("there are more than %d parameters", limits.ServeParameters)
		}
		value, err := p.parameter(name)
		list[name] = value
		return true, err
	})
	return list, err
}

func (p *reader) parameter(name string) (any, error) {
	switch c := p.peek(); {
	case c == '"':
		return p.string("a string")
	case c == 't' || c == 'f':
		return p.boolean()
	case c != '-' && c-'0' > 9:
		return nil, p.wanted("the parameter " + oip.Quote(name) + ", a string, a number, true or false,")
	}
	begin := p.at
	n, err := p.number()
	if err != nil {
		return nil, err
	}
	if n.integer {
		if n, err := strconv.ParseInt(string(n.text), 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(string(n.text), 10, 64); err == nil {
			return n, nil
		}
	} else if x, err := n.float(64); err == nil {
		return x, nil
	}
	p.at = begin
	return nil, p.wanted("the parameter " + oip.Quote(name) + ", a number of at most 64 bits,")
}

// datatype reads the name of an element type.
func (p *reader) datatype() (tensor.DType, error) {
	begin := p.at
	name, err := p.string("a datatype")
	if err != nil {
		return tensor.Invalid, err
	}
	d, ok := oip.ParseDatatype(name)
	switch {
	case ok:
		return d, nil
	case name == "BYTES":
		err = p.errorf("the datatype is BYTES; no model here takes or yields strings. Pictures and sounds are given as tensors of numbers")
	default:
		p.at = begin
		err = p.errorf("the datatype is %s; it can be BOOL, INT8 to INT64, UINT8 to UINT64, FP16, BF16, FP32 or FP64", oip.Quote(name))
	}
	return tensor.Invalid, err
}

// shape reads extents. It is not nil.
func (p *reader) shape() (tensor.Shape, error) {
	shape := make(tensor.Shape, 0, 4)
	err := p.array("the extents", tensor.MaxRank, func() error {
		n, negative, err := p.integer()
		switch {
		case err != nil:
			return err
		case negative && n > 0 || n > math.MaxInt:
			return p.errorf("an extent is not from 0 to %d: the shape of a request has no open extents", math.MaxInt)
		}
		shape = append(shape, int(n))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := shape.Check(); err != nil {
		return nil, p.errorf("%v", err)
	}
	return shape, nil
}

// data reads the elements of a tensor: one list of all, or lists in lists as its shape says.
func (p *reader) data(d tensor.DType, shape tensor.Shape) (*tensor.Tensor, error) {
	if f := forms[d]; f.read != nil {
		return f.read(p, shape)
	}
	return nil, p.errorf("the datatype %s has no JSON form: send it as binary data, with the parameter %s, behind the JSON", oip.Datatype(d),
		binaryDataSize)
}

// read reads elements, each of which takes at least a digit and a comma: a shape cannot ask for much more memory than the text takes.
func read[T tensor.Element](p *reader, d tensor.DType, shape tensor.Shape, element func(*reader) (T, error)) (*tensor.Tensor, error) {
	if n := shape.Len(); n > (len(p.text)-p.at+1)/2 {
		return nil, p.errorf("the shape %v has %d elements, more than follow", shape, n)
	}
	if err := p.lease.Take(int64(d.Bytes(shape.Len()))); err != nil {
		return nil, err
	}
	t, err := tensor.New(d, shape)
	if err != nil {
		return nil, p.errorf("%v", err)
	}
	to := tensor.Data[T](t)
	begin := p.at
	nested := p.take('[') && p.peek() == '['
	p.at = begin
	if nested {
		to, err = lists(p, shape, to, element)
	} else {
		to, err = list(p, shape.Len(), to, element)
	}
	_ = to
	return t, err
}

// lists reads the elements of a shape and returns the rest of where they go.
func lists[T any](p *reader, shape tensor.Shape, to []T, element func(*reader) (T, error)) ([]T, error) {
	switch len(shape) {
	case 0:
		return nil, p.errorf("the data are nested deeper than the shape")
	case 1:
		return list(p, shape[0], to, element)
	}
	if !p.take('[') {
		return nil, p.wanted(fmt.Sprintf("a list of %d lists", shape[0]))
	}
	var err error
	for i := range shape[0] {
		if i > 0 && !p.take(',') {
			return nil, p.wanted(fmt.Sprintf("a comma: this dimension has %d lists", shape[0]))
		}
		if to, err = lists(p, shape[1:], to, element); err != nil {
			return nil, err
		}
	}
	if !p.take(']') {
		return nil, p.wanted(fmt.Sprintf("the end of a list: this dimension has %d", shape[0]))
	}
	return to, nil
}

// list reads n elements and returns the rest of where they go.
func list[T any](p *reader, n int, to []T, element func(*reader) (T, error)) ([]T, error) {
	if !p.take('[') {
		return nil, p.wanted(fmt.Sprintf("a list of %d elements", n))
	}
	for i := range to[:n] {
		if i > 0 && !p.take(',') {
			return nil, p.wanted(fmt.Sprintf("a comma: the shape wants %d elements", n))
		}
		v, err := element(p)
		if err != nil {
			return nil, err
		}
		to[i] = v
	}
	if !p.take(']') {
		return nil, p.wanted(fmt.Sprintf("the end of a list: the shape wants %d elements", n))
	}
	return to[n:], nil
}

func signed[T int8 | int16 | int32 | int64](p *reader) (T, error) {
	begin := p.at
	n, negative, err := p.integer()
	if err != nil {
		return 0, err
	}
	v := T(n)
	if negative {
		v = -v
		negative = v <= 0 && uint64(-int64(v)) == n
	}
	if !negative && (v < 0 || uint64(v) != n) {
		p.at = begin
		return 0, p.wanted("an integer of " + oip.Datatype(tensor.TypeOf[T]()))
	}
	return v, nil
}

func unsigned[T uint8 | uint16 | uint32 | uint64](p *reader) (T, error) {
	begin := p.at
	n, negative, err := p.integer()
	if err != nil {
		return 0, err
	}
	if v := T(n); uint64(v) != n || negative && n > 0 {
		p.at = begin
		return 0, p.wanted("an integer of " + oip.Datatype(tensor.TypeOf[T]()))
	}
	return T(n), nil
}

func single(p *reader) (float32, error) {
	x, err := p.float(32)
	return float32(x), err
}

func double(p *reader) (float64, error) { return p.float(64) }

// float reads a number, rounded once to so many bits. JSON has no numbers for what is not finite: these are strings, as in the JSON form of
// protocol buffers, or the words that Python and Triton's clients write.
func (p *reader) float(bits int) (float64, error) {
	c := p.peek()
	if c == '"' || c >= 'A' || c == '-' && p.at+1 < len(p.text) && p.text[p.at+1] >= 'A' {
		for _, f := range notFinite {
			if p.word(f.word[1:len(f.word)-1]) || p.word(f.word) {
				return f.value, nil
			}
		}
	}
	begin := p.at
	n, err := p.number()
	if err != nil {
		return 0, p.wanted(`a number, "NaN", "Infinity" or "-Infinity"`)
	}
	x, err := n.float(bits)
	if err != nil {
		p.at = begin
		return 0, p.wanted(fmt.Sprintf("a number of FP%d", bits))
	}
	return x, nil
}

// notFinite are the forms of what is no number of JSON.
var notFinite = []struct {
	word  string
	value float64
}{{`"NaN"`, math.NaN()}, {`"Infinity"`, math.Inf(1)}, {`"-Infinity"`, math.Inf(-1)}}
