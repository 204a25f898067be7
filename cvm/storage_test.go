package cvm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/tensor"
)

func resolved(t *testing.T, s *sketch, compat bool) *network {
	t.Helper()
	parsed, err := symbol.Parse(s.text(t))
	if err != nil {
		t.Fatal(err)
	}
	n, err := resolve(parsed, compat)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// row is a graph of vectors of length 4: each letter of nodes is d for data, p for a parameter, or r, n, s or m for relu, negative, the sum
// of two, or the product. Operators take the entries that follow, and ids has the storage of each node.
func row(t *testing.T, nodes string, ids []int, heads ...int) *sketch {
	t.Helper()
	s, shape := newSketch(), tensor.Shape{4}
	operators := map[byte]string{'r': "relu", 'n': "negative", 's': "elemwise_add", 'm': "broadcast_mul"}
	for k := 0; k < len(nodes); k++ {
		switch c := nodes[k]; c {
		case 'd':
			s.variable("data", 4, 4)
		case 'p':
			s.variable(fmt.Sprintf("p%d", len(s.Nodes)), 4, 4)
		default:
			var in []int
			for ; k+1 < len(nodes) && '0' <= nodes[k+1] && nodes[k+1] <= '9'; k++ {
				in = append(in, int(nodes[k+1]-'0'))
			}
			s.apply(operators[c], "{}", shape, in...)
		}
	}
	s.StorageID = ids
	return s.head(heads...)
}

// TestConflicts has plans with and without overlap of what is still needed.
func TestConflicts(t *testing.T) {
	tests := []struct {
		name  string
		nodes string
		ids   []int
		heads []int
		want  []conflict // nil for none
	}{
		{"a storage for each", "dpr0s12", []int{0, 1, 2, 3}, []int{3}, nil},
		{"in place", "dr0r1r2", []int{0, 0, 0, 0}, []int{3}, nil},
		{"the second operand in place", "dpr0s12", []int{0, 1, 2, 2}, []int{3}, nil},
		{"a storage is used again once it is free", "dr0m11m22", []int{0, 1, 2, 1}, []int{3}, nil},
		{"data is overwritten after its last use", "dr0m11r2", []int{0, 1, 0, 0}, []int{3}, nil},
		{"data is overwritten and needed again", "dr0r1s02", []int{0, 1, 0, 1}, []int{3}, []conflict{{3, 0, 2}}},
		{"data in place, and needed again", "dr0s01", []int{0, 0, 1}, []int{2}, []conflict{{2, 0, 1}}},
		{"data is an output and overwritten", "dr0r1", []int{0, 1, 0}, []int{2, 0}, []conflict{{3, 0, 2}}},
		{"data comes late and is overwritten by an earlier node", "pr0dr2", []int{1, 0, 0, 2}, []int{3}, []conflict{{3, 2, 1}}},
		{"a parameter in place", "dpr1s02", []int{0, 1, 1, 2}, []int{3}, []conflict{{2, 1, 2}}},
		{"a parameter is overwritten before its use", "dpr0s12", []int{0, 1, 1, 2}, []int{3}, []conflict{{3, 1, 2}}},
		{"a parameter is overwritten after its use", "dps01r2", []int{0, 1, 2, 1}, []int{3}, []conflict{{2, 1, 3}}},
		{"a parameter that nothing needs is overwritten", "dpr0r2", []int{0, 1, 2, 1}, []int{3}, nil},
		{"a parameter has the storage of data", "dps01", []int{0, 0, 1}, []int{2}, []conflict{{2, 1, 0}}},
		{"two parameters share a storage", "dpps01s23", []int{0, 1, 1, 2, 3}, []int{4}, []conflict{{3, 1, 2}, {4, 2, 1}}},
		{"two parameters share a storage and one is needed", "dpps01", []int{0, 1, 1, 2}, []int{3}, []conflict{{3, 1, 2}}},
		{"an output of the graph is overwritten", "dr0m11r2", []int{0, 1, 2, 1}, []int{1, 3}, []conflict{{4, 1, 3}}},
		{"an intermediate result is overwritten", "dr0m11m22s13", []int{0, 1, 2, 1, 4}, []int{4}, []conflict{{4, 1, 3}}},
		{"the one of two operands that is overwritten", "dr0r0s12", []int{0, 1, 1, 2}, []int{3}, []conflict{{3, 1, 2}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := row(t, test.nodes, test.ids, test.heads...)
			n := resolved(t, s, true)
			if got := n.conflicts(); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			err := n.checkConflicts()
			if test.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			c := test.want[0]
			node := c.reader
			if node == len(n.nodes) {
				node = n.entries[c.entry].node
			}
			refusal{fault.Logic, fault.Storage, node, n.tensorName(c.entry)}.check(t, err)
		})
	}
}

// TestConflictsOfSizes overlaps a small entry with a large one.
func TestConflictsOfSizes(t *testing.T) {
	s := newSketch()
	data := s.variable("data", 4, 2, 3)
	part := s.apply("strided_slice", `{"begin":"(0)","end":"(1)"}`, tensor.Shape{1, 3}, data)
	whole := s.apply("relu", "{}", tensor.Shape{2, 3}, data)
	s.head(s.apply("broadcast_add", "{}", tensor.Shape{2, 3}, part, whole))
	s.StorageID[whole], s.StorageID[part] = 7, 7
	if got, want := resolved(t, s, true).conflicts(), []conflict{{3, part, whole}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	s.Heads[0].Node = whole
	s.Nodes[3].Inputs[0].Node = whole
	n := resolved(t, s, true)
	if got := n.conflicts(); got != nil {
		t.Errorf("got %v, want none once the small one is dead", got)
	}
	if size, err := n.storageSize(); size != 4*(6+6+6) || err != nil {
		t.Errorf("storage is %d, %v", size, err)
	}
}

// TestOutputsShareStorage gives the two outputs of one node one storage id.
func TestOutputsShareStorage(t *testing.T) {
	s := newSketch()
	s.variable("data", 8, 1, 4, 6)
	n := symbol.Node{Op: "cvm_op", Name: "valid", Inputs: []symbol.Entry{{}}, Attrs: &symbol.NodeAttrs{FuncName: "get_valid_counts"}}
	valid := s.add(n, "{}", -1, tensor.Shape{1}, tensor.Shape{1, 4, 6})
	s.Heads = []symbol.Entry{{Node: valid, Output: 1}}
	if got := resolved(t, s, true).conflicts(); got != nil {
		t.Errorf("got %v, want none", got)
	}
	s.StorageID[2] = s.StorageID[1]
	if got, want := resolved(t, s, true).conflicts(), []conflict{{valid, 1, 2}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestInPlace gives every operator of one operand the storage of that operand.
func TestInPlace(t *testing.T) {
	for operator, allowed := range map[string]bool{
		"relu": true, "abs": true, "cvm_precision": true, "flatten": true, "squeeze": true,
		"negative": false, "nagetive": false, "max": false, "transpose": false,
	} {
		s := newSketch()
		data := s.variable("data", 8, 2, 3)
		shape := tensor.Shape{2, 3}
		switch operator {
		case "max":
			shape = tensor.Shape{1}
		case "transpose":
			shape = tensor.Shape{3, 2}
		}
		s.head(s.apply(operator, "{}", shape, data))
		s.StorageID[1] = 0
		_, err := Gas(s.text(t))
		switch {
		case allowed && err != nil:
			t.Error(operator, err)
		case operator == "nagetive":
			refusal{fault.Runtime, fault.Lookup, 1, ""}.check(t, err)
		case !allowed:
			refusal{fault.Logic, fault.Storage, 1, "output 0"}.check(t, err)
		}
	}
}

// TestInPlaceByRows follows a wrong node_row_ptr, which version 1.1.0 derives only after it has looked at storage.
func TestInPlaceByRows(t *testing.T) {
	s := newSketch()
	data := s.variable("data", 8, 2, 3)
	s.head(s.apply("max", "{}", tensor.Shape{1}, data))
	s.Version = symbol.V110
	for _, rows := range [][]int{nil, {0}, {0, 1, 2}, {1, 0, 7}, {0, 9}, {1<<31 - 1, 1<<31 - 1}} {
		s.NodeRowPtr = rows
		if _, err := Gas(s.text(t)); err != nil {
			t.Errorf("node_row_ptr %v: %v", rows, err)
		}
	}
	s.NodeRowPtr = []int{0, 0, 2}
	_, err := Gas(s.text(t))
	refusal{fault.Logic, fault.Storage, 1, "output 0"}.check(t, err)
}

func TestStorageLimit(t *testing.T) {
	s := newSketch()
	s.head(s.apply("relu", "{}", tensor.Shape{1 << 15, 1 << 15}, s.variable("data", 8, 1<<15, 1<<15)))
	s.StorageID = []int{0, 0}
	n := resolved(t, s, false)
	if size, err := n.storageSize(); size != 1<<32 || err != nil {
		t.Errorf("got %d, %v, want 2^32", size, err)
	}
	s.StorageID[1] = 1
	_, err := resolved(t, s, false).storageSize()
	refusal{fault.Logic, fault.Limits, -1, ""}.check(t, err)
}

// TestConflictsByExecution compares conflicts with a run that marks every storage with the entry that was written last.
func TestConflictsByExecution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		nodes, count, data := "", 2+r.IntN(7), r.IntN(3)
		for i := range count {
			switch {
			case i == data:
				nodes += "d"
			case i < 2 || r.IntN(4) == 0:
				nodes += "p"
			case r.IntN(2) == 0:
				nodes += fmt.Sprintf("r%d", r.IntN(i))
			default:
				nodes += fmt.Sprintf("s%d%d", r.IntN(i), r.IntN(i))
			}
		}
		if data >= count {
			continue
		}
		ids := make([]int, count)
		for i := range ids {
			ids[i] = r.IntN(count)
		}
		s := row(t, nodes, ids, count-1, r.IntN(count))
		for i := range s.Precision {
			if s.Precision[i] > 0 {
				s.Precision[i] = 1
			}
		}
		n := resolved(t, s, true)
		if got, want := len(n.conflicts()) > 0, overwritten(n, false) || overwritten(n, true); got != want {
			t.Fatalf("%s with storages %v and heads %v: conflict is %t, want %t: %v", nodes, ids, n.heads, got, want, n.conflicts())
		}
	}
}

// overwritten runs a network twice and reports whether anything is read that is not what was meant. Parameters are loaded in the order of
// the nodes or backwards.
func overwritten(n *network, backwards bool) (bad bool) {
	memory := make(map[int]int)
	write := func(e int) { memory[n.entries[e].storage] = e }
	read := func(e int) { bad = bad || memory[n.entries[e].storage] != e }
	for i := range n.nodes {
		if backwards {
			i = len(n.nodes) - 1 - i
		}
		if n.nodes[i].call == nil && i != n.data {
			write(n.nodes[i].out)
		}
	}
	for range 2 {
		write(n.nodes[n.data].out)
		for i := range n.nodes {
			if n.nodes[i].call == nil {
				continue
			}
			for _, e := range n.nodes[i].in {
				read(e)
			}
			write(n.nodes[i].out)
		}
		for _, e := range n.heads {
			read(e)
		}
	}
	return bad
}
