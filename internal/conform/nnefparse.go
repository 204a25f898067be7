package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

// documentCase is an entry of the index of NNEF documents: what a reader must make of one.
type documentCase struct {
	File, Lower string
	Expect      struct {
		Verdict, Graph, Class string
		Line                  int
		LineChecked           bool `json:"line_checked"`
	}
}

// flatten reads a document and returns its graph.
func flatten(name string, text []byte, level flat.Level) (*flat.Graph, error) {
	f, err := nnef.OpenText(name, text, nnef.Options{})
	if err != nil {
		return nil, err
	}
	return f.Flatten(level)
}

// run flattens the document, and compares the graph or the first error.
func (c *documentCase) run(_ context.Context, dir string, _ *evaluator) error {
	text, err := readFile(dir, c.File)
	if err != nil {
		return err
	}
	level := flat.User
	if c.Lower == "all" {
		level = flat.All
	}
	g, err := flatten(c.File, text, level)
	if c.Expect.Verdict == "reject" {
		return c.rejected(err)
	}
	if err != nil {
		return fmt.Errorf("it is refused: %w", err)
	}
	want, err := readFile(dir, c.Expect.Graph)
	if err != nil {
		return err
	}
	got, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := EqualGraphs(got, want); err != nil {
		return err
	}
	return roundTrip(c.File, g)
}

// roundTrip writes a graph, reads it again and compares.
func roundTrip(name string, g *flat.Graph) error {
	var first, second bytes.Buffer
	if err := g.Write(&first); err != nil {
		return fmt.Errorf("the graph cannot be written: %w", err)
	}
	back, err := flatten(name, first.Bytes(), flat.User)
	if err != nil {
		return fmt.Errorf("what was written is refused: %w", err)
	}
	if err := back.Write(&second); err != nil {
		return err
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		return errors.New("writing what was written gives another text")
	}
	return nil
}

// rejected compares the first error with the expected one.
func (c *documentCase) rejected(err error) error {
	var list syntax.Diagnostics
	switch {
	case err == nil:
		return fmt.Errorf("it is accepted; want an error of class %s in line %d", c.Expect.Class, c.Expect.Line)
	case !errors.As(err, &list) || len(list) == 0:
		return fmt.Errorf("the error has no place: %w", err)
	}
	d := list[0]
	class, line := d.Class(), d.Position().Line
	if c.Expect.LineChecked && line != c.Expect.Line {
		return fmt.Errorf("the error is in line %d; want line %d: %w", line, c.Expect.Line, err)
	}
	if class.String() == c.Expect.Class {
		return nil
	}
	err = fmt.Errorf("the class is %v; want %s: %w", class, c.Expect.Class, err)
	want := slices.IndexFunc(classes, func(k syntax.Class) bool { return k.String() == c.Expect.Class })
	if got := slices.Index(classes, class); want >= 0 && (got == want-1 || got == want+1) {
		return minor{err}
	}
	return err
}

// classes are the classes of errors in the order of processing. Reporting the neighbour of the expected one is a minor
// deviation.
var classes = []syntax.Class{syntax.ClassLexical, syntax.ClassSyntax, syntax.ClassExtension, syntax.ClassDeclaration, syntax.ClassName,
	syntax.ClassArgument, syntax.ClassType, syntax.ClassStructure, syntax.ClassGraph, syntax.ClassEval, syntax.ClassValue, syntax.ClassShape}

// jsonGraph is a flattened graph as the cases have it.
type jsonGraph struct {
	Inputs, Outputs []string
	Ops             []struct {
		Op, DType string
		Args      map[string]any
		Results   map[string]any
	}
	Tensors map[string]struct {
		DType string
		Shape *[]int
	}
}

// EqualGraphs compares two flattened graphs as the README of the cases says, and the types and shapes of the tensors that
// have the same name in both.
func EqualGraphs(got, want []byte) error {
	var a, b jsonGraph
	if err := json.Unmarshal(got, &a); err != nil {
		return err
	}
	if err := json.Unmarshal(want, &b); err != nil {
		return err
	}
	if !slices.Equal(a.Inputs, b.Inputs) || !slices.Equal(a.Outputs, b.Outputs) {
		return fmt.Errorf("the graph maps %v to %v; want %v to %v", a.Inputs, a.Outputs, b.Inputs, b.Outputs)
	}
	x, y := canonical(&a), canonical(&b)
	for i := range a.Outputs {
		if x.tensors[a.Outputs[i]] != y.tensors[b.Outputs[i]] {
			return fmt.Errorf("output %s is %s; want %s", a.Outputs[i], x.tensors[a.Outputs[i]], y.tensors[b.Outputs[i]])
		}
	}
	if !slices.Equal(x.ops, y.ops) {
		return fmt.Errorf("the operations are %q; want %q", x.ops, y.ops)
	}
	for name, t := range b.Tensors {
		u, ok := a.Tensors[name]
		if !ok || x.tensors[name] != y.tensors[name] {
			continue
		}
		if u.DType != t.DType || (u.Shape == nil) != (t.Shape == nil) || u.Shape != nil && !slices.Equal(*u.Shape, *t.Shape) {
			return fmt.Errorf("the tensor %s is %s%v; want %s%v", name, u.DType, extents(u.Shape), t.DType, extents(t.Shape))
		}
	}
	return nil
}

func extents(shape *[]int) any {
	if shape == nil {
		return "[?]"
	}
	return *shape
}

// canonicalGraph has the keys of a graph's tensors and, sorted, of its operations.
type canonicalGraph struct {
	tensors map[string]string
	ops     []string
}

func canonical(g *jsonGraph) canonicalGraph {
	c := canonicalGraph{tensors: make(map[string]string)}
	for _, op := range g.Ops {
		if op.Op == "copy" || op.Op == "idn" {
			for _, r := range op.Results {
				c.tensors[tensorName(r)] = c.key(op.Args["x"])
			}
			continue
		}
		key := op.Op + "<" + op.DType + ">("
		if op.Op == "external" {
			for _, r := range op.Results {
				key += tensorName(r)
			}
		}
		for _, p := range naming.Sorted(op.Args) {
			key += p + "=" + c.key(op.Args[p]) + ";"
		}
		key += ")"
		c.ops = append(c.ops, key)
		for _, name := range naming.Sorted(op.Results) {
			c.result(key+"."+name, op.Results[name])
		}
	}
	sort.Strings(c.ops)
	return c
}

func (c *canonicalGraph) result(key string, v any) {
	if list, ok := v.([]any); ok {
		for i, x := range list {
			c.result(key+strconv.Itoa(i), x)
		}
		return
	}
	c.tensors[tensorName(v)] = key
}

func tensorName(v any) string {
	m, _ := v.(map[string]any)
	name, _ := m["t"].(string)
	return name
}

// key writes a value; scalars with as many digits as must be equal.
func (c *canonicalGraph) key(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["t"].(string); ok {
			return c.tensors[name]
		}
		if f, ok := v["f"].(float64); ok {
			return strconv.FormatFloat(f, 'e', 5, 64) + "f"
		}
		return "tuple" + c.key(v["tuple"])
	case []any:
		s := "["
		for _, x := range v {
			s += c.key(x) + ","
		}
		return s + "]"
	}
	return fmt.Sprintf("%v", v)
}

// hostileTime is how long reading a hostile document may take.
const hostileTime = 5 * time.Second

// hasHostile recognises hostile documents: cases with a rule that are read as documents, not as other files.
func hasHostile(dir string, files []string) bool {
	if !slices.Contains(files, "index.json") {
		return false
	}
	index, err := readIndex(dir)
	return err == nil && len(index) > 0 && index[0]["rule"] != nil && index[0]["graph"] == nil && bytes.HasSuffix(index[0]["file"], []byte(`.nnef"`))
}

// survives reads a document that is meant to break a reader.
func (c *documentCase) survives(_ context.Context, dir string, _ *evaluator) error {
	text, err := readFile(dir, c.File)
	if err != nil {
		return err
	}
	start := time.Now()
	_, err = flatten(c.File, text, flat.User)
	if took := time.Since(start); took > hostileTime {
		return fmt.Errorf("reading took %v", took)
	}
	var list syntax.Diagnostics
	switch {
	case err == nil && c.Expect.Verdict == "reject":
		return errors.New("it is accepted")
	case err != nil && !errors.As(err, &list):
		return fmt.Errorf("the error has no place: %w", err)
	}
	return nil
}
