package openvx

// delayable is an object that a delay can hold. All methods are called under the lock.
type delayable interface {
	Reference
	// clone makes an object described by the same metadata, with one reference of the application.
	clone() (Reference, error)
	// idle returns an error if the contents are in use where they are.
	idle() error
	// exchange takes the contents of a clone, and gives its own.
	exchange(with Reference)
}

func (t *Tensor) clone() (Reference, error) { return t.ctx.newTensor(t.format, nil) }

func (t *Tensor) idle() error { return t.root.memory.idle() }

func (t *Tensor) exchange(with Reference) {
	o := with.(*Tensor)
	t.memory, o.memory = o.memory, t.memory
}

func (i *Image) clone() (Reference, error) {
	return i.ctx.newImage(i.pixels.dims[0], i.pixels.dims[1], i.imageFormat, nil)
}

func (i *Image) idle() error { return i.pixels.idle() }

func (i *Image) exchange(with Reference) {
	o := with.(*Image)
	i.pixels.exchange(o.pixels)
	i.valid, o.valid = o.valid, i.valid
}

func (a *ObjectArray) clone() (Reference, error) {
	made := &ObjectArray{}
	for _, item := range a.items {
		r, err := item.(delayable).clone()
		if err != nil {
			made.destroy()
			return nil, err
		}
		r.base().intern()
		r.base().array = made
		made.items = append(made.items, r)
	}
	a.ctx.register(&made.object, made, TypeObjectArray)
	return made, nil
}

func (a *ObjectArray) idle() error {
	for _, item := range a.items {
		if err := item.(delayable).idle(); err != nil {
			return err
		}
	}
	return nil
}

func (a *ObjectArray) exchange(with Reference) {
	for i, item := range with.(*ObjectArray).items {
		a.items[i].(delayable).exchange(item)
	}
}

func (s *Scalar) clone() (Reference, error) {
	return s.ctx.newScalar(nil, s.dtype, make([]byte, len(s.data))), nil
}

func (s *Scalar) idle() error { return nil }

func (s *Scalar) exchange(with Reference) {
	o := with.(*Scalar)
	s.data, o.data = o.data, s.data
	s.version, o.version = o.version, s.version
}

func (l *LUT) clone() (Reference, error) { return l.ctx.newLUT(nil, l.dtype, l.count) }

func (l *LUT) idle() error { return l.memory.idle() }

func (l *LUT) exchange(with Reference) {
	o := with.(*LUT)
	l.memory, o.memory = o.memory, l.memory
}
