package onnx

import (
	"fmt"
	"hash/fnv"
	"maps"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/onnx/proto"
)

// work counts what the translation of a part takes: that of all walkers together, also of those of blocks.
type work struct {
	steps  int
	before int              // of earlier parts
	failed map[*network]int // how often a graph could not be made a block
}

func newWork() *work { return &work{failed: make(map[*network]int)} }

// next returns the work of a part that follows.
func (w *work) next() *work { return &work{before: w.before + w.steps, failed: maps.Clone(w.failed)} }

// charge counts steps.
func (w *work) charge(n int) error {
	w.steps += n
	switch {
	case w.steps > limits.ONNXSteps:
		return &Error{Err: ErrLimit, Msg: fmt.Sprintf(
			"to translate the model, with what functions call and loops repeat, takes more than %d steps", limits.ONNXSteps)}
	case w.before+w.steps > limits.ONNXWork:
		return &Error{Err: ErrLimit, Msg: fmt.Sprintf("to translate all parts of the model takes more than %d steps", limits.ONNXWork)}
	}
	return nil
}

// charge counts what goes beyond the step that the node takes by itself.
func (c *lowering) charge(steps int) { c.Fail(c.w.work.charge(steps)) }

// crowd is how many things that are only looked at make a step.
const crowd = 16

// opening is how many steps a scope takes, besides what stands in it.
const opening = 4

// weight returns the steps that a node takes: more than one if it names or states very much.
func (s networks) weight(n *proto.Node) int {
	things := len(n.Output)
	s.reads(n, func(string) { things++ })
	for _, a := range n.Attribute {
		things += 1 + len(a.Ints) + len(a.Floats) + len(a.Strings)
	}
	return 1 + things/crowd
}

// site is where scopes stand in a model: in the body of a function that a node calls, or in a graph in its attribute. The graph of the
// model is nil.
type site struct {
	outer *site
	text  string
	depth int
	hash  uint64 // of the results of the nodes around

	block   bool         // whether this is another graph than what is around
	repeats bool         // whether this is one of several turns: that of the number
	turn    int64        // or, of a block,
	counter *graph.Value // which it has as an input; nil if it has none
}

// site returns a place in that of the scope, for a node with results of these names.
func (s *scope) in(text string, results []string) (*site, error) {
	here := &site{outer: s.site, text: text, depth: 1}
	h := fnv.New64a()
	if s.site != nil {
		here.depth += s.site.depth
		fmt.Fprint(h, s.site.hash)
	}
	if here.depth > limits.ONNXNesting {
		return nil, tooDeep()
	}
	if len(results) > 0 {
		h.Write([]byte("\x00" + results[0]))
	}
	here.hash = h.Sum64()
	return here, nil
}

func tooDeep() error {
	return &Error{Err: ErrLimit, Msg: fmt.Sprintf("functions and graphs in one another are more than %d deep", limits.ONNXNesting)}
}

// String is the beginning of an error's place. Of many in one another it has the innermost.
func (s *site) String() string {
	text := ""
	for i := 0; s != nil; i++ {
		if i == 5 {
			return "… " + text
		}
		s, text = s.outer, s.text+text
	}
	return text
}

// short shortens a text of a model for errors.
func short(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
