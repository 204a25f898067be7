package openvx

// LUT is a table of values for [Graph.TensorTableLookupNode] (vx_lut).
type LUT struct {
	object
	table *Tensor // of one dimension; it is no reference
}

// tableTypes are the types that the elements of a table may have, with how many elements there may be.
var tableTypes = map[Type]int{TypeUint8: 1 << 8, TypeInt16: 1 << 16}

// CreateLUT makes a table of zeros (vxCreateLUT): at most 256 elements of TypeUint8, or 65536 of TypeInt16. Another type is
// ErrorInvalidType, another count ErrorInvalidParameters.
func (c *Context) CreateLUT(dtype Type, count int) (*LUT, error) {
	return create(c, ".CreateLUT", func() *LUT { return c.newLUT(nil, dtype, count) })
}

// CreateVirtualLUT makes a table that only nodes of the graph can access (vxCreateVirtualLUT).
func (g *Graph) CreateVirtualLUT(dtype Type, count int) (*LUT, error) {
	return create(g, ".CreateVirtualLUT", func() *LUT { return g.ctx.newLUT(g, dtype, count) })
}

// newLUT makes a table, a virtual one if there is a scope. The caller holds the lock.
func (c *Context) newLUT(scope *Graph, dtype Type, count int) *LUT {
	limit, ok := tableTypes[dtype]
	switch {
	case !ok:
		refuse(ErrorInvalidType, "a table cannot have elements of %s: VX_TYPE_UINT8 and VX_TYPE_INT16 are possible", dtype)
	case count < 1 || count > limit:
		refuse(ErrorInvalidParameters, "a table of %s has 1 to %d elements, not %d", dtype, limit, count)
	}
	l := &LUT{object: object{scope: scope}, table: c.bareTensor(format{dtype: dtype, dims: []int{count}}, scope)}
	l.table.allocated()
	c.register(&l.object, l, TypeLUT)
	return l
}

func (l *LUT) destroy() { l.table.destroy() }

func tableOffset(dtype Type, count int) int {
	if dtype == TypeInt16 {
		return count / 2
	}
	return 0
}

// Copy copies all elements, little-endian, from the table, for ReadOnly, or into it, for WriteOnly (vxCopyLUT). Fewer bytes than Size, or
// another usage, are ErrorInvalidParameters; a virtual table is ErrorOptimizedAway.
func (l *LUT) Copy(data []byte, u Usage) error {
	return do(l, ".Copy", func() {
		l.checkVisible()
		transfer(l.table.memory.data, data, u, "table")
		if u == WriteOnly {
			l.table.touched()
		}
	})
}

// Map gives access to the table's own memory until [LUT.Unmap] (vxMapLUT). It may be mapped more than once. An unknown usage is
// ErrorInvalidParameters; a virtual table is ErrorOptimizedAway.
func (l *LUT) Map(u Usage) (id uint64, data []byte, err error) {
	err = do(l, ".Map", func() {
		l.checkVisible()
		p := l.table.mapPatch(nil, nil, u)
		id, data = p.ID, p.Data
		l.hold() // or a table that has been released could not be unmapped
	})
	return id, data, err
}

// Unmap ends what [LUT.Map] began (vxUnmapLUT): the memory must not be used any more. An unknown number is ErrorInvalidParameters.
func (l *LUT) Unmap(id uint64) error { return unmap(l, ".Unmap", id) }
