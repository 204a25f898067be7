package openvx

// What a delay does with the objects in its slots, and the items of arrays there. The context is locked.

// clone makes an object described like r, with one reference of the application.
func (c *Context) clone(r Reference) Reference {
	switch r := r.(type) {
	case *Tensor:
		return c.newTensor(r.format, nil)
	case *Image:
		return c.newImage(r.pixels.dims[0], r.pixels.dims[1], r.imageFormat, nil)
	case *LUT:
		return c.newLUT(nil, r.table.dtype, r.table.dims[0])
	case *Scalar:
		return c.newScalar(nil, r.dtype, make([]byte, len(r.data)))
	case *ObjectArray:
		made := &ObjectArray{items: c.clones(len(r.items), func(i int) Reference { return r.items[i] })}
		for _, item := range made.items {
			item.base().array = made
		}
		c.register(&made.object, made, TypeObjectArray)
		return made
	}
	panic(refusal{failed(ErrorInvalidType, "a delay cannot hold objects of the kind %s", r.base().kind)})
}

// clones makes n objects like those that are given, with one reference of another object each; all or none.
func (c *Context) clones(n int, like func(i int) Reference) (made []Reference) {
	defer func() {
		if len(made) < n {
			dropAll(made)
		}
	}()
	for i := range n {
		made = append(made, c.clone(like(i)))
		made[i].base().intern()
	}
	return made
}

// inUse refuses if the contents of an object are in use where they are.
func checkUnused(r Reference) {
	if a, ok := r.(*ObjectArray); ok {
		for _, item := range a.items {
			checkUnused(item)
		}
	}
	if t := contents(r); t != nil {
		t.root.memory.checkIdle()
	}
}

// exchange exchanges the contents of two objects that are described alike.
func exchange(r, with Reference) {
	if t := contents(r); t != nil {
		o := contents(with)
		t.memory, o.memory = o.memory, t.memory
	}
	switch r := r.(type) {
	case *Image:
		o := with.(*Image)
		r.valid, o.valid = o.valid, r.valid
	case *Scalar:
		o := with.(*Scalar)
		r.data, o.data = o.data, r.data
		r.version, o.version = o.version, r.version
	case *ObjectArray:
		for i, item := range with.(*ObjectArray).items {
			exchange(r.items[i], item)
		}
	}
}
