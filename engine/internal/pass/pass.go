package pass

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
)

// Pass is one rewrite of graphs.
type Pass struct {
	Name string
	Doc  string // what it does, in one sentence
	Run  func(g *graph.Graph) (*graph.Graph, error)
	// Required passes make graphs that can be executed; the others only make them cheaper.
	Required bool
}

// All lists the passes in the order in which they run.
var All = []Pass{
	{Name: "inline", Run: Inline,
		Doc: "Puts the nodes of a block in place of the node that evaluates it once, and removes loops that take no turn."},
	{Name: "canonicalise", Run: Canonicalise,
		Doc: "Removes operators that do nothing, joins chains of reshapes and of transposes, and makes one operator of two where there is one."},
	{Name: "widen", Run: Widen, Required: true,
		Doc: "Makes the conversions explicit with which operators on 16-bit floats compute in float32."},
	{Name: "blocks", Run: LayBlocks,
		Doc: "Makes convolutions of one position of transposed ones to few channels whose windows lie side by side."},
	{Name: "fold", Run: Fold,
		Doc: "Evaluates operators whose operands are all constants."},
	{Name: "channels", Run: RepeatChannels,
		Doc: "Repeats channels of which a convolution makes several, each by itself."},
	{Name: "share", Run: Share,
		Doc: "Computes what several equal nodes yield only once."},
	{Name: "tabulate", Run: Tabulate,
		Doc: "Looks up what chains of operators make of 8-bit integers by way of floats."},
	{Name: "dead", Run: RemoveDead,
		Doc: "Removes nodes on which no output and no state depends."},
}

// has reports whether a graph or one of its blocks has a node of which f is true.
func has(g *graph.Graph, f func(n *graph.Node) bool) bool {
	for part := range g.Graphs() {
		if slices.ContainsFunc(part.Nodes, f) {
			return true
		}
	}
	return false
}

// rewrite is graph.Rewrite with the operator set, for a pass that also rewrites blocks.
func rewrite(g *graph.Graph, pass func(*graph.Graph) (*graph.Graph, error),
	f func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error)) (*graph.Graph, error) {
	return graph.Rewrite(g, op.Rules, pass, f)
}
