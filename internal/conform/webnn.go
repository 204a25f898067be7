package conform

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
	webnnsession "github.com/concord-nn/concord/webnn/session"
)

// webnnFile is a file of cases from web-platform-tests.
type webnnFile struct {
	Schema string
	Kind   string
	Group  string
	Cases  []json.RawMessage
}

type webnnCase struct {
	Name         string
	Variant      string
	Graph        webnnGraph
	Tolerance    map[string]tolerance
	Exact        bool
	SpecConflict []string
}

type webnnGraph struct {
	Inputs          map[string]webnnTensor
	Operators       []webnnOperator
	ExpectedOutputs map[string]webnnTensor
}

type webnnTensor struct {
	Data        any
	Float16Bits []uint16
	Descriptor  struct {
		DataType string
		Shape    []int
	}
	Constant bool
}

type webnnOperator struct {
	Name      string
	Arguments []map[string]any
	Outputs   any // a name or a list of names
}

// webnnFiles returns the names that can hold cases.
func webnnFiles(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return !strings.HasSuffix(f, ".json") && !strings.HasSuffix(f, ".json.gz")
	})
}

// hasWebNN recognises a folder with files of the given kind by the head of its first file.
func hasWebNN(kind string) func(string, []string) bool {
	return func(dir string, files []string) bool {
		files = webnnFiles(files)
		if len(files) == 0 {
			return false
		}
		r, err := openCases(dir, files[0])
		if err != nil {
			return false
		}
		defer r.Close()
		head, _ := io.ReadAll(io.LimitReader(r, 512))
		head = bytes.Join(bytes.Fields(head), nil)
		return bytes.Contains(head, []byte(`"schema":"webnn-wpt/1"`)) && bytes.Contains(head, []byte(`"kind":"`+kind+`"`))
	}
}

// openCases opens a file, which is gunzipped if its name says so.
func openCases(dir, name string) (io.ReadCloser, error) {
	f, err := openFile(dir, name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(z, limits.FileRead), f}, nil
}

func readWebNN(dir, name string) (*webnnFile, error) {
	r, err := openCases(dir, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var file webnnFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &file, nil
}

func loadWebNN(dir string, files []string) ([]Case, error) {
	return webnnCases(dir, files, func(c *Case, raw json.RawMessage, conflict []string) {
		c.skip = notRequired(conflict)
		c.run = func(ctx context.Context, e *evaluator) error {
			var wc webnnCase
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber() // integers must not pass through a double
			if err := d.Decode(&wc); err != nil {
				return err
			}
			return wc.run(ctx, e)
		}
	})
}

// notRequired says why a case is not required; "" if it is.
func notRequired(conflict []string) string {
	if len(conflict) == 0 {
		return ""
	}
	return "not required: " + strings.Join(conflict, "; ")
}

func webnnCases(dir string, files []string, finish func(c *Case, raw json.RawMessage, conflict []string)) ([]Case, error) {
	var cases []Case
	for _, name := range webnnFiles(files) {
		file, err := readWebNN(dir, name)
		if err != nil {
			return nil, err
		}
		for _, raw := range file.Cases {
			var head struct {
				Name         string
				Variant      string
				SpecConflict []string
			}
			if err := json.Unmarshal(raw, &head); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			c := Case{Folder: dir, Name: file.Group + ": " + head.Name}
			if head.Variant != "" {
				c.Name = fmt.Sprintf("%s (%s): %s", file.Group, head.Variant, head.Name)
			}
			finish(&c, raw, head.SpecConflict)
			cases = append(cases, c)
		}
	}
	return cases, nil
}

func (c *webnnCase) run(ctx context.Context, e *evaluator) error {
	s, inputs, err := c.session()
	if err != nil {
		return err
	}
	g, err := s.Graph(nil)
	if err != nil {
		return err
	}
	for _, o := range g.Outputs {
		want := c.Graph.ExpectedOutputs[o.Name].Descriptor
		got := o.Value.Type.Shape
		if o.Value.Type.DType.String() != want.DataType || !slices.Equal(got, tensor.Shape(want.Shape)) {
			return fmt.Errorf("output %s is %v; want %s%v", o.Name, o.Value.Type, want.DataType, want.Shape)
		}
	}
	got, err := e.eval(ctx, g, inputs)
	if err != nil {
		return err
	}
	for _, name := range naming.Sorted(c.Graph.ExpectedOutputs) {
		want, err := c.Graph.ExpectedOutputs[name].values()
		if err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
		if err := c.Tolerance[name].compare(got[name], want, c.Exact); err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
	}
	return nil
}

// The objects of a session that are no operands; those have operandID in front of their names.
const (
	contextID = "context"
	builderID = "builder"
	operandID = "operand "
)

// session returns the calls that build the graph, and the values of its inputs.
func (c *webnnCase) session() (*webnnsession.Session, map[string]*tensor.Tensor, error) {
	b := &webnnScript{operands: make(map[string]bool)}
	b.calls = []webnnsession.Call{{
		Method: "MLGraphBuilder", Args: []webnnsession.Value{webnnsession.Ref(contextID)}, ID: builderID,
	}}
	inputs := make(map[string]*tensor.Tensor)
	for _, name := range naming.Sorted(c.Graph.Inputs) {
		in := c.Graph.Inputs[name]
		t, err := in.tensor()
		if err != nil {
			return nil, nil, fmt.Errorf("input %s: %w", name, err)
		}
		d := webnnsession.Descriptor(t.DType(), t.Shape())
		if in.Constant {
			b.call("constant", d, &webnnsession.Buffer{Data: tensor.Raw(t)}).ID = b.id(name)
		} else {
			b.call("input", name, d).ID = b.id(name)
			inputs[name] = t
		}
	}
	for _, o := range c.Graph.Operators {
		if err := b.operator(&o); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	outputs := webnnsession.Dict{}
	for name := range c.Graph.ExpectedOutputs {
		outputs[name] = webnnsession.Ref(operandID + name)
	}
	b.call("build", outputs)
	return &webnnsession.Session{Calls: b.calls}, inputs, nil
}

// webnnScript is the session of a case while it is written.
type webnnScript struct {
	calls    []webnnsession.Call
	operands map[string]bool // the names so far
}

func (b *webnnScript) call(method string, args ...webnnsession.Value) *webnnsession.Call {
	b.calls = append(b.calls, webnnsession.Call{On: builderID, Method: method, Args: args})
	return &b.calls[len(b.calls)-1]
}

// id returns the id of a new operand.
func (b *webnnScript) id(name string) string {
	b.operands[name] = true
	return operandID + name
}

// operator adds the call of an operator.
func (b *webnnScript) operator(o *webnnOperator) error {
	var args []webnnsession.Value
	for _, argument := range o.Arguments {
		for name, v := range argument {
			a, err := b.value(v)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			args = append(args, a)
		}
	}
	call := b.call(o.Name, args...)
	names, isList := o.Outputs.([]any)
	if !isList {
		call.ID = b.id(fmt.Sprint(o.Outputs))
	}
	for _, name := range names {
		call.IDs = append(call.IDs, b.id(fmt.Sprint(name)))
	}
	return nil
}

// value turns a JSON value of a case into one of a session. Strings that are names of operands are references.
func (b *webnnScript) value(v any) (webnnsession.Value, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case string:
		if b.operands[v] {
			return webnnsession.Ref(operandID + v), nil
		}
		return v, nil
	case json.Number:
		return v.Float64()
	case []any:
		list := make([]webnnsession.Value, len(v))
		for i, x := range v {
			item, err := b.value(x)
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	case map[string]any:
		if digits, ok := v["$bigint"].(string); ok {
			if n, ok := new(big.Int).SetString(digits, 10); ok {
				return n, nil
			}
		}
		dict := make(webnnsession.Dict, len(v))
		for key, x := range v {
			member, err := b.value(x)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			dict[key] = member
		}
		return dict, nil
	}
	return nil, fmt.Errorf("the value %v is of no known kind", v)
}

var specialNumbers = map[string]float64{
	"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "-0": math.Copysign(0, -1),
}

// values holds the elements of a case's tensor, of which the kind that suits the type is set.
type values struct {
	dtype  tensor.DType
	shape  tensor.Shape
	floats []float64 // as listed, for float types
	ints   []*big.Int
	halves []tensor.F16
	fill   bool // one listed element stands for all
}

func (t webnnTensor) values() (*values, error) {
	d, err := tensor.ParseDType(t.Descriptor.DataType)
	if err != nil {
		return nil, err
	}
	v := &values{dtype: d, shape: t.Descriptor.Shape}
	if err := v.shape.Check(); err != nil {
		return nil, err
	}
	list, ok := t.Data.([]any)
	if !ok {
		list, v.fill = []any{t.Data}, true
	} else if len(list) != v.shape.Len() {
		return nil, fmt.Errorf("%d elements do not fill shape %v", len(list), v.shape)
	}
	for i, x := range list {
		text := fmt.Sprint(x)
		if d.IsInteger() {
			n, ok := new(big.Int).SetString(text, 10)
			if !ok {
				f, err := strconv.ParseFloat(text, 64)
				if err != nil || f != math.Trunc(f) {
					return nil, fmt.Errorf("element %d, %q, is no integer", i, text)
				}
				n, _ = big.NewFloat(f).Int(nil)
			}
			v.ints = append(v.ints, n)
			continue
		}
		f, ok := specialNumbers[text]
		if !ok {
			if f, err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
		}
		v.floats = append(v.floats, f)
	}
	for _, bits := range t.Float16Bits {
		v.halves = append(v.halves, tensor.F16(bits))
	}
	return v, nil
}

func (t webnnTensor) tensor() (*tensor.Tensor, error) {
	v, err := t.values()
	if err != nil {
		return nil, err
	}
	out, err := tensor.New(v.dtype, v.shape)
	if err != nil {
		return nil, err
	}
	n := v.shape.Len()
	switch {
	case v.dtype.IsInteger():
		words := make([]uint64, n)
		for i := range words {
			x := v.ints[v.index(i)]
			words[i] = x.Uint64()
			if x.Sign() < 0 {
				words[i] = uint64(x.Int64())
			}
		}
		wide, err := tensor.FromSlice(words, v.shape...)
		if err != nil {
			return nil, err
		}
		return out, tensor.CastRange(out, wide, 0, n)
	case v.dtype == tensor.Float16:
		for i, dst := 0, tensor.Data[tensor.F16](out); i < n; i++ {
			dst[i] = v.half(i)
		}
	default:
		for i, dst := 0, tensor.Data[float32](out); i < n; i++ {
			dst[i] = float32(v.floats[v.index(i)])
		}
	}
	return out, nil
}

// index returns where element i is listed.
func (v *values) index(i int) int {
	if v.fill {
		return 0
	}
	return i
}

// half returns element i of a float16 tensor, whose bits are listed where they are not the nearest number's.
func (v *values) half(i int) tensor.F16 {
	if len(v.halves) > v.index(i) {
		return v.halves[v.index(i)]
	}
	return tensor.RoundF16(v.floats[v.index(i)])
}
