package wasm

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

//go:generate go run -C ../../internal/wasmobj/gen . -o ../../../engine/wasm/references.bin

//go:embed references.bin
var references []byte

// compiled returns the references as an object, to which functions and data may be added.
var compiled = sync.OnceValues(func() (*wasmobj.Object, error) { return wasmobj.Unmarshal(references) })

// Module is a graph as a WebAssembly module. It exports its memory as memory, the function run, and for graphs with states reset, which gives them
// their first content.
//
// A module for several threads imports that memory, which is shared, from env as memory: each thread has an instance of its own. One of them is the
// caller's: it calls begin, with 1 if it may sleep and 0 if it must not, as a window's thread, plus 2 if there are no others any more, plus four times n,
// and then run. In between it may tell others, which call help with their number, from 1 to Threads-1, and compute what run has not begun; whether they
// come, and when, does not matter. Who ends with a trap calls fail, so that nobody waits for it: run ends with a trap, too, and may be called again.
// If a thread ends in another way, what it has begun is never done. A caller that has waited n times, about 10 ms each, while no thread has computed a
// unit gives up: run ends with a trap and fail returns 1, or begin returns 1 after a run that has failed. The memory must not be used any more then, as
// nobody knows who writes there. With n = 0 it waits for ever.
type Module struct {
	Code []byte
	// Threads is how many threads may compute a run, and Pages the size of the memory, also its bound where it is imported, in 64 KiB.
	Threads, Pages int
	// WeightsAt is where in the memory what [Module.WriteWeights] writes, WeightsLen bytes, must stand before the first run.
	WeightsAt, WeightsLen int
	Inputs, Outputs       []Port

	weights *weights
}

// Port is an input or an output.
type Port struct {
	engine.Port
	At int // where its elements lie in the memory, in row-major order
}

const (
	firstAddress = 1024 // nothing lies below, so that address 0 is nobody's
	stackBytes   = 1 << 16
	pageBytes    = 1 << 16
	readBehind   = 64      // bytes that kernels may read behind data
	mostPages    = 1 << 16 // of a memory with addresses of 32 bits
)

// Options say how a module is made.
type Options struct {
	Limits engine.Limits
	Level  Level
	Names  bool // whether functions get the names of what they compute, for profiles and stack traces
	// Threads is how many threads may compute a run, at most [MostThreads]. With 0 and 1, and for graphs of which nothing is worth dividing, the module has
	// a memory of its own.
	Threads int
	// Whole makes the weights a part of the module, which needs nothing else then.
	Whole bool
}

// MostThreads is the greatest number of threads of a module.
const MostThreads = limits.WASMThreads

// Compile makes the module of a graph.
func Compile(g *graph.Graph, opts Options) (*Module, error) {
	list, err := CompileAll(g, opts.Limits, opts)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// CompileAll makes modules of one graph, which have the same weights. Only these limits hold.
func CompileAll(g *graph.Graph, most engine.Limits, list ...Options) ([]*Module, error) {
	for _, opts := range list {
		if opts.Threads < 0 || opts.Threads > MostThreads {
			return nil, fmt.Errorf("%d threads are asked for; it must be 0 … %d", opts.Threads, MostThreads)
		}
	}
	p, err := engine.Compile(g, engine.Options{Limits: most, Threads: 1, Tiers: []kernel.Tier{vectors}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for part := range g.Graphs() {
		for _, n := range part.Nodes {
			if k, attr := kernel.WindowBeyond(n, limits.WASMSlide); attr != "" {
				return nil, &engine.NodeError{Node: n, Err: fmt.Errorf("%s: %d is given; where addresses have 32 bits it is at most %d", attr, k, limits.WASMSlide)}
			}
		}
	}
	image, err := p.Image()
	if err != nil {
		return nil, err
	}
	w := newWeights()
	modules := make([]*Module, len(list))
	for i, opts := range list {
		made, err := compileImage(image, w, opts)
		if err != nil {
			return nil, err
		}
		if i > 0 && made.WeightsLen != modules[0].WeightsLen { // Without this all is the same as long as they differ in code alone.
			return nil, errors.New("the modules need different weights")
		}
		for i, port := range p.Inputs() {
			made.Inputs[i].Port = port
		}
		for i, port := range p.Outputs() {
			made.Outputs[i].Port = port
		}
		modules[i] = made
	}
	return modules, nil
}

// compileImage makes a module of an image, without the names and types of its ports.
func compileImage(image *engine.Image, w *weights, opts Options) (*Module, error) {
	m, err := newMaker(image, w, opts)
	if err != nil {
		return nil, err
	}
	o := m.o
	shares := m.shares(image, opts.Threads)
	if len(shares) > 0 {
		m.threads = opts.Threads
	}
	m.scratch = o.AddData(wasmobj.Datum{Align: tensor.Alignment, Size: m.threads * len(image.Scratch)})
	m.stack = o.AddData(wasmobj.Datum{Align: tensor.Alignment, Size: m.threads * stackBytes})
	l := wasmobj.NewLinker(o, firstAddress)
	if m.threads > 1 {
		l.Shared = true
		l.Exports, err = m.meeting(shares)
	} else {
		var run int
		run, err = m.function(image, wasmobj.FuncType{})
		l.Exports = []wasmobj.Export{{Name: "run", Func: run}}
	}
	if err != nil {
		return nil, err
	}
	if len(image.Resets) > 0 {
		code := wasmobj.NewCode(wasmobj.FuncType{})
		m.moves(code, image.Resets)
		l.Exports = append(l.Exports, wasmobj.Export{Name: "reset", Func: o.AddFunc(wasmobj.FuncType{}, code)})
	}
	return m.link(l, image.Inputs, image.Outputs, opts.Whole)
}

// link makes the module of what has been added, without the names and types of its ports. If it is to be whole, it holds the weights itself.
func (m *maker) link(l *wasmobj.Linker, inputs, outputs []*tensor.Tensor, whole bool) (*Module, error) {
	for _, t := range slices.Concat(inputs, outputs) {
		m.place(t, 0) // which may add to the weights
	}
	m.o.Data[m.weights].Size = m.held.Len()
	for _, e := range l.Exports {
		l.Func(e.Func)
	}
	made := &Module{Threads: m.threads}
	l.Globals = make([]wasmobj.Global, globals)
	for i := range l.Globals {
		l.Globals[i].Mutable = true
	}
	l.Globals[stackPointer].Value = int32(l.Address(m.stack) + stackBytes)
	if m.threads == 1 {
		l.Globals = l.Globals[:1]
	}
	made.WeightsAt = l.Address(m.weights)
	ports := func(tensors []*tensor.Tensor) (out []Port) {
		for _, t := range tensors {
			sym, at := m.place(t, 0)
			out = append(out, Port{At: l.Address(sym) + at})
		}
		return out
	}
	made.Inputs, made.Outputs = ports(inputs), ports(outputs)
	// Without this there would be a module that no runtime takes; a test would need as much memory.
	if l.Pages = (l.End() + readBehind + pageBytes - 1) / pageBytes; l.Pages > mostPages {
		return nil, &engine.LimitError{What: "memory", Need: int64(l.End()), Allowed: mostPages * pageBytes}
	}
	if whole {
		var all bytes.Buffer
		if err := m.held.Write(&all); err != nil {
			return nil, err
		}
		m.o.Data[m.weights].Bytes = all.Bytes()
	} else {
		made.weights, made.WeightsLen = m.held, m.held.Len()
	}
	made.Code, made.Pages = l.Module(), l.Pages
	return made, nil
}

// maker makes the functions and data of a module.
type maker struct {
	o     *wasmobj.Object
	image *engine.Image

	arena, scratch, weights, stack int // data; of the second and the last as many as there are threads
	threads                        int
	held                           *weights
	tensors                        map[*tensor.Tensor]int
	functions                      map[string]int // that units share
	level                          Level
	names                          bool
	unit                           string                   // what the function is for that is made next, if names are wanted
	fma                            int                      // the function of a multiply-add of vectors
	computed                       func(code *wasmobj.Code) // adds what tells other threads that a unit is computed; nil if there are none
}

// newMaker returns a maker for an image. It has the functions of the references, and a fused multiply-add.
func newMaker(image *engine.Image, w *weights, opts Options) (*maker, error) {
	base, err := compiled()
	if err != nil {
		return nil, err
	}
	m := &maker{o: base.Clone(), image: image, held: w, level: opts.Level, names: opts.Names, threads: 1, tensors: make(map[*tensor.Tensor]int),
		functions: make(map[string]int)}
	m.multiplyAdd()
	m.arena = m.o.AddData(wasmobj.Datum{Align: tensor.Alignment, Size: len(image.Arena)})
	m.weights = m.o.AddData(wasmobj.Datum{Align: tensor.Alignment})
	return m, nil
}

// function makes the function that computes an image.
func (m *maker) function(image *engine.Image, t wasmobj.FuncType) (int, error) {
	code := wasmobj.NewCode(t)
	for i := range image.Steps {
		if err := m.step(code, &image.Steps[i], whole); err != nil {
			return 0, err
		}
	}
	m.moves(code, image.Copies)
	m.moves(code, image.Updates)
	return m.addFunc("run", t, code), nil
}

// describe says which function is made next.
func (m *maker) describe(p *engine.ImagePart) {
	if !m.names {
		return
	}
	m.unit = "layout"
	if len(p.Nodes) > 0 {
		n := p.Nodes[len(p.Nodes)-1]
		m.unit = fmt.Sprintf("%s %s %v", p.Nodes[0].Op, n.Label, n.Out[0].Type.Shape)
	}
}

// addFunc adds a function of the unit, or part of a function, which it has a word for.
func (m *maker) addFunc(what string, t wasmobj.FuncType, code *wasmobj.Code) int {
	fn := m.o.AddFunc(t, code)
	if m.names {
		m.o.Funcs[fn].Name = strings.TrimSpace(m.unit + " " + what)
	}
	return fn
}

// pieces pushes which pieces of a part are computed: all of them, or some of those of its unit, of which each has so many.
type pieces func(code *wasmobj.Code, of, each int)

func whole(code *wasmobj.Code, of, _ int) {
	code.I32(0)
	code.I32(int32(of))
}

// piecesOf returns how many pieces a part of a unit has, or with -1 the unit.
func piecesOf(st *engine.ImageStep, part int) int {
	switch p := &st.Parts[max(part, 0)]; {
	case len(p.Nodes) == 0:
		items, _, blocks := conversions(p)
		return items * blocks
	case part < 0:
		return st.Pieces
	default:
		return p.Pieces
	}
}

// step adds the computation of some pieces of a unit.
func (m *maker) step(code *wasmobj.Code, st *engine.ImageStep, some pieces) error {
	if m.computed != nil {
		defer m.computed(code)
	}
	if st.Blocks != nil {
		return m.control(code, st)
	}
	for k := range st.Parts {
		all := piecesOf(st, k)
		m.describe(&st.Parts[k])
		if err := m.part(code, &st.Parts[k], func() { some(code, all, all/piecesOf(st, -1)) }); err != nil {
			return err
		}
	}
	return nil
}

// blockType is the type of functions that compute blocks, which are called by their values.
var blockType = wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.I32}}

// control adds a call of the loop that defines an operator with blocks.
func (m *maker) control(code *wasmobj.Code, st *engine.ImageStep) error {
	n := st.Parts[0].Nodes[0]
	e, ok := m.o.Names["control "+n.Op]
	if !ok { // Without this an operator without a function would be a call of another one.
		return &engine.NodeError{Node: n, Err: fmt.Errorf("there is no function for %s", n.Op)}
	}
	list := newMemory(blockBytes * len(st.Blocks))
	for i, b := range st.Blocks {
		f, err := m.function(b, blockType)
		if err != nil {
			return err
		}
		list.slice(blockBytes*i+blockInputs, m.list(b.Inputs), 0, len(b.Inputs))
		list.slice(blockBytes*i+blockOutputs, m.list(b.Outputs), 0, len(b.Outputs))
		compute := newMemory(4)
		compute.Relocs = []wasmobj.Reloc{{Kind: wasmobj.ToTable, Sym: f}}
		list.refer(blockBytes*i+blockCompute, m.add(compute), 0)
	}
	runner, pointer := newMemory(12), newMemory(4)
	runner.slice(0, m.add(list), 0, len(st.Blocks))
	pointer.refer(0, m.add(runner), 0)
	m.pushCall(code, st.Parts[0].Call)
	code.Ref(wasmobj.ToData, m.arena, 0) // the type, which nothing looks at
	code.Ref(wasmobj.ToData, m.add(pointer), 0)
	m.callEntry(code, e)
	code.Op(opDrop, opIf, noResult, opUnreachable, opEnd) // an error ends the run
	return nil
}

func (m *maker) callEntry(code *wasmobj.Code, e wasmobj.Entry) {
	if e.Datum >= 0 {
		code.Ref(wasmobj.ToData, e.Datum, 0)
	} else {
		code.I32(0)
	}
	code.Ref(wasmobj.ToFunc, e.Func, 0)
}

func (m *maker) moves(code *wasmobj.Code, list []engine.Move) {
	for _, x := range list {
		n := len(x.To.Bytes())
		if n == 0 { // Without this nothing would be copied.
			continue
		}
		m.push(code, x.To)
		m.push(code, x.From)
		code.I32(int32(n))
		code.Op(opMemory, memoryCopy, 0, 0)
	}
}

// push pushes the address of a tensor of the image, and pushFrom that of a byte of it.
func (m *maker) push(code *wasmobj.Code, t *tensor.Tensor) { m.pushFrom(code, t, 0) }

func (m *maker) pushFrom(code *wasmobj.Code, t *tensor.Tensor, from int) {
	sym, at := m.place(t, from)
	code.Ref(wasmobj.ToData, sym, at)
}

// pushScratch pushes the address of a part of the working memory that begins like a slice of it.
func (m *maker) pushScratch(code *wasmobj.Code, b []byte) {
	at, _ := within(m.image.Scratch, b)
	code.Ref(wasmobj.ToData, m.scratch, at)
	m.own(code, len(m.image.Scratch))
}

// pushCall pushes the address of a call, of which each thread has one of its own if it has working memory.
func (m *maker) pushCall(code *wasmobj.Code, c *op.Call) {
	code.Ref(wasmobj.ToData, m.call(c), 0)
	if len(c.Scratch) > 0 {
		m.own(code, callBytes)
	}
}

// own adds to an address that is pushed what lies in front of the part of the thread that computes, where each has so many bytes.
func (m *maker) own(code *wasmobj.Code, each int) {
	if m.threads > 1 {
		code.GlobalGet(threadNumber)
		code.I32(int32(each))
		code.Op(i32Mul, i32Add)
	}
}

// part adds the computation of a part, of pieces that are pushed.
func (m *maker) part(code *wasmobj.Code, p *engine.ImagePart, some func()) error {
	if p.Code != nil || len(p.Nodes) == 0 {
		var fn int
		if p.Code == nil {
			fn = m.convert(p)
		} else {
			var err error
			if fn, err = p.Code.(makes)(m, p.Call); err != nil {
				return err
			}
		}
		some()
		code.Ref(wasmobj.ToFunc, fn, 0)
		return nil
	}
	n := p.Nodes[len(p.Nodes)-1]
	s, err := op.Of(n)
	if err != nil {
		return err
	}
	if err := m.reference(code, s.Def, p.Call, some); err != nil {
		return &engine.NodeError{Node: n, Err: err}
	}
	return nil
}

// reference adds the computation of a call by the operator's reference.
func (m *maker) reference(code *wasmobj.Code, d *op.Def, c *op.Call, some func()) error {
	name := fmt.Sprintf("%s %v", d.Name, c.In[d.Ref.By].DType())
	e, ok := m.o.Names[name]
	if !ok { // Without this an operator without a function would be a call of another one.
		return fmt.Errorf("there is no function %q", name)
	}
	if m.names {
		m.o.Funcs[e.Func].Name = "reference " + name
	}
	m.pushCall(code, c)
	some()
	m.callEntry(code, e)
	return nil
}

// place returns the datum and the offset at which a tensor of the image lies, from some byte on: results in its memory, constants among the weights.
func (m *maker) place(t *tensor.Tensor, from int) (sym, at int) {
	b := t.Bytes()[from:]
	if len(b) == 0 {
		return m.arena, 0
	}
	if at, ok := within(m.image.Arena, b); ok {
		return m.arena, at
	}
	return m.weights, m.held.plain(t, from)
}
