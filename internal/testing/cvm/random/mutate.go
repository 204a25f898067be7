package random

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/internal/testing/cvm/formal"
)

// mutate changes one node that applies an operator.
func (m *maker) mutate() {
	var applied []*formal.Node
	for i := range m.graph.Nodes {
		if n := &m.graph.Nodes[i]; n.Op != "" {
			applied = append(applied, n)
		}
	}
	n := pick(m, applied...)
	n.Attrs, n.In = maps.Clone(n.Attrs), slices.Clone(n.In)
	switch m.IntN(8) {
	case 0:
		m.mutateOperator(n)
	case 1:
		m.mutateOperands(n)
	default:
		m.mutateAttribute(n)
	}
}

// mutateOperator names another one with as many results.
func (m *maker) mutateOperator(n *formal.Node) {
	outputs := formal.Outputs(n.Op)
	if outputs > 1 { // as no other has
		return
	}
	for {
		if op := m.operator(); formal.Outputs(op) == outputs {
			n.Op = op
			return
		}
	}
}

func (m *maker) mutateOperands(n *formal.Node) {
	switch at := m.IntN(len(n.In)); m.IntN(3) {
	case 0:
		n.In = slices.Delete(n.In, at, at+1)
	case 1:
		n.In = slices.Insert(n.In, at, n.In[at])
	default:
		n.In[at] = m.IntN(slices.Max(n.In) + 1)
	}
}

func (m *maker) mutateAttribute(n *formal.Node) {
	names := formal.Attributes(n.Op)
	if len(names) == 0 || m.chance(0.03) {
		names = []string{"axis", "unheard_of", "___"}
	}
	name := pick(m, names...)
	switch _, ok := n.Attrs[name]; {
	case ok && m.chance(0.1):
		delete(n.Attrs, name)
	case name == "out_layout": // of which the original refuses malformed ones otherwise than others
		n.Attrs[name] = pick(m, "NCHW", "NHWC")
	case m.chance(0.4):
		list := strconv.Itoa(m.number())
		for range m.IntN(6) {
			list += "," + strconv.Itoa(m.number())
		}
		n.Attrs[name] = fmt.Sprintf(pick(m, "(%s)", "[%s]", "(%s,)"), list)
	case m.chance(0.3):
		n.Attrs[name] = pick(m, "", "()", "[]", "(", "1.5", "None", "true", "FALSE", "2147483648", "-2147483649", "99999999999999999999", "x",
			"1 2", "NHWC", "OIHW", "int8", "same")
	default:
		n.Attrs[name] = strconv.Itoa(m.number())
	}
}

// number is often at the end of a range.
func (m *maker) number() int {
	return pick(m, m.between(-7, 7), 0, 1, -1, 2, 31, 32, 33, 4095, 4096, 4097, math.MaxInt32, math.MinInt32, math.MinInt32+1, math.MaxInt32-1)
}
