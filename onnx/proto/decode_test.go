package proto

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/wire"
)

// join joins parts of a message: strings, bytes as numbers, and messages with their lengths.
func join(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case string:
			b = append(b, p...)
		case []byte:
			b = append(append(b, byte(len(p))), p...)
		}
	}
	return b
}

func tag(number int, w wire.Type) int { return number<<3 | int(w) }

// TestForms reads what is written in other ways than here.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want Tensor
	}{
		"one by one":         {join(tag(1, wire.Varint), 2, tag(1, wire.Varint), 3), Tensor{Dims: []int64{2, 3}}},
		"packed":             {join(tag(1, wire.Lengthed), join(2, 3)), Tensor{Dims: []int64{2, 3}}},
		"both":               {join(tag(1, wire.Varint), 2, tag(1, wire.Lengthed), join(3, 0x80, 1), tag(1, wire.Varint), 4), Tensor{Dims: []int64{2, 3, 128, 4}}},
		"packed, none":       {join(tag(1, wire.Lengthed), join()), Tensor{}},
		"floats one by one":  {join(tag(4, wire.Fixed32), 0, 0, 0x80, 0x3F, tag(4, wire.Fixed32), 0, 0, 0, 0x80), Tensor{FloatData: []float32{1, float32(math.Copysign(0, -1))}}},
		"int32 in 5 bytes":   {join(tag(5, wire.Lengthed), join(0xFE, 0xFF, 0xFF, 0xFF, 0x0F)), Tensor{Int32Data: []int32{-2}}},
		"int32 in 10 bytes":  {join(tag(5, wire.Lengthed), join("\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")), Tensor{Int32Data: []int32{-2}}},
		"longer than needed": {join(tag(2, wire.Varint), 0x81, 0x80, 0), Tensor{DataType: Float}},
		"twice":              {join(tag(2, wire.Varint), 1, tag(2, wire.Varint), 7), Tensor{DataType: Int64}},
		"in two parts":       {join(tag(3, wire.Lengthed), join(tag(1, wire.Varint), 5), tag(3, wire.Lengthed), join(tag(2, wire.Varint), 6)), Tensor{Segment: &Segment{5, 6}}},
		"unknown": {join(tag(15, wire.Varint), 0x80, 1, tag(15, wire.Fixed32), "1234", tag(15, wire.Fixed64), "12345678", tag(15, wire.Lengthed), join("x"), 0xFA, 0xFF, 0xFF, 0xFF, 0x0F, join(), tag(2, wire.Varint), 1),
			Tensor{DataType: Float}},
		"no bytes":   {join(tag(9, wire.Lengthed), join()), Tensor{RawData: []byte{}}},
		"any string": {join(tag(8, wire.Lengthed), join("\xFF\x00")), Tensor{Name: "\xFF\x00"}},
	} {
		m, err := DecodeTensor(c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !same(reflect.ValueOf(*m), reflect.ValueOf(c.want)) {
			t.Errorf("%s: %+v; want %+v", name, *m, c.want)
		}
	}
}

// TestAlternatives holds the last of alternatives to counting.
func TestAlternatives(t *testing.T) {
	const dim = "dim_value, then dim_param, then dim_value"
	for name, c := range map[string]struct {
		data []byte
		want Dim
	}{
		"zero":    {join(tag(1, wire.Varint), 0), Dim{Known: true}},
		"minus":   {join(tag(1, wire.Varint), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), Dim{Known: true, Value: -1}},
		"neither": {nil, Dim{}},
		"param":   {join(tag(1, wire.Varint), 3, tag(2, wire.Lengthed), join("n")), Dim{Param: "n"}},
		dim:       {join(tag(1, wire.Varint), 3, tag(2, wire.Lengthed), join("n"), tag(1, wire.Varint), 4), Dim{Known: true, Value: 4}},
	} {
		m, err := decode[Dim](c.data)
		if err != nil || *m != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, m, err, c.want)
		}
	}
	float, shape := join(tag(1, wire.Varint), 1), join(tag(2, wire.Lengthed), join())
	ty, err := decode[Type](join(tag(4, wire.Lengthed), join(), tag(1, wire.Lengthed), float, tag(6, wire.Lengthed), join("d"), tag(1, wire.Lengthed), shape))
	if err != nil || ty.Sequence != nil || ty.Denotation != "d" || ty.Tensor == nil || ty.Tensor.ElemType != Float || ty.Tensor.Shape == nil {
		t.Errorf("a type is %+v, %v", ty, err)
	}
	if ty, err = decode[Type](join(tag(1, wire.Lengthed), float, tag(9, wire.Lengthed), join())); err != nil || ty.Tensor != nil || ty.Optional == nil {
		t.Errorf("a type is %+v, %v", ty, err)
	}
}

// TestZeros holds the value of an attribute to being written although it is zero.
func TestZeros(t *testing.T) {
	for _, c := range []struct {
		kind AttributeType
		want []byte
	}{
		{AttributeFloat, join(tag(2, wire.Fixed32), 0, 0, 0, 0, 0xA0, 1, 1)},
		{AttributeInt, join(tag(3, wire.Varint), 0, 0xA0, 1, 2)},
		{AttributeString, join(tag(4, wire.Lengthed), join(), 0xA0, 1, 3)},
		{AttributeInts, join(0xA0, 1, 7)},
		{AttributeUndefined, nil},
	} {
		if b, err := encode(&Attribute{Type: c.kind}); err != nil || !bytes.Equal(b, c.want) {
			t.Errorf("attribute of type %d: % x, %v; want % x", c.kind, b, err, c.want)
		}
	}
	if b, err := encode(&Attribute{F: float32(math.Copysign(0, -1))}); err != nil || len(b) != 5 {
		t.Errorf("-0 is written as % x, %v", b, err)
	}
	if b, err := encode(&Graph{Node: []*Node{nil}}); err != nil || !bytes.Equal(b, join(tag(1, wire.Lengthed), join())) {
		t.Errorf("nil is written as % x, %v", b, err)
	}
}

// TestMistakes holds every mistake to an error at its byte and in its field.
func TestMistakes(t *testing.T) {
	// deep puts a tensor where a graph in an attribute has it.
	deep := func(tensor ...any) []byte {
		attribute := join(tag(5, wire.Lengthed), join(tensor...))
		node := join(tag(1, wire.Lengthed), join("x"), tag(5, wire.Lengthed), join(), tag(5, wire.Lengthed), attribute)
		return join(tag(7, wire.Lengthed), join(tag(1, wire.Lengthed), join(), tag(1, wire.Lengthed), node))
	}
	const at = 2 + 2 + 2 + 3 + 2 + 2 + 2 // of that tensor
	for name, c := range map[string]struct {
		data   []byte
		offset int
		path   string
		msg    string
		cause  error
	}{
		"wire type":       {deep(tag(2, wire.Fixed32), "1234"), at, "graph.node[1].attribute[1].t.data_type", "encoded as 4 bytes; it must be a varint", ErrWireType},
		"packed scalar":   {deep(tag(2, wire.Lengthed), join(1)), at, "graph.node[1].attribute[1].t.data_type", "encoded as bytes with a length", ErrWireType},
		"numbers":         {deep(tag(1, wire.Fixed64), "12345678"), at, "graph.node[1].attribute[1].t.dims", "encoded as 8 bytes", ErrWireType},
		"group":           {deep(tag(3, wire.StartGroup)), at, "graph.node[1].attribute[1].t.segment", "encoded as a group", ErrWireType},
		"unknown group":   {deep(tag(15, wire.StartGroup)), at, "graph.node[1].attribute[1].t", "the field is a group; there are none such", nil},
		"end of group":    {deep(tag(15, wire.EndGroup)), at, "graph.node[1].attribute[1].t", "the field is a group", nil},
		"wire type 6":     {deep(tag(15, 6)), at, "graph.node[1].attribute[1].t", "the field is wire type 6", nil},
		"field 0":         {deep(tag(0, wire.Varint), 1), at, "graph.node[1].attribute[1].t", "there is no field number 0", nil},
		"large field":     {deep("\x80\x80\x80\x80\x10"), at, "graph.node[1].attribute[1].t", "there is no field number 536870912", nil},
		"cut tag":         {deep(0x80), at, "graph.node[1].attribute[1].t", "the message ends within a number", nil},
		"no value":        {deep(tag(2, wire.Varint)), at + 1, "graph.node[1].attribute[1].t.data_type", "the message ends within a number", nil},
		"cut number":      {deep(tag(1, wire.Lengthed), join(1, 0x80)), at + 3, "graph.node[1].attribute[1].t.dims", "the message ends within a number", nil},
		"65 bits":         {deep(tag(1, wire.Varint), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"), at + 1, "graph.node[1].attribute[1].t.dims", "more than 64 bits", nil},
		"11 bytes":        {deep(tag(1, wire.Varint), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"), at + 1, "graph.node[1].attribute[1].t.dims", "more than 64 bits", nil},
		"long string":     {deep(tag(8, wire.Lengthed), 3, "ab"), at + 2, "graph.node[1].attribute[1].t.name", "3 bytes should follow; the message has 2", nil},
		"wrapping length": {deep(tag(9, wire.Lengthed), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), at + 11, "graph.node[1].attribute[1].t.raw_data", "18446744073709551615 bytes should follow", nil},
		"signed length":   {deep(tag(3, wire.Lengthed), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"), at + 1, "graph.node[1].attribute[1].t.segment", "9223372036854775807 bytes should follow", nil},
		"long message":    {deep(tag(3, wire.Lengthed), 1), at + 1, "graph.node[1].attribute[1].t.segment", "a message of 1 bytes should follow; there are 0", nil},
		"cut float":       {deep(tag(4, wire.Fixed32), "123"), at + 1, "graph.node[1].attribute[1].t.float_data", "4 bytes should follow; the message has 3", nil},
		"cut floats":      {deep(tag(4, wire.Lengthed), join("12345")), at + 2, "graph.node[1].attribute[1].t.float_data", "5 bytes cannot be divided into numbers of 4", nil},
		"cut double":      {deep(tag(15, wire.Fixed64), "1234567"), at + 1, "graph.node[1].attribute[1].t", "8 bytes should follow", nil},
		"at the top":      {join(tag(1, wire.Fixed32)), 0, "ir_version", "encoded as 4 bytes", ErrWireType},
		"text":            {[]byte("version https://git-lfs"), 0, "metadata_props", "encoded as wire type 6", ErrWireType},
	} {
		_, err := Decode(c.data)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Offset != c.offset || e.Path != c.path || !strings.Contains(e.Msg, c.msg) || !errors.Is(err, c.cause) && c.cause != nil {
			t.Errorf("%s: %v; want byte %d: %s: …%s…", name, err, c.offset, c.path, c.msg)
		}
	}
}

// TestStringsAreCopied holds all but raw data to being independent of the bytes.
func TestStringsAreCopied(t *testing.T) {
	long := strings.Repeat("long ", 64<<10)
	b, err := Encode(&Model{Domain: "domain", Doc: long, Graph: &Graph{Name: "name", Initializer: []*Tensor{{Name: "w", RawData: []byte("raw")}}}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	if w := m.Graph.Initializer[0]; m.Domain != "domain" || m.Doc != long || m.Graph.Name != "name" || w.Name != "w" || string(w.RawData) != "\x00\x00\x00" || cap(w.RawData) != 3 {
		t.Errorf("%q, %q, %q, %q", m.Domain, m.Graph.Name, w.Name, w.RawData)
	}
}
