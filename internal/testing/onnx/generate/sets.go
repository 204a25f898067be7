package main

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// codes are the types that are quantised to.
var codes = (op.Packed | op.SmallFloats | op.Integers) &^ op.TypeSet(tensor.Float8E8M0, tensor.Int64, tensor.Uint64)

// finder is a function that is given each model of an operator that was translated, by several goroutines.
type finder func(o *onnx.Operator, p *proto.Model)

// texts writes the types of all operators. The function is told of the models that were tried for them.
func texts(operators []onnx.Operator, found finder) []string {
	out := make([]string, len(operators))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				o := &operators[i]
				out[i] = try(o, func(p *proto.Model) { found(o, p) }).text()
			}
		})
	}
	for i := range operators {
		next <- i
	}
	close(next)
	wait.Wait()
	return out
}

// set is a name that the page has for element types.
type set struct {
	name  string
	types op.Types
}

// sets are all of them, each before those that it contains.
var sets = []set{
	{"all", op.Stored},
	{"whole", op.Movable},
	{"any", op.AnyType},
	{"numbers", op.Numbers},
	{"codes", codes},
	{"integers", op.Integers},
	{"floats", op.Floats},
	{"float8", op.SmallFloats &^ op.Packed},
	{"packed", op.Packed},
}

// setText names a set of types: all of some sets and single types, or, if that is shorter, a set without some.
func setText(s op.Types) string {
	best := membersText(s, sets)
	for _, x := range sets {
		if without := x.types &^ s; s&^x.types == 0 && without != 0 {
			if text := x.name + " but " + membersText(without, sets); len(text) < len(best) {
				best = text
			}
		}
	}
	return best
}

// membersText names the members of a set of types by the given sets and one by one.
func membersText(s op.Types, sets []set) string {
	var parts []string
	for _, x := range sets {
		if x.types&^s == 0 {
			parts, s = append(parts, x.name), s&^x.types
		}
	}
	return strings.Join(append(parts, names(s)...), ", ")
}

// setMembers writes the members of a set of the page, by the names of lesser ones.
func setMembers(s op.Types) string {
	i := slices.IndexFunc(sets, func(x set) bool { return x.types == s })
	return membersText(s, sets[i+1:])
}

func names(s op.Types) (out []string) {
	for _, d := range s.List() {
		out = append(out, d.String())
	}
	return out
}

// text writes the types of an operator: operands, attributes and results that always have the same one, and which it may be. Of operators with
// graphs these decide.
func (t *trial) text() string {
	type group struct {
		names []string
		types op.Types
	}
	var groups []*group
	newest := t.op.Forms[len(t.op.Forms)-1]
	graphs := slices.ContainsFunc(newest.Attributes, func(a string) bool { return strings.HasSuffix(a, ": graph!") })
	for _, name := range t.names() {
		i := slices.IndexFunc(groups, func(g *group) bool {
			return g.types == t.have[name] && !slices.ContainsFunc(g.names, func(other string) bool { return t.differ[[2]string{name, other}] }) &&
				slices.ContainsFunc(g.names, func(other string) bool { return t.beside[[2]string{name, other}] })
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{})
		}
		groups[i].names = append(groups[i].names, name)
		groups[i].types = t.have[name]
	}
	var parts []string
	for _, g := range groups {
		if graphs && len(g.types.List()) > 1 {
			continue
		}
		for i, name := range g.names {
			g.names[i] = strings.TrimPrefix(name, result)
		}
		parts = append(parts, strings.Join(slices.Compact(g.names), ", ")+": "+setText(g.types))
	}
	if graphs {
		parts = append(parts, graphsText)
	}
	return strings.Join(parts, "; ")
}

// graphsText stands for what graphs decide.
const graphsText = "as its graphs have them"

// names returns the operands, attributes and results whose types were found, in the order of the declarations, the newest first.
func (t *trial) names() (out []string) {
	add := func(name string) {
		if t.have[name] != 0 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, f := range slices.Backward(t.op.Forms) {
		for i := range f.Operands {
			add(declaredName(f.Operands, i))
		}
		for _, a := range f.Attributes {
			name, _, _ := strings.Cut(a, ":")
			name, _, _ = strings.Cut(name, "=")
			add(name)
		}
		for i := range f.Results {
			add(result + declaredName(f.Results, i))
		}
	}
	return out
}
