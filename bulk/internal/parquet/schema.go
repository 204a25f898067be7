package parquet

// Type is the physical type of values.
type Type int

// The types.
const (
	Boolean Type = 0
	Int32   Type = 1
	Int64   Type = 2
	Float   Type = 4
	Double  Type = 5
	Bytes   Type = 6
)

// Leaf is a sequence of values.
type Leaf struct {
	Name     string // of a member of a structure; of others it does not count
	Type     Type
	Text     bool // whether bytes are UTF-8
	Bits     int  // of integers of other types than their physical one, such as 8; 0 of others
	Unsigned bool
}

// Column is a column of a table. In a row it may have no value at all.
type Column struct {
	Name   string
	List   bool   // whether each row has a list
	Struct bool   // whether the elements of the list are structures
	Leaves []Leaf // the members of the structure, or one
}

// How often a value may be there.
const (
	required = 0
	optional = 1
	repeated = 2
)

// path is where the values of a leaf lie in the schema.
func (c *Column) path(l *Leaf) []string {
	switch {
	case c.Struct:
		return []string{c.Name, "list", "element", l.Name}
	case c.List:
		return []string{c.Name, "list", "element"}
	}
	return []string{c.Name}
}

// levels are the greatest repetition and definition levels of the leaves.
func (c *Column) levels() (repetition, definition int) {
	if !c.List {
		return 0, 1
	}
	return 1, 2
}

// elements is how many elements of the schema a column has.
func (c *Column) elements() int {
	switch {
	case c.Struct:
		return 3 + len(c.Leaves)
	case c.List:
		return 3
	}
	return 1
}

// What annotates a type: converted types, which older readers know, and logical types.
const (
	convertedText = 0
	convertedList = 3
	convertedUint = 11 // of 8 bits; then 16, 32, 64
	convertedInt  = 15

	logicalText    = 1
	logicalList    = 3
	logicalInteger = 10
)

// write writes the elements of the schema.
func (c *Column) write(t *compact) {
	if !c.List {
		c.Leaves[0].write(t, c.Name, optional)
		return
	}
	group := func(name string, repetition, children int, list bool) {
		t.begin()
		t.i32(3, repetition)
		t.text(4, name)
		t.i32(5, children)
		if list {
			t.i32(6, convertedList)
			t.structure(10, func() { t.structure(logicalList, func() {}) })
		}
		t.end()
	}
	group(c.Name, optional, 1, true)
	group("list", repeated, 1, false)
	if !c.Struct {
		c.Leaves[0].write(t, "element", required)
		return
	}
	group("element", required, len(c.Leaves), false)
	for i := range c.Leaves {
		c.Leaves[i].write(t, c.Leaves[i].Name, required)
	}
}

// write writes the element of the schema.
func (l *Leaf) write(t *compact, name string, repetition int) {
	t.begin()
	t.i32(1, int(l.Type))
	t.i32(3, repetition)
	t.text(4, name)
	switch {
	case l.Text:
		t.i32(6, convertedText)
		t.structure(10, func() { t.structure(logicalText, func() {}) })
	case l.Bits > 0:
		size := map[int]int{8: 0, 16: 1, 32: 2, 64: 3}[l.Bits]
		if l.Unsigned {
			t.i32(6, convertedUint+size)
		} else {
			t.i32(6, convertedInt+size)
		}
		t.structure(10, func() {
			t.structure(logicalInteger, func() {
				t.byte(1, byte(l.Bits))
				t.bool(2, !l.Unsigned)
			})
		})
	}
	t.end()
}
