package conform

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
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
		r, err := openCases(filepath.Join(dir, files[0]))
		if err != nil {
			return false
		}
		defer r.Close()
		head, _ := io.ReadAll(io.LimitReader(r, 512))
		return bytes.Contains(head, []byte(`"schema":"webnn-wpt/1"`)) && bytes.Contains(head, []byte(`"kind":"`+kind+`"`))
	}
}

// openCases opens a file, which is gunzipped if its name says so.
func openCases(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

func readWebNN(path string) (*webnnFile, error) {
	r, err := openCases(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var file webnnFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &file, nil
}

func loadWebNN(dir string, files []string) ([]Case, error) {
	return webnnCases(dir, files, func(c *Case, raw json.RawMessage, conflict []string) {
		if len(conflict) > 0 {
			c.skip = "not required: " + strings.Join(conflict, "; ")
		}
		c.run = func(ctx context.Context, e *Engine) error {
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

func loadWebNNUnsupported(dir string, files []string) ([]Case, error) {
	return webnnCases(dir, files, func(c *Case, _ json.RawMessage, _ []string) {
		c.skip = unsupported("the validation of WebNN calls")
	})
}

func webnnCases(dir string, files []string, finish func(c *Case, raw json.RawMessage, conflict []string)) ([]Case, error) {
	var cases []Case
	for _, name := range webnnFiles(files) {
		file, err := readWebNN(filepath.Join(dir, name))
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

func (c *webnnCase) run(ctx context.Context, e *Engine) error {
	b := webnn.NewGraphBuilder()
	operands := make(map[string]*webnn.Operand)
	inputs := make(map[string]*tensor.Tensor)
	for _, name := range slices.Sorted(maps.Keys(c.Graph.Inputs)) {
		in := c.Graph.Inputs[name]
		t, err := in.tensor()
		if err != nil {
			return fmt.Errorf("input %s: %w", name, err)
		}
		if in.Constant {
			operands[name], err = b.Constant(t)
		} else {
			operands[name], err = b.Input(name, webnn.Descriptor{DataType: t.DType(), Shape: t.Shape()})
			inputs[name] = t
		}
		if err != nil {
			return err
		}
	}
	for _, o := range c.Graph.Operators {
		if err := o.apply(b, operands); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(c.Graph.ExpectedOutputs))
	outputs := make([]*webnn.Operand, len(names))
	for i, name := range names {
		want := c.Graph.ExpectedOutputs[name].Descriptor
		o := operands[name]
		if o == nil {
			return fmt.Errorf("no operator yields the output %s", name)
		}
		if o.DataType().String() != want.DataType || !slices.Equal(o.Shape(), tensor.Shape(want.Shape)) {
			return fmt.Errorf("output %s is %v%v; want %s%v", name, o.DataType(), o.Shape(), want.DataType, want.Shape)
		}
		outputs[i] = o
	}
	g, err := b.Build(names, outputs)
	if err != nil {
		return err
	}
	got, err := e.eval(ctx, g, inputs)
	if err != nil {
		return err
	}
	for _, name := range names {
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

// apply calls the method of an operator and notes its results.
func (o *webnnOperator) apply(b *webnn.GraphBuilder, operands map[string]*webnn.Operand) error {
	var args []any
	options := webnn.Options{}
	for _, argument := range o.Arguments {
		for name, v := range argument {
			if name != "options" {
				a, err := argumentValue(v, operands)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", o.Name, name, err)
				}
				args = append(args, a)
				continue
			}
			dict, ok := v.(map[string]any)
			if !ok {
				return fmt.Errorf("%s: the options are no dictionary", o.Name)
			}
			for key, v := range dict {
				a, err := argumentValue(v, operands)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", o.Name, key, err)
				}
				options[key] = a
			}
		}
	}
	results, err := b.Call(o.Name, args, options)
	if err != nil {
		return err
	}
	names, _ := o.Outputs.([]any)
	if name, ok := o.Outputs.(string); ok {
		names = []any{name}
	}
	if len(names) != len(results) {
		return fmt.Errorf("%s has %d results; want %d", o.Name, len(results), len(names))
	}
	for i, name := range names {
		operands[fmt.Sprint(name)] = results[i]
	}
	return nil
}

// argumentValue turns a JSON value into what webnn.GraphBuilder.Call takes.
func argumentValue(v any, operands map[string]*webnn.Operand) (any, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case string:
		if o := operands[v]; o != nil {
			return o, nil
		}
		if d, err := tensor.ParseDType(v); err == nil {
			return d, nil
		}
		if f, ok := specialNumbers[v]; ok {
			return f, nil
		}
		return v, nil
	case json.Number:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return n, nil
		}
		return v.Float64()
	case map[string]any:
		if s, ok := v["$bigint"].(string); ok {
			if n, ok := new(big.Int).SetString(s, 10); ok {
				return n, nil
			}
		}
	case []any:
		return listValue(v, operands)
	}
	return nil, fmt.Errorf("the value %v is of no known kind", v)
}

func listValue(list []any, operands map[string]*webnn.Operand) (any, error) {
	items := make([]any, len(list))
	for i, x := range list {
		item, err := argumentValue(x, operands)
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	if ops, ok := typed[*webnn.Operand](items); ok && len(items) > 0 {
		return ops, nil
	}
	if ints, ok := typed[int](items); ok {
		return ints, nil
	}
	if names, ok := typed[string](items); ok {
		return names, nil
	}
	floats := make([]float64, len(items))
	for i, x := range items {
		switch x := x.(type) {
		case int:
			floats[i] = float64(x)
		case float64:
			floats[i] = x
		default:
			return nil, fmt.Errorf("item %d of a list is %v", i, x)
		}
	}
	return floats, nil
}

// typed returns the items as a list of T if all of them are.
func typed[T any](items []any) ([]T, bool) {
	out := make([]T, len(items))
	for i, x := range items {
		v, ok := x.(T)
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
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
	return tensor.ToF16(float32(v.floats[v.index(i)]))
}
