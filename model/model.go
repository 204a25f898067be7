package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// New returns the model with the given inputs whose graph build makes. It is called with the shapes of all inputs, with symbols bound alike, and by one goroutine at a time. It fails on extents that the network cannot have.
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
	if g == nil {
		return &Model{}
	}
	inputs := make([]Input, len(g.Inputs))
	for i, v := range g.Inputs {
		inputs[i] = Input{Name: v.Name, DType: v.Type.DType, Shape: Fixed(v.Type.Shape)}
	}
	return New(inputs, func(shapes Shapes) (*graph.Graph, error) {
		for _, v := range g.Inputs {
			if s := shapes[v.Name]; !s.Equal(v.Type.Shape) {
				return nil, fmt.Errorf("input %s has the shape %v, which the model fixes; it cannot be %v", v.Name, v.Type.Shape, s)
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
	bound := make(map[string]int)
	inputs := make(Shapes, len(given))
	hasSymbol := sync.OnceValue(m.symbols)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		in := m.input(name)
		if in == nil && len(given[name]) == 1 && hasSymbol()[name] {
			bound[name] = given[name][0]
			continue
		}
		inputs[name] = given[name]
		if in == nil {
			return nil, fmt.Errorf("a shape is given for %q; the inputs are %s", name, m.names())
		}
		if !in.Unranked && in.Shape.open() && len(given[name]) != len(in.Shape) {
			return nil, fmt.Errorf("input %v: the shape %v has another rank", in, given[name])
		}
		if err := given[name].Check(); err != nil {
			return nil, fmt.Errorf("input %s: %w", name, err)
		}
	}
	given = inputs
	symbols, err := m.bind(given, bound)
	if err != nil {
		return nil, err
	}
	shapes := make(Shapes, len(m.inputs))
	for i := range m.inputs {
		in := &m.inputs[i]
		if in.Sequence {
			for k := 0; given[Element(in.Name, k)] != nil; k++ {
				shapes[Element(in.Name, k)] = given[Element(in.Name, k)]
			}
			continue
		}
		s, ok := given[in.Name]
		if !ok && in.Optional {
			continue
		}
		if !ok {
			if s, err = in.declared(symbols); err != nil {
				return nil, err
			}
		}
		shapes[in.Name] = s
	}
	if len(shapes) < len(given) {
		return nil, fmt.Errorf("shapes are given for elements of a sequence, but not for those before them; they are numbered from 0")
	}
	return shapes, nil
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

// symbols returns those in the shapes of inputs.
func (m *Model) symbols() map[string]bool {
	out := make(map[string]bool)
	for i := range m.inputs {
		for _, d := range m.inputs[i].Shape {
			out[d.Symbol] = d.Symbol != ""
		}
	}
	return out
}

// bind returns what the given shapes bind symbols to, some of which are bound already.
func (m *Model) bind(given Shapes, symbols map[string]int) (map[string]int, error) {
	for i := range m.inputs {
		in := &m.inputs[i]
		shape, ok := given[in.Name]
		if !ok {
			continue
		}
		for k, d := range in.Shape {
			if d.Symbol == "" {
				continue
			}
			if old, ok := symbols[d.Symbol]; ok && old != shape[k] {
				return nil, fmt.Errorf("input %v: the shape %v binds %s to %d, but it is %d elsewhere", in, shape, d.Symbol, shape[k], old)
			}
			symbols[d.Symbol] = shape[k]
		}
	}
	return symbols, nil
}

// Key returns a text that is the same for equal shapes of all inputs.
func (m *Model) Key(shapes Shapes) string {
	var b strings.Builder
	for i := range m.Inputs() {
		in := &m.inputs[i]
		switch s, ok := shapes[in.Name]; {
		case in.Sequence:
			for k := 0; shapes[Element(in.Name, k)] != nil; k++ {
				b.WriteString(shapes[Element(in.Name, k)].String())
			}
			b.WriteByte(';')
		case ok:
			b.WriteString(s.String())
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

func (m *Model) names() string {
	names := make([]string, len(m.inputs))
	for i := range m.inputs {
		names[i] = m.inputs[i].Name
	}
	return strings.Join(names, ", ")
}

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
