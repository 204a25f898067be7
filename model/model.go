package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// Shapes are those of inputs, by their names.
type Shapes = map[string]tensor.Shape

// Input is an input of a model as the model declares it.
type Input struct {
	Name  string
	DType tensor.DType
	Shape Shape

	Unranked bool // whether the model declares no shape at all, so that one of any rank must be given
	Sequence bool // whether it is any number of tensors, which are named after it: x[0], x[1] and so on
	Optional bool // whether it may be left out
}

// Element returns the name of element i of a sequence.
func Element(sequence string, i int) string { return sequence + "[" + strconv.Itoa(i) + "]" }

// String writes the input as "x: float32[N,3]".
func (in Input) String() string {
	shape := in.Shape.String()
	if in.Unranked {
		shape = "[?]"
	}
	text := in.DType.String() + shape
	if in.Sequence {
		text = "sequence of " + text
	}
	if in.Optional {
		text = "optional " + text
	}
	return in.Name + ": " + text
}

// Model is a network as a function of the shapes of its inputs. It may be used by several goroutines at once.
type Model struct {
	inputs  []Input
	at      map[string]int                     // where in the list an input is
	outputs []string                           // of a model in parts; nil for what its graph yields
	whole   func(Shapes) (*graph.Graph, error) // of a model with a single graph; else nil
	parts   func(Shapes) (*Part, error)        // of another

	closed atomic.Bool
	mu     sync.Mutex
	last   *Part // of the shapes key
	key    string
}

// New returns the model with the given inputs whose graph build makes. It is called with the shapes of all inputs, with symbols bound alike, and by one
// goroutine at a time. It fails on extents that the network cannot have.
func New(inputs []Input, build func(Shapes) (*graph.Graph, error)) *Model {
	return &Model{inputs: inputs, at: positions(inputs), whole: build}
}

// InParts is [New] for a model that may have no single graph. Each of its outputs is an output of one of the parts that a run passes
// through, or an input.
func InParts(inputs []Input, outputs []string, build func(Shapes) (*Part, error)) *Model {
	return &Model{inputs: inputs, at: positions(inputs), outputs: outputs, parts: build}
}

func positions(inputs []Input) map[string]int {
	out := make(map[string]int, len(inputs))
	for i := range slices.Backward(inputs) {
		out[inputs[i].Name] = i
	}
	return out
}

// Of returns the model that is a graph: its inputs have no other shapes than they have.
func Of(g *graph.Graph) *Model {
	if g == nil || slices.ContainsFunc(g.Inputs, func(v *graph.Value) bool { return v == nil }) {
		return &Model{}
	}
	inputs := make([]Input, len(g.Inputs))
	for i, v := range g.Inputs {
		inputs[i] = Input{Name: v.Name, DType: v.Type.DType, Shape: Fixed(v.Type.Shape)}
	}
	return New(inputs, func(shapes Shapes) (*graph.Graph, error) {
		for _, v := range g.Inputs {
			if s := shapes[v.Name]; !s.Equal(v.Type.Shape) {
				return nil, &GivenError{v.Name, s, fmt.Sprintf("input %s has the shape %v, which the model fixes; it cannot be %v", v.Name, v.Type.Shape, s)}
			}
		}
		return g, nil
	})
}

// Inputs returns what the model declares. The caller must not change it.
func (m *Model) Inputs() []Input {
	if m == nil {
		return nil
	}
	return m.inputs
}

// Outputs returns the names of the outputs of a model that may be in parts. It is nil for another one, whose graph has them.
func (m *Model) Outputs() []string {
	if m == nil {
		return nil
	}
	return m.outputs
}

// Graph returns the network for inputs of the given shapes, which must not be changed. Inputs that are not named have the shapes that the
// model declares; a symbol is bound wherever a shape is given in its place, and must be in the end, alike everywhere. A fixed shape may be
// replaced by another one, if the network can have it. A model that has no single graph for these shapes is a *[PartsError]; [Programs.Run]
// runs it.
func (m *Model) Graph(given Shapes) (*graph.Graph, error) {
	p, err := m.Part(given)
	if err != nil {
		return nil, err
	}
	if p.Rest != nil {
		return nil, &PartsError{p.Asked, p.Why}
	}
	if p.Graph == nil {
		return nil, errNothing
	}
	return p.Graph, nil
}

// errNothing is what there is to say of a model whose outputs are empty sequences or absent.
var errNothing = errors.New("for these inputs the model yields no tensors")

// errNone is what there is to say of a Model that no function has made.
var errNone = errors.New("there is no model: it is nil, or the zero Model")

// Part is [Model.Graph] for models in parts: it returns the first one.
func (m *Model) Part(given Shapes) (_ *Part, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	shapes, err := m.Complete(given)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed.Load() {
		return nil, mapfile.ErrClosed
	}
	if m.whole == nil && m.parts == nil {
		return nil, errNone
	}
	key := m.Key(shapes)
	if m.last == nil || m.key != key {
		p := &Part{}
		if m.whole != nil {
			p.Graph, err = m.whole(shapes)
		} else {
			p, err = m.parts(shapes)
		}
		if err != nil {
			return nil, err
		}
		m.last, m.key = p, key
	}
	return m.last, nil
}

// Close ends the making of graphs: [Model.Graph], [Model.Part] and whatever needs a graph that was not made yet are an error afterwards,
// fs.ErrClosed. Graphs that were made, and their programs, stay as they are. It waits for a graph that is being made, and may be called at any
// time and twice.
func (m *Model) Close() {
	if m == nil {
		return
	}
	m.closed.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.whole, m.parts, m.last = nil, nil, nil
}

// Complete returns the shapes of all inputs, given those of some. A name that is no input's but a symbol's, with one extent, gives the symbol
// a number.
func (m *Model) Complete(given Shapes) (Shapes, error) {
	if m == nil {
		return nil, errNone
	}
	symbols, err := m.given(given)
	if err != nil {
		return nil, err
	}
	own := len(given) - len(symbols)
	shapes := make(Shapes, len(m.inputs))
	for i := range m.inputs {
		in := &m.inputs[i]
		if in.Sequence {
			for k := 0; given[Element(in.Name, k)] != nil; k++ {
				name := Element(in.Name, k)
				shapes[name] = given[name]
				if err := in.accept(name, given[name]); err != nil {
					return nil, err
				}
			}
		} else if s, ok := given[in.Name]; ok {
			shapes[in.Name] = s
			if err := in.accept(in.Name, s); err != nil {
				return nil, err
			}
			if err := in.bind(s, symbols); err != nil {
				return nil, err
			}
		}
	}
	if len(shapes) < own {
		return nil, fmt.Errorf("shapes are given for elements of a sequence, but not for those before them; they are numbered from 0")
	}
	for i := range m.inputs {
		in := &m.inputs[i]
		if _, ok := shapes[in.Name]; ok || in.Sequence || in.Optional {
			continue
		}
		if shapes[in.Name], err = in.declared(symbols); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// given returns the symbols among the names that shapes are given for. Others that are no input's are an error.
func (m *Model) given(shapes Shapes) (map[string]int, error) {
	symbols := make(map[string]int)
	wrong := ""
	for name, shape := range shapes {
		switch {
		case m.input(name) != nil:
		case len(shape) == 1 && m.has(name):
			symbols[name] = shape[0]
		case wrong == "" || name < wrong:
			wrong = name
		}
	}
	if wrong != "" {
		return nil, &GivenError{wrong, shapes[wrong], fmt.Sprintf("a shape is given for %q; the inputs are %s", wrong, m.names())}
	}
	return symbols, nil
}

// accept reports whether the input, or an element of it, may have a shape.
func (in *Input) accept(name string, shape tensor.Shape) error {
	if !in.Unranked && in.Shape.open() && len(shape) != len(in.Shape) {
		return &GivenError{name, shape, fmt.Sprintf("input %v: the shape %v has another rank", in, shape)}
	}
	if err := shape.Check(); err != nil {
		return &GivenError{name, shape, fmt.Sprintf("input %s: %v", name, err)}
	}
	return nil
}

// declared returns the shape that the model declares, with symbols replaced.
func (in *Input) declared(symbols map[string]int) (tensor.Shape, error) {
	if in.Unranked {
		return nil, &OpenError{Input: *in}
	}
	shape := make(tensor.Shape, len(in.Shape))
	var open []string
	for k, d := range in.Shape {
		n, bound := symbols[d.Symbol]
		switch {
		case d.Symbol == "":
			n = d.Extent
		case !bound && !slices.Contains(open, d.Symbol):
			open = append(open, d.Symbol)
		}
		shape[k] = n
	}
	if open != nil {
		return nil, &OpenError{*in, open[0], open}
	}
	return shape, nil
}

// input returns the input that a tensor belongs to, nil if there is none.
func (m *Model) input(name string) *Input {
	if i := m.position(name); i >= 0 {
		return &m.inputs[i]
	}
	return nil
}

// position returns where in the list of inputs that is to which a tensor belongs, -1 if there is none.
func (m *Model) position(name string) int {
	if i, ok := m.at[name]; ok && !m.inputs[i].Sequence {
		return i
	}
	if begin := strings.LastIndexByte(name, '['); begin >= 0 {
		k, err := strconv.Atoi(strings.TrimSuffix(name[begin+1:], "]"))
		if i, ok := m.at[name[:begin]]; ok && err == nil && m.inputs[i].Sequence && name == Element(name[:begin], k) {
			return i
		}
	}
	return -1
}

// has reports whether a symbol is in the shape of an input.
func (m *Model) has(symbol string) bool {
	return symbol != "" && slices.ContainsFunc(m.inputs, func(in Input) bool {
		return slices.ContainsFunc(in.Shape, func(d Dim) bool { return d.Symbol == symbol })
	})
}

// bind gives the symbols of an input the numbers that they have in a shape.
func (in *Input) bind(shape tensor.Shape, symbols map[string]int) error {
	for k, d := range in.Shape {
		if d.Symbol == "" {
			continue
		}
		if old, ok := symbols[d.Symbol]; ok && old != shape[k] {
			return &GivenError{in.Name, shape, fmt.Sprintf("input %v: the shape %v binds %s to %d, but it is %d elsewhere", in, shape, d.Symbol, shape[k], old)}
		}
		symbols[d.Symbol] = shape[k]
	}
	return nil
}

// Key returns a text that is the same for equal shapes of all inputs, and another one for others.
func (m *Model) Key(shapes Shapes) string {
	b := make([]byte, 0, 64)
	add := func(shape tensor.Shape) {
		for _, n := range shape {
			b = append(strconv.AppendInt(b, int64(n), 10), ',')
		}
		b = append(b, ';')
	}
	for i := range m.Inputs() {
		in := &m.inputs[i]
		switch s, ok := shapes[in.Name]; {
		case in.Sequence:
			for k := 0; shapes[Element(in.Name, k)] != nil; k++ {
				add(shapes[Element(in.Name, k)])
			}
			b = append(b, '.')
		case ok:
			add(s)
		default:
			b = append(b, '-')
		}
	}
	return string(b)
}

func (m *Model) names() string {
	names := make([]string, len(m.inputs))
	for i := range m.inputs {
		names[i] = m.inputs[i].Name
	}
	return strings.Join(names, ", ")
}

// GivenError says that a shape that is given is none that the model can have.
type GivenError struct {
	Name  string // of the input, or of the symbol, that it is given for
	Shape tensor.Shape
	Why   string // a sentence with both
}

// Error says why.
func (e *GivenError) Error() string { return cmp.Or(e, new(GivenError)).Why }

// OpenError says that an extent must be given a number.
type OpenError struct {
	Input  Input    // as it is declared
	Symbol string   // the extent; empty if it is the whole shape
	Open   []string // all extents of the input that must be given one, this first
}

// Error names the input and the extent.
func (e *OpenError) Error() string {
	e = cmp.Or(e, new(OpenError))
	if e.Symbol == "" {
		return fmt.Sprintf("input %v: the model declares no shape; one must be given", e.Input)
	}
	return fmt.Sprintf("input %v: the extent %s must be given a number", e.Input, e.Symbol)
}
