package diff

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/graph"
)

// blockText says in a few words what a block does: equal texts mean equal operators on equal constants, whatever the names. Blocks are
// arguments of their node; that two of them differ is one difference.
func blockText(b *graph.Graph) string {
	var text strings.Builder
	numbers := make(map[*graph.Value]int)
	number := func(v *graph.Value) int {
		if v == nil {
			return -1
		}
		n, known := numbers[v]
		if !known {
			n = len(numbers)
			numbers[v] = n
			fmt.Fprintf(&text, "%d %v;", n, v.Type)
			if v.Const != nil {
				fmt.Fprintf(&text, " %x;", sha256.Sum256(v.Const.Bytes()))
			}
		}
		return n
	}
	for _, v := range b.Inputs {
		number(v)
	}
	for _, n := range b.Nodes {
		for _, v := range n.In {
			fmt.Fprintf(&text, " %d", number(v))
		}
		fmt.Fprintf(&text, " %s", n.Op)
		for _, a := range n.Attrs {
			fmt.Fprintf(&text, " %s=%#v", a.Name, a.Value)
		}
		for _, inner := range n.Blocks {
			text.WriteString(blockText(inner))
		}
		for _, v := range n.Out {
			number(v)
		}
	}
	for _, o := range b.Outputs {
		fmt.Fprintf(&text, " %d", number(o.Value))
	}
	return fmt.Sprintf("a graph of %d operators, %x", b.Size(), sha256.Sum256([]byte(text.String())))[:60]
}
