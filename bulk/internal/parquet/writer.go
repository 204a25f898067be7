package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// When a page and a row group end, behind a row, unless something else is said.
const (
	pageBytes  = 1 << 20
	groupBytes = 64 << 20
	groupRows  = 1 << 20
)

// magic begins and ends a file.
const magic = "PAR1"

// Writer writes a table. Each row is a call of a method for each column, or for each leaf of its lists, and then of EndRow.
type Writer struct {
	PageBytes, GroupBytes int // when a page and a row group end; may be changed before the first row

	w      io.Writer
	at     int64
	leaves []*leaf
	rows   int64 // of the row group at hand
	total  int64
	column []Column
	groups compact // that are written
	count  int
	err    error
}

// leaf is a leaf whose values are collected.
type leaf struct {
	*Leaf
	column                 *Column
	repetition, definition levels // of the page at hand
	values                 []byte
	bits                   int // of booleans in values
	chunk                  []byte
	inChunk                int64 // values of the pages of the chunk
}

// NewWriter begins a table.
func NewWriter(w io.Writer, columns []Column) *Writer {
	p := &Writer{PageBytes: pageBytes, GroupBytes: groupBytes, w: w, column: columns}
	for i := range columns {
		for k := range columns[i].Leaves {
			l := &leaf{Leaf: &columns[i].Leaves[k], column: &columns[i]}
			l.repetition.most, l.definition.most = columns[i].levels()
			p.leaves = append(p.leaves, l)
		}
	}
	p.write([]byte(magic))
	return p
}

func (p *Writer) write(data []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(data)
		p.at += int64(len(data))
	}
}

// None says that leaf i has no value in this row: the whole column of it is absent.
func (p *Writer) None(i int) { p.leaves[i].level(0, 0) }

// Empty says that the list of leaf i is empty.
func (p *Writer) Empty(i int) { p.leaves[i].level(0, 1) }

// Value appends a value to leaf i: the bytes of PLAIN encoding, without the length of a text; of a boolean one byte. first says whether it is the
// first one of a list, or the only value of the row.
func (p *Writer) Value(i int, first bool, data []byte) {
	l := p.leaves[i]
	repetition := l.repetition.most
	if first {
		repetition = 0
	}
	l.level(repetition, l.definition.most)
	switch l.Type {
	case Boolean:
		if l.bits%8 == 0 {
			l.values = append(l.values, 0)
		}
		l.values[len(l.values)-1] |= (data[0] & 1) << (l.bits % 8)
		l.bits++
	case Bytes:
		l.values = append(binary.LittleEndian.AppendUint32(l.values, uint32(len(data))), data...)
	default:
		l.values = append(l.values, data...)
	}
}

// Values appends the values of a list to leaf i, whose type has a fixed size: the bytes of all of them.
func (p *Writer) Values(i int, data []byte) {
	l := p.leaves[i]
	size := map[Type]int{Int32: 4, Int64: 8, Float: 4, Double: 8}[l.Type]
	n := len(data) / size
	if n == 0 {
		p.Empty(i)
		return
	}
	l.level(0, l.definition.most)
	l.repetition.add(1, n-1)
	l.definition.add(l.definition.most, n-1)
	l.values = append(l.values, data...)
}

func (l *leaf) level(repetition, definition int) {
	l.repetition.add(repetition, 1)
	l.definition.add(definition, 1)
}

// EndRow ends a row.
func (p *Writer) EndRow() error {
	p.rows++
	size := 0
	for _, l := range p.leaves {
		if len(l.values) >= p.PageBytes || l.definition.runs() >= p.PageBytes {
			if err := l.page(); err != nil {
				return err
			}
		}
		size += len(l.chunk) + len(l.values)
	}
	if size >= p.GroupBytes || p.rows >= groupRows {
		return p.group()
	}
	return p.err
}

// page ends the page at hand.
func (l *leaf) page() error {
	if l.definition.n == 0 {
		return nil
	}
	var body []byte
	for _, v := range []*levels{&l.repetition, &l.definition} {
		if v.most > 0 {
			data := v.bytes()
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(data))), data...)
		}
	}
	size := len(body) + len(l.values)
	if size > math.MaxInt32 {
		return fmt.Errorf("column %q: a row has %d bytes, more than the format has for a page", l.column.Name, len(l.values))
	}
	var t compact
	t.begin()
	t.i32(1, 0) // a data page
	t.i32(2, size)
	t.i32(3, size)
	t.structure(5, func() {
		t.i32(1, l.definition.n)
		t.i32(2, encodingPlain)
		t.i32(3, encodingRLE)
		t.i32(4, encodingRLE)
	})
	t.end()
	l.chunk = append(append(append(l.chunk, t.b...), body...), l.values...)
	l.inChunk += int64(l.definition.n)
	l.values, l.bits = l.values[:0], 0
	l.repetition.clear()
	l.definition.clear()
	return nil
}

// The encodings.
const (
	encodingPlain = 0
	encodingRLE   = 3
)

// group writes the row group at hand.
func (p *Writer) group() error {
	if p.rows == 0 {
		return p.err
	}
	t := &p.groups
	t.begin()
	t.list(1, tStruct, len(p.leaves))
	begin := p.at
	for _, l := range p.leaves {
		if err := l.page(); err != nil {
			return err
		}
		at := p.at
		p.write(l.chunk)
		t.begin()
		t.i64(2, at)
		t.structure(3, func() {
			t.i32(1, int(l.Type))
			t.list(2, tI32, 2)
			t.b = append(t.b, 2*encodingPlain, 2*encodingRLE) // zigzag
			path := l.column.path(l.Leaf)
			t.list(3, tBinary, len(path))
			for _, name := range path {
				t.rawText(name)
			}
			t.i32(4, 0) // uncompressed
			t.i64(5, l.inChunk)
			t.i64(6, int64(len(l.chunk)))
			t.i64(7, int64(len(l.chunk)))
			t.i64(9, at)
		})
		t.end()
		l.chunk, l.inChunk = l.chunk[:0], 0
	}
	t.i64(2, p.at-begin)
	t.i64(3, p.rows)
	t.end()
	p.count++
	p.total += p.rows
	p.rows = 0
	return p.err
}

// Close ends the table. It does not close what is written to.
func (p *Writer) Close() error {
	if err := p.group(); err != nil {
		return err
	}
	var t compact
	t.begin()
	t.i32(1, 2) // the version
	elements := 1
	for i := range p.column {
		elements += p.column[i].elements()
	}
	t.list(2, tStruct, elements)
	t.begin()
	t.text(4, "schema")
	t.i32(5, len(p.column))
	t.end()
	for i := range p.column {
		p.column[i].write(&t)
	}
	t.i64(3, p.total)
	t.list(4, tStruct, p.count)
	t.b = append(t.b, p.groups.b...)
	t.text(6, "concord")
	t.end()
	p.write(t.b)
	p.write(binary.LittleEndian.AppendUint32(nil, uint32(len(t.b))))
	p.write([]byte(magic))
	return p.err
}

// levels are numbers that repeat often, as runs.
type levels struct {
	most int // 0 if they are all 0 and not written
	n    int
	data []byte // of runs that have ended
	of   int    // the number of the run at hand
	run  int
}

func (v *levels) add(level, n int) {
	if v.n += n; v.most == 0 || n == 0 {
		return
	}
	if v.run > 0 && v.of != level {
		v.flush()
	}
	v.of = level
	v.run += n
}

func (v *levels) flush() {
	if v.run > 0 {
		v.data = append(binary.AppendUvarint(v.data, uint64(v.run)<<1), byte(v.of))
		v.run = 0
	}
}

func (v *levels) bytes() []byte {
	v.flush()
	return v.data
}

func (v *levels) runs() int { return len(v.data) }

func (v *levels) clear() { v.n, v.run, v.data = 0, 0, v.data[:0] }
