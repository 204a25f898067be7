package kernel

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Tier is a set of kernels that need the same of a processor.
type Tier struct {
	Name    string
	Has     func() bool // whether this processor can run them; nil for every processor
	Kernels []Kernel    // of several that match a region the first one is taken
}

// Kernel is a row of a tier.
type Kernel struct {
	Name string
	Op   string     // the operator of the region's first node
	In   []op.Types // the element types that its first operands may have; operands beyond the list, and absent ones, may have any

	// Prepare returns a plan for a region whose root has the operator and the types, or nil if the kernel is not for it. Within a region, each
	// node but the last has one result, which only the next one reads. The plan must allow the result to overwrite an operand where the
	// operator's definition does (op.Def.InPlace).
	Prepare func(r Region) *Plan

	Sources bool // whether the kernel takes regions with sources
}

// Region is nodes that are evaluated together: sources, then the root, then a tail of element-wise operators, each of which reads the result of the
// one before it.
type Region struct {
	Nodes []*graph.Node
	// Sources is how many of the nodes are sources: nodes in front of the root that widen what it or a node of the tail reads, such as a
	// dequantization, so that the kernel can read the narrow elements, or that move its elements, so that it can read them where they were. The result
	// of each is read by one node of the region and by nothing else.
	Sources int
	// Layouts has the layouts, other than plain, in which values lie already. A plan may ask for any other, which costs a conversion.
	Layouts map[*graph.Value]Layout
}

// Root returns the first node behind the sources.
func (r Region) Root() *graph.Node { return r.Nodes[r.Sources] }

// IsSource reports whether a node may be a source of a region (see [Region]): it turns integers of 8 bits or less into numbers, selects among such numbers,
// transposes a factor of a product, or gives a factor of codes more dimensions, for one reader whose row takes sources. reader returns the node that
// alone reads a value, or nil if there is none; made reports whether a source makes a value.
func IsSource(n *graph.Node, reader func(*graph.Value) *graph.Node, made func(*graph.Value) bool) bool {
	by := reader(n.Out[0])
	if by == nil {
		return false
	}
	summed := func(v *graph.Value) bool { r := reader(v); return r != nil && r.Op == "sum_reduce" }
	bytes := func() bool { return bits8.Has(n.In[0].Type.DType) }
	switch n.Op {
	case "dequantize_linear":
		return bytes() && by.Op == "add" && by.Out[0].Type.Shape.Equal(n.Out[0].Type.Shape) || isCoded(n) && multiplies(n.Out[0], reader)
	case "unsqueeze", "transpose":
		return made(n.In[0]) && multiplies(n.Out[0], reader) || n.Op == "transpose" && by.Op == "matmul" && n.In[0].Type.DType == tensor.Float32
	case "cast":
		return bytes() && (by.Op == "add" || summed(n.Out[0]) || by.Op == "sub" && by.In[0] == n.Out[0] && by.In[1].Const != nil && summed(by.Out[0]))
	case "slice":
		return widens(by)
	case "sub":
		return made(n.In[0]) && summed(n.Out[0])
	}
	return false
}

// multiplies reports whether a matrix is the right factor of a product and nothing else, if need be transposed or with more dimensions in front.
func multiplies(v *graph.Value, reader func(*graph.Value) *graph.Node) bool {
	for by := reader(v); by != nil; v, by = by.Out[0], reader(by.Out[0]) {
		switch lead := len(by.Out[0].Type.Shape) - 2; by.Op {
		case "matmul", "gemm", "linear":
			return by.In[1] == v
		case "unsqueeze", "transpose":
			if len(v.Type.Shape) != 2 || by.Op == "unsqueeze" && !by.Out[0].Type.Shape[lead:].Equal(v.Type.Shape) {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// Operands returns the operands that the call of a region has: node by node those that come from outside of it, and nil for absent ones.
func (r Region) Operands() (list []*graph.Value) {
	inside := make(map[*graph.Value]bool)
	for _, n := range r.Nodes {
		for _, v := range n.In {
			if !inside[v] {
				list = append(list, v)
			}
		}
		for _, v := range n.Out {
			inside[v] = v != nil
		}
	}
	return list
}

// sourceOperands returns by how many operands those of a region's root lie farther behind in its call, because sources have more than they make.
func sourceOperands(r Region) int {
	return len(Region{Nodes: r.Nodes[:r.Sources+1]}.Operands()) - len(r.Root().In)
}

// Plan is a prepared evaluation of a region. It does not change and serves any number of sessions.
type Plan struct {
	Kernel string // the row's name, and that of its tier

	// In and Out are the layouts of the operands and results that the kernel's call has; [Plain] where they say nothing. Package engine puts
	// conversions where a value is in another layout. A tensor in another layout than plain has the shape that [Layout.Shape] says.
	In, Out []Layout

	// Pack lists the constants that the kernel reads in a form of its own, which a [op.Call] has as Packed.
	Pack []Pack
	// Scratch is how many bytes of working memory each worker needs, as Scratch of its calls.
	Scratch int
	// Pieces is the number of independent pieces, which may be computed in any order and at the same time.
	Pieces int
	// Rounds divides the pieces, where some need others: it has the numbers of pieces of rounds that are computed one after the other. Only
	// pieces of one round are independent. Nil is one round of all.
	Rounds []int
	// Shared is how many bytes of working memory all pieces of an evaluation have in common, as Shared of its calls.
	Shared int
	// Nanos is about how many nanoseconds one goroutine takes for all pieces, by which the engine divides them among workers. At 0 the
	// engine estimates it by the cost of the nodes, as for a reference.
	Nanos int64
	// Even says that piece i of the n of the last round yields the i-th of n equal runs of the elements of the result, and that pieces of others yield
	// none.
	Even bool
	// Streams says, beside Even, that piece i of n reads of the root's operand 0 only the i-th of n equal runs of its elements, and that pieces of other
	// rounds read none: a row of attention's weights, say, is used while it is near.
	Streams bool
	// Run computes the pieces lo…hi-1. Its call has the region's [Region.Operands], and the results of the last node. It must not allocate.
	Run op.Kernel
	// Rows is how the kernel computes some rows of the result alone; nil if it cannot.
	Rows *Rows
	// Code is, in place of Run, what makes the code of a kernel for another machine than this one: package engine/wasm knows its type.
	Code any
}

// Pack is a constant in the form in which a kernel reads it.
type Pack struct {
	From *tensor.Tensor
	Form string // names the form: constants of equal content and form are packed once
	Size int    // bytes
	// Fill writes part i of n of the packed form, of which the memory is zero before.
	Fill func(dst []byte, i, n int)
}

// For returns the plan of the first kernel in those of the tiers that this processor has which takes the region, or nil if there is none. Operators
// without a kernel are evaluated by their references.
func For(tiers []Tier, r Region) *Plan {
	if _, beyond := WindowBeyond(r.Root(), windowMost); beyond != "" || r.large() {
		return nil
	}
	for i := range tiers {
		if p := tiers[i].first(r); p != nil {
			return p
		}
	}
	return nil
}

// large reports whether a value has more elements than there are kernels for: what a plan lists, lines and tiles, is then bounded, whatever extents a
// model declares.
func (r Region) large() bool {
	beyond := func(v *graph.Value) bool { return v != nil && v.Type.Shape.Len() > limits.KernelElements }
	return slices.ContainsFunc(r.Nodes, func(n *graph.Node) bool {
		return slices.ContainsFunc(n.In, beyond) || slices.ContainsFunc(n.Out, beyond)
	})
}

// windowMost bounds the strides, dilations and paddings of windows for which there are kernels: no product of distances overflows then. Windows
// beyond, as no network has them, are left to references.
const windowMost = 1 << 16

// WindowBeyond returns a number of a node's window, and the attribute that it is of, that is beyond most; "" if there is none.
func WindowBeyond(n *graph.Node, most int) (number int, attr string) {
	if n.Attrs.Get("dilation") == nil {
		return 0, "" // as of a pad or a slice
	}
	for _, attr := range []string{"dilation", "stride", "padding"} {
		for _, k := range n.Attrs.Ints(attr) {
			if max(k, -k) > most {
				return k, attr
			}
		}
	}
	return 0, ""
}

// first returns the plan of the first kernel that takes a region, or nil if this processor has not the tier or there is none.
func (t *Tier) first(r Region) *Plan {
	if t.Has != nil && !t.Has() {
		return nil
	}
	for k := range t.Kernels {
		if row := &t.Kernels[k]; row.Takes(r.Root()) && (r.Sources == 0 || row.Sources) {
			if p := row.Prepare(r); p != nil {
				p.Kernel = t.Name + " " + row.Name
				return p
			}
		}
	}
	return nil
}

// TiersInUse returns the names of the tiers that [For] takes kernels from, the fastest first.
func TiersInUse() (names []string) {
	for i := range Tiers {
		if t := &Tiers[i]; t.Has == nil || t.Has() {
			names = append(names, t.Name)
		}
	}
	return names
}

// Takes reports whether a node has the operator and the element types of the row.
func (k *Kernel) Takes(n *graph.Node) bool {
	for i, v := range n.In[:min(len(n.In), len(k.In))] {
		if v != nil && !k.In[i].Has(v.Type.DType) {
			return false
		}
	}
	return n.Op == k.Op
}
