package openvx

// What a delay does with the objects in its slots, and the items of arrays there. The context is locked.

// clone makes an object described like r, with one reference of the application.
func (c *Context) clone(r Reference) (Reference, error) {
	switch r := r.(type) {
	case *Tensor:
		return c.newTensor(r.format, nil)
	case *Image:
		return c.newImage(r.pixels.dims[0], r.pixels.dims[1], r.imageFormat, nil)
	case *LUT:
		return c.newLUT(nil, r.Kind(), r.NumElements())
	case *Scalar:
		return c.newScalar(nil, r.dtype, make([]byte, len(r.data))), nil
	case *ObjectArray:
		made := &ObjectArray{}
		for _, item := range r.items {
			copied, err := c.clone(item)
			if err != nil {
				made.destroy()
				return nil, err
			}
			copied.base().intern()
			copied.base().array = made
			made.items = append(made.items, copied)
		}
		c.register(&made.object, made, TypeObjectArray)
		return made, nil
	}
	return nil, failed(ErrorInvalidType, "a delay cannot hold objects of the kind %s", r.base().kind)
}

// inUse returns an error if the contents of an object are in use where they are.
func inUse(r Reference) error {
	if a, ok := r.(*ObjectArray); ok {
		for _, item := range a.items {
			if err := inUse(item); err != nil {
				return err
			}
		}
	}
	if t := contents(r); t != nil {
		return t.root.memory.idle()
	}
	return nil
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
