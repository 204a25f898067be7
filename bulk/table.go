package bulk

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/concord-nn/concord/bulk/internal/parquet"
	"github.com/concord-nn/concord/tensor"
)

// saying is what a report says of an output, as its JSON has it: numbers that are none are null.
type saying struct {
	Name    string
	Kind    string
	Classes []struct {
		Index       int32
		Label       string
		Probability *float32
		Score       *int64
	}
	Boxes []struct {
		Class                    int32
		Label                    string
		Score                    *float32
		Left, Top, Right, Bottom *float64
	}
	Track *struct {
		Step   float64
		Values []*float32
	}
}

// spoken is a report.
type spoken struct {
	Outputs []saying
	Encoded *string
}

// field is what a table has of an output: one column, or a second one behind it, and how a row of it is written. leaf is the number of its first leaf.
type field struct {
	name    string
	kind    string
	scores  bool         // of classes: whether they have scores in place of probabilities
	dtype   tensor.DType // of a tensor
	columns []parquet.Column
	leaf    int
}

// table is a Parquet file that is being made of records.
type table struct {
	fields  []*field
	encoded bool // whether there is a column for the encoded outputs of a CVM model
	taken   map[string]bool
	leaves  int
	w       *parquet.Writer
}

// The first columns.
const (
	inputLeaf = iota
	errorLeaf
	ownLeaves
)

// writeTable makes the table: a row for each input, with the columns input, error and those of the outputs.
func writeTable(w io.Writer, work *io.SectionReader) error {
	t := &table{taken: map[string]bool{"input": true, "error": true}, leaves: ownLeaves}
	if err := rows(work, t.learn); err != nil {
		return err
	}
	columns := []parquet.Column{text("input"), text("error")}
	for _, f := range t.fields {
		columns = append(columns, f.columns...)
	}
	if t.encoded {
		columns = append(columns, parquet.Column{Name: t.name("encoded"), Leaves: []parquet.Leaf{{Type: parquet.Bytes}}})
	}
	t.w = parquet.NewWriter(w, columns)
	if err := rows(work, t.row); err != nil {
		return err
	}
	return t.w.Close()
}

func text(name string) parquet.Column {
	return parquet.Column{Name: name, Leaves: []parquet.Leaf{{Type: parquet.Bytes, Text: true}}}
}

func lists(name string, l parquet.Leaf) parquet.Column {
	return parquet.Column{Name: name, List: true, Leaves: []parquet.Leaf{l}}
}

// name returns a name for a column that no other one has.
func (t *table) name(name string) string {
	for t.taken[name] {
		name += "_"
	}
	t.taken[name] = true
	return name
}

// learn adds the columns that a row needs and no row before it.
func (t *table) learn(x *row) error {
	var said spoken
	if err := json.Unmarshal(x.report, &said); err != nil {
		return err
	}
	t.encoded = t.encoded || said.Encoded != nil
	for i := range said.Outputs {
		o := &said.Outputs[i]
		known := slices.IndexFunc(t.fields, func(f *field) bool { return f.name == o.Name })
		own := x.tensor(o.Name)
		if known >= 0 {
			if f := t.fields[known]; f.kind != o.Kind || own != nil && f.dtype != own.DType() {
				return fmt.Errorf("%s: the output %q has another type than for the first input", x.Input, o.Name)
			}
			continue
		}
		f := &field{name: o.Name, kind: o.Kind, leaf: t.leaves}
		if own != nil {
			f.dtype = own.DType()
		}
		f.scores = len(o.Classes) > 0 && o.Classes[0].Score != nil
		f.describe(t.name)
		for _, c := range f.columns {
			t.leaves += len(c.Leaves)
		}
		t.fields = append(t.fields, f)
	}
	return nil
}

// tensor returns the tensor of an output, nil if there is none.
func (x *row) tensor(name string) *tensor.Tensor {
	for _, t := range x.tensors {
		if t.Name == name {
			return t.Tensor
		}
	}
	return nil
}

// describe makes the columns of an output.
func (f *field) describe(name func(string) string) {
	own := name(f.name)
	whole := parquet.Leaf{Type: parquet.Int32, Bits: 32}
	label := parquet.Leaf{Name: "label", Type: parquet.Bytes, Text: true}
	switch f.kind {
	case "classes":
		index, value := whole, parquet.Leaf{Name: "probability", Type: parquet.Float}
		if index.Name = "index"; f.scores {
			value = parquet.Leaf{Name: "score", Type: parquet.Int64, Bits: 64}
		}
		f.columns = []parquet.Column{{Name: own, List: true, Struct: true, Leaves: []parquet.Leaf{index, label, value}}}
	case "boxes":
		class := whole
		class.Name = "class"
		members := []parquet.Leaf{class, label, {Name: "score", Type: parquet.Float}}
		for _, side := range []string{"left", "top", "right", "bottom"} {
			members = append(members, parquet.Leaf{Name: side, Type: parquet.Double})
		}
		f.columns = []parquet.Column{{Name: own, List: true, Struct: true, Leaves: members}}
	case "track":
		f.columns = []parquet.Column{lists(own, parquet.Leaf{Type: parquet.Float}), {Name: name(f.name + "_step"), Leaves: []parquet.Leaf{{Type: parquet.Double}}}}
	default:
		f.columns = []parquet.Column{lists(own, leafOf(f.dtype)), lists(name(f.name+"_shape"), parquet.Leaf{Type: parquet.Int64, Bits: 64})}
	}
}

// leafOf says how the elements of a type stand in a table. Types that tables do not have stand as the next one that holds them.
func leafOf(d tensor.DType) parquet.Leaf {
	switch {
	case d == tensor.Bool:
		return parquet.Leaf{Type: parquet.Boolean}
	case d == tensor.Float64:
		return parquet.Leaf{Type: parquet.Double}
	case !d.IsInteger():
		return parquet.Leaf{Type: parquet.Float}
	case d.Size() == 8:
		return parquet.Leaf{Type: parquet.Int64, Bits: 64, Unsigned: d.IsUnsigned()}
	}
	return parquet.Leaf{Type: parquet.Int32, Bits: max(d.Size(), 1) * 8, Unsigned: d.IsUnsigned()}
}

// row writes a row.
func (t *table) row(x *row) error {
	var said spoken
	if err := json.Unmarshal(x.report, &said); err != nil {
		return err
	}
	t.w.Value(inputLeaf, true, []byte(x.Input))
	if x.Error == "" {
		t.w.None(errorLeaf)
	} else {
		t.w.Value(errorLeaf, true, []byte(x.Error))
	}
	for _, f := range t.fields {
		at := slices.IndexFunc(said.Outputs, func(o saying) bool { return o.Name == f.name })
		if at < 0 {
			for k := f.leaf; k < f.leaf+f.leaves(); k++ {
				t.w.None(k)
			}
			continue
		}
		if err := f.write(t.w, &said.Outputs[at], x); err != nil {
			return err
		}
	}
	if t.encoded {
		if said.Encoded == nil {
			t.w.None(t.leaves)
		} else {
			data, err := hex.DecodeString(*said.Encoded)
			if err != nil {
				return err
			}
			t.w.Value(t.leaves, true, data)
		}
	}
	return t.w.EndRow()
}

func (f *field) leaves() (n int) {
	for _, c := range f.columns {
		n += len(c.Leaves)
	}
	return n
}

// le32 and its like write numbers as tables have them. Absent ones are no numbers.
func le32(x *float32) []byte {
	v := float32(math.NaN())
	if x != nil {
		v = *x
	}
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
}

func le64(x *float64) []byte {
	v := math.NaN()
	if x != nil {
		v = *x
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
}

func whole32(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
func whole64(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

// write writes what an output says in a row.
func (f *field) write(w *parquet.Writer, o *saying, x *row) error {
	element := func(i int, members ...[]byte) {
		for k, data := range members {
			w.Value(f.leaf+k, i == 0, data)
		}
	}
	empty := func(n int) {
		for k := range n {
			w.Empty(f.leaf + k)
		}
	}
	switch f.kind {
	case "classes":
		for i, c := range o.Classes {
			value := le32(c.Probability)
			if f.scores {
				value = whole64(*c.Score)
			}
			element(i, whole32(c.Index), []byte(c.Label), value)
		}
		if len(o.Classes) == 0 {
			empty(3)
		}
	case "boxes":
		for i, b := range o.Boxes {
			element(i, whole32(b.Class), []byte(b.Label), le32(b.Score), le64(b.Left), le64(b.Top), le64(b.Right), le64(b.Bottom))
		}
		if len(o.Boxes) == 0 {
			empty(7)
		}
	case "track":
		for i, v := range o.Track.Values {
			element(i, le32(v))
		}
		if len(o.Track.Values) == 0 {
			empty(1)
		}
		w.Value(f.leaf+1, true, le64(&o.Track.Step))
	default:
		return f.array(w, x.tensor(f.name))
	}
	return nil
}

// array writes a tensor and its shape.
func (f *field) array(w *parquet.Writer, t *tensor.Tensor) error {
	leaf := leafOf(f.dtype)
	var data []byte
	for _, n := range t.Shape() {
		data = append(data, whole64(int64(n))...)
	}
	w.Values(f.leaf+1, data)
	if leaf.Type == parquet.Boolean {
		for i, v := range tensor.Data[bool](t) {
			b := []byte{0}
			if v {
				b[0] = 1
			}
			w.Value(f.leaf, i == 0, b)
		}
		if t.Len() == 0 {
			w.Empty(f.leaf)
		}
		return nil
	}
	to := map[parquet.Type]tensor.DType{parquet.Float: tensor.Float32, parquet.Double: tensor.Float64, parquet.Int32: tensor.Int32, parquet.Int64: tensor.Int64}[leaf.Type]
	if leaf.Unsigned {
		to = map[parquet.Type]tensor.DType{parquet.Int32: tensor.Uint32, parquet.Int64: tensor.Uint64}[leaf.Type]
	}
	wide, err := tensor.Cast(t, to)
	if err != nil {
		return err
	}
	w.Values(f.leaf, tensor.Raw(wide))
	return nil
}
