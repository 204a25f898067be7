package reading

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	own "github.com/concord-nn/concord/bulk/internal/parquet"
)

// columns has one of each kind, named after what it holds.
var columns = []own.Column{
	{Name: "text", Leaves: []own.Leaf{{Type: own.Bytes, Text: true}}},
	{Name: "bytes", Leaves: []own.Leaf{{Type: own.Bytes}}},
	{Name: "double", Leaves: []own.Leaf{{Type: own.Double}}},
	{Name: "floats", List: true, Leaves: []own.Leaf{{Type: own.Float}}},
	{Name: "booleans", List: true, Leaves: []own.Leaf{{Type: own.Boolean}}},
	{Name: "uint8s", List: true, Leaves: []own.Leaf{{Type: own.Int32, Bits: 8, Unsigned: true}}},
	{Name: "int64s", List: true, Leaves: []own.Leaf{{Type: own.Int64, Bits: 64}}},
	{Name: "pairs", List: true, Struct: true, Leaves: []own.Leaf{{Name: "index", Type: own.Int32, Bits: 32}, {Name: "label", Type: own.Bytes, Text: true}}},
}

// TestRead writes random tables of some lengths, so that pages and row groups end at any row, and reads them.
func TestRead(t *testing.T) {
	for _, c := range []struct{ rows, longest int }{{0, 0}, {1, 3}, {50, 10}, {1000, 20}, {20, 1000}} {
		rng := rand.New(rand.NewPCG(1, uint64(c.rows)))
		var file bytes.Buffer
		w := own.NewWriter(&file, columns)
		w.PageBytes, w.GroupBytes = 1000, 20_000
		var want []map[string]any
		for range c.rows {
			want = append(want, write(w, rng, c.longest))
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if p.NumRows() != int64(c.rows) {
			t.Fatalf("%d rows, want %d", p.NumRows(), c.rows)
		}
		r := parquet.NewGenericReader[any](p)
		for i := range c.rows {
			got := make([]any, 1)
			if n, err := r.Read(got); n != 1 || err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("row %d: %d, %v", i, n, err)
			}
			if a, b := plain(got[0]), plain(want[i]); !reflect.DeepEqual(a, b) {
				t.Fatalf("row %d of %d: %.300s, want %.300s", i, c.rows, fmt.Sprint(a), fmt.Sprint(b))
			}
		}
	}
}

// plain makes values of any types comparable.
func plain(x any) any {
	v := reflect.ValueOf(x)
	switch {
	case x == nil:
		return nil
	case v.Kind() == reflect.Map:
		m := make(map[string]any)
		for _, k := range v.MapKeys() {
			m[k.String()] = plain(v.MapIndex(k).Interface())
		}
		return m
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i).Interface())
		}
		return list
	case v.Kind() == reflect.Slice:
		return string(v.Bytes())
	case v.CanFloat():
		return v.Float()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	}
	return x
}

// write writes a random row and returns it.
func write(w *own.Writer, rng *rand.Rand, longest int) map[string]any {
	row := make(map[string]any)
	leaf := 0
	for _, c := range columns {
		first := leaf
		leaf += len(c.Leaves)
		if row[c.Name] = nil; rng.IntN(4) == 0 {
			for i := first; i < leaf; i++ {
				w.None(i)
			}
			continue
		}
		if !c.List {
			x, data := value(rng, &c.Leaves[0])
			w.Value(first, true, data)
			row[c.Name] = x
			continue
		}
		n := rng.IntN(longest + 1)
		list := make([]any, n)
		fixed := !c.Struct && c.Leaves[0].Type != own.Boolean
		var all []byte
		for i := range n {
			members := make(map[string]any)
			for k := range c.Leaves {
				l := &c.Leaves[k]
				x, data := value(rng, l)
				if fixed {
					all = append(all, data...)
				} else {
					w.Value(first+k, i == 0, data)
				}
				if list[i] = x; c.Struct {
					members[l.Name] = x
					list[i] = members
				}
			}
		}
		switch {
		case fixed:
			w.Values(first, all)
		case n == 0:
			for i := first; i < leaf; i++ {
				w.Empty(i)
			}
		}
		row[c.Name] = list
	}
	return row
}

func value(rng *rand.Rand, l *own.Leaf) (any, []byte) {
	switch l.Type {
	case own.Boolean:
		n := byte(rng.IntN(2))
		return n == 1, []byte{n}
	case own.Int32:
		n := rng.Int32()
		if l.Bits == 8 {
			n %= 256
		}
		return n, binary.LittleEndian.AppendUint32(nil, uint32(n))
	case own.Int64:
		n := int64(rng.Uint64())
		return n, binary.LittleEndian.AppendUint64(nil, uint64(n))
	case own.Float:
		x := rng.Float32()
		return x, binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
	case own.Double:
		x := rng.NormFloat64()
		return x, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
	}
	text := fmt.Sprint("é", rng.IntN(1000))
	return text, []byte(text)
}
