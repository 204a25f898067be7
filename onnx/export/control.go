package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators that own graphs. Blocks read values around them by their names, where ours have them as inputs.

var controlRows = []row{
	{Row: Row{Op: "if", Form: Direct, To: "If"}, exact: branch},
	{Row: Row{Op: "loop", Form: Direct, To: "Loop, Reshape", Note: "a bound that the condition or trips may exceed, and parts of turns that may not be taken: own"},
		exact: loop, body: boundedLoop},
	{Row: Row{Op: "scan", Form: Nodes, To: "Reshape, Scan"}, exact: scan},
}

// captures gives inputs of a block the names of the values around it that they stand for.
func (s *scope) captures(inputs []*graph.Value, values []val) {
	for i, v := range inputs {
		s.names[v] = values[i].name
	}
}

// declare gives inputs of a block new names, and declares them.
func (s *scope) declare(inputs []*graph.Value) []*proto.ValueInfo {
	var out []*proto.ValueInfo
	for _, v := range inputs {
		s.names[v] = s.unique(v.Name)
		out = append(out, s.e.info(s.names[v], v.Type))
	}
	return out
}

// types returns the types of results.
func (c *emission) types() []graph.Type { return graph.TypesOf(c.Out) }

func branch(c *emission) []val {
	graphs := make([]*proto.Graph, 2)
	for i, b := range c.Blocks {
		s := c.block()
		s.captures(b.Inputs, c.in[1:])
		graphs[i] = s.finish(b, nil)
	}
	return c.nodes("If", c.types(), at("then_branch", graphs[0], "else_branch", graphs[1]), c.in[0])
}

// loop takes loops that cannot end by their bound, and if turns yield parts, those of which all turns are taken.
func loop(c *emission) []val {
	carried := c.Int("carried")
	parts := len(c.Out) - 1 - carried
	turns, most := int64(-1), int64(c.Int("most"))
	if t := c.Known(0); t != nil {
		turns = max(tensor.Data[int64](t)[0], 0)
	}
	switch {
	case parts > 0 && (turns != most || !c.always()), turns > most, turns < 0 && most < math.MaxInt32:
		return nil
	}
	out := c.turns(c.in[0])
	for i := 1 + carried; i < len(out); i++ {
		out[i] = c.reshape(out[i], c.out(i).Shape...)
	}
	return out
}

// always reports whether nothing but their number ends the turns.
func (c *emission) always() bool {
	folder := op.NewFolder(beforehand)
	holds := func(v *graph.Value) bool {
		t, err := folder.Constant(v)
		return err == nil && t != nil && tensor.Data[bool](t)[0]
	}
	return (!c.Has(1) || holds(c.In[1])) && holds(c.Blocks[0].Outputs[0].Value)
}

// turns adds the loop. The count of the turns is carried, too, if anything reads it; parts get a new dimension in front.
func (c *emission) turns(trips val) []val {
	carried, b := c.Int("carried"), c.Blocks[0]
	s := c.block()
	inputs := s.declare(b.Inputs[:1])
	inputs = append(inputs, s.e.info(s.unique("condition"), graph.Type{DType: tensor.Bool, Shape: tensor.Shape{}}))
	inputs = append(inputs, s.declare(b.Inputs[1:1+carried])...)
	s.captures(b.Inputs[1+carried:], c.in[2+carried:])
	types := slices.Clone(c.types()[1:])
	for i := carried; i < len(types); i++ {
		part := b.Outputs[1+i].Value.Type
		types[i].Shape = append(tensor.Shape{-1}, part.Shape...)
	}
	in := append([]val{trips, c.in[1]}, c.in[2:2+carried]...)
	g := s.finish(b, inputs)
	if counted := c.live == nil || c.live[c.Out[0]]; !counted {
		g.Input = inputs
		return append([]val{{}}, c.nodes("Loop", types, at("body", g), in...)...)
	}
	// The count stands in front of what is carried.
	count := graph.Type{DType: tensor.Int64, Shape: tensor.Shape{}}
	before, after := s.unique("count"), s.unique("count")
	g.Input = slices.Insert(g.Input, 2, c.e.info(before, count))
	g.Output = slices.Insert(g.Output, 1, c.e.info(after, count))
	inner := *c
	inner.scope = s
	s.add("Add", "", nil, []val{{inputs[0].Name, count}, inner.integer(tensor.Int64, 1)}, []string{after})
	g.Node, g.Initializer = s.nodes, s.stored
	return c.nodes("Loop", append([]graph.Type{count}, types...), at("body", g), slices.Insert(in, 2, c.integer(tensor.Int64, 0))...)
}

// boundedLoop takes no more turns than it may, and fills the parts of those that are not taken with zeros.
func boundedLoop(c *emission) []val {
	carried, most := c.Int("carried"), c.integer(tensor.Int64, int64(c.Int("most")))
	trips := most
	if c.Has(0) {
		trips = c.do("Min", c.in[0], most)
	}
	out := c.turns(trips)
	for i := 1 + carried; i < len(out); i++ {
		t := c.out(i)
		if t.Shape.Len() == 0 {
			out[i] = c.full(t, 0)
			continue
		}
		flat := c.node1("Reshape", t, nil, out[i], c.list(append(ints{-1}, t.Shape[1:]...)...))
		out[i] = c.filled(flat, 0, t.Shape[0])
	}
	return out
}

// scan gives each scanned tensor a dimension for the turns, in front of that for the elements of one, and joins those of results.
func scan(c *emission) []val {
	states, scanned, b := c.Int("states"), c.Int("scanned"), c.Blocks[0]
	s := c.block()
	inputs := s.declare(b.Inputs[:states+scanned])
	s.captures(b.Inputs[states+scanned:], c.in[states+scanned:])
	in := slices.Clone(c.in[:states])
	axes, directions := make(ints, scanned), make(ints, scanned)
	turns := 0
	for i, x := range c.in[states : states+scanned] {
		axes[i] = itemOr(c.Ints("axes"), i, 0)
		chunk := itemOr(c.Ints("chunks"), i, 1)
		if chunk < 0 {
			chunk, directions[i] = -chunk, 1
		}
		turns = x.Shape[axes[i]] / chunk
		shape := slices.Insert(ints(x.Shape.Clone()), axes[i], turns)
		shape[axes[i]+1] = chunk
		in = append(in, c.reshape(x, shape...))
	}
	types := c.types()
	outAxes, outDirections := make(ints, len(types)-states), make(ints, len(types)-states)
	for i := range outAxes {
		outAxes[i] = itemOr(c.Ints("out_axes"), i, 0)
		outDirections[i] = (1 - itemOr(c.Ints("out_directions"), i, 1)) / 2
		types[states+i].Shape = slices.Insert(b.Outputs[states+i].Value.Type.Shape.Clone(), outAxes[i], turns)
	}
	if turns == 0 { // which some do not take
		out := slices.Clone(in[:states])
		for i := states; i < len(types); i++ {
			out = append(out, c.full(c.out(i), 0))
		}
		return out
	}
	attrs := at("body", s.finish(b, inputs), "num_scan_inputs", scanned, "scan_input_axes", axes, "scan_input_directions", directions)
	if len(outAxes) > 0 {
		attrs = append(attrs, at("scan_output_axes", outAxes, "scan_output_directions", outDirections)...)
	}
	out := c.nodes("Scan", types, attrs, in...)
	for i := states; i < len(out); i++ {
		out[i] = c.reshape(out[i], c.out(i).Shape...)
	}
	return out
}

// itemOr returns item i of a list, or what an empty list stands for.
func itemOr(list ints, i, empty int) int {
	if len(list) == 0 {
		return empty
	}
	return list[i]
}
