package random

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/internal/testing/cvm/formal"
)

// pairs is a JSON object with keys in a given order.
type pairs []pair

type pair struct {
	key   string
	value any
}

// MarshalJSON writes the object.
func (p pairs) MarshalJSON() ([]byte, error) {
	b := []byte("{")
	for i, kv := range p {
		if i > 0 {
			b = append(b, ", "...)
		}
		text, err := json.Marshal(kv.value)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, "%q: %s", kv.key, text)
	}
	return append(b, '}'), nil
}

// shuffled returns the pairs in any order.
func (m *maker) shuffled(p pairs) pairs {
	if m.chance(0.5) {
		m.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
	}
	return p
}

func list[T any](tag string, values []T) []any { return []any{tag, values} }

// symbol writes the graph, in either version and with and without what may be left out.
func (m *maker) symbol() []byte {
	var (
		nodes               []pairs
		opAttrs, dlTypes    []string
		argNodes, precision []int
		rowPtr              = []int{0}
		shapes              [][]int64
		places              [][]int // of tensors
	)
	v100 := m.chance(0.5)
	for i, n := range m.graph.Nodes {
		attrs, outputs := "{}", formal.Outputs(n.Op)
		inputs := [][]int{}
		for _, t := range n.In {
			place := places[t]
			if m.chance(0.5) {
				place = append(slices.Clone(place), 0)
			}
			inputs = append(inputs, place)
		}
		node := pairs{{"op", "cvm_op"}, {"name", n.Name}, {"inputs", inputs}}
		if n.Variable != nil {
			node[0].value = "null"
			argNodes = append(argNodes, i)
		} else {
			if n.Attrs != nil {
				text, _ := json.Marshal(n.Attrs)
				attrs = string(text)
			}
			if m.chance(0.05) && len(n.Attrs) > 0 {
				attrs = attrs[:len(attrs)-1] + `, "__note__": "ignored"}`
			}
			node = append(node, pair{"attrs", m.nodeAttrs(n.Op, len(inputs), outputs)})
		}
		if m.chance(0.1) {
			node = append(node, pair{"precision", 8})
		}
		nodes = append(nodes, m.shuffled(node))
		opAttrs = append(opAttrs, attrs)
		for k := range outputs {
			t := m.tensors[len(places)]
			places = append(places, []int{i, k})
			shapes = append(shapes, t.Shape)
			dlTypes = append(dlTypes, "int32")
			if n.Variable != nil {
				precision = append(precision, t.Precision)
			} else {
				precision = append(precision, pick(m, -1, t.Precision, 32))
			}
		}
		rowPtr = append(rowPtr, len(places))
	}
	var heads [][]int
	for _, h := range m.graph.Heads {
		heads = append(heads, append(slices.Clone(places[h]), 0))
	}
	attrs := pairs{{"op_attrs", list("list_str", opAttrs)}, {"shape", list("list_shape", shapes)},
		{"storage_id", list("list_int", m.graph.Storage)}, {"precision", list("list_int", precision)}}
	if v100 || m.chance(0.5) {
		attrs = append(attrs, pair{"dltype", list("list_str", dlTypes)})
	}
	if m.chance(0.2) {
		attrs = append(attrs, pair{"device_index", list("list_int", []int{})})
	}
	graph := pairs{{"nodes", nodes}, {"heads", heads}, {"attrs", m.shuffled(attrs)}}
	if v100 || m.chance(0.5) {
		graph = append(graph, pair{"node_row_ptr", rowPtr})
	}
	if v100 || m.chance(0.5) {
		graph = append(graph, pair{"arg_nodes", argNodes})
	}
	if !v100 {
		graph = append(graph, pair{"version", "cvm_1.1.0"})
	} else if m.chance(0.5) {
		graph = append(graph, pair{"version", "cvm_1.0.0"})
	}
	if m.graph.Postprocess != "" || m.chance(0.3) {
		graph = append(graph, pair{"postprocess", m.graph.Postprocess})
	}
	text, err := m.shuffled(graph).MarshalJSON()
	if err != nil {
		panic(err)
	}
	return text
}

// nodeAttrs has the operator's name, with a number or without.
func (m *maker) nodeAttrs(op string, inputs, outputs int) pairs {
	if m.chance(0.3) {
		op = fmt.Sprintf("%s_%d", op, m.IntN(100))
	}
	p := pairs{{"func_name", op}}
	if m.chance(0.7) {
		p = append(p, pair{"num_inputs", strconv.Itoa(inputs)}, pair{"num_outputs", strconv.Itoa(outputs)},
			pair{"flatten_data", "0"}, pair{"op_attrs", "{}"})
	}
	return m.shuffled(p)
}

// params writes the parameters in any order, as int8 where they fit and it so happens.
func (m *maker) params() (order []int, file []byte) {
	for i, n := range m.graph.Nodes {
		if n.Variable != nil && n.Variable.Data != nil {
			order = append(order, i)
		}
	}
	m.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	put := func(values ...uint64) {
		for _, v := range values {
			file = binary.LittleEndian.AppendUint64(file, v)
		}
	}
	put(0xF7E58D4F05049CB7, m.Uint64(), uint64(len(order)))
	for _, i := range order {
		name := m.graph.Nodes[i].Name
		put(uint64(len(name)))
		file = append(file, name...)
	}
	put(uint64(len(order)))
	for _, i := range order {
		t := m.graph.Nodes[i].Variable
		bits := 32
		if t.Precision <= 8 && m.chance(0.5) {
			bits = 8
		}
		put(0xDD5E40F096B4A13F, 0)
		file = binary.LittleEndian.AppendUint32(file, 1)
		file = binary.LittleEndian.AppendUint32(file, 0)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(t.Shape)))
		file = append(file, 0, byte(bits), 1, 0)
		for _, n := range t.Shape {
			put(uint64(n))
		}
		put(uint64(t.Len()) * uint64(bits) / 8)
		file = append(file, elements(t.Data, bits)...)
	}
	if len(order) == 0 || m.chance(0.1) {
		file = append(file, 0) // what follows is ignored
	}
	return order, file
}

func elements(data []int64, bits int) []byte {
	var b []byte
	for _, v := range data {
		if bits == 8 {
			b = append(b, byte(v))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	return b
}

// input makes the bytes of an input, of which some elements exceed the precision.
func (m *maker) input() []byte {
	in := m.graph.Input()
	bits := 32
	if in.Precision <= 8 {
		bits = 8
	}
	t := m.filled(&formal.Tensor{Shape: in.Shape, Precision: in.Precision})
	for i := range t.Data {
		if m.chance(0.05) {
			t.Data[i] = int64(int32(m.Uint32()))
		}
	}
	return elements(t.Data, bits)
}
