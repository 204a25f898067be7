package openvx

import (
	"fmt"
	"math"
)

// exportable is an object that can be exported and imported. All methods are called under the lock.
type exportable interface {
	Reference
	// metadata tells what the application can ask of the object. An object that it supplies in the place of another has the same.
	metadata() string
	// parts are the objects that it is made of, which are exported before it.
	parts() []Reference
	// write writes what the reader of its kind makes it of.
	write(w *exporter)
}

// valued is an exportable that has values, and not only parts that have.
type valued interface {
	exportable
	// valueBytes returns how many bytes the values have without gaps.
	valueBytes() int
	// hasValues reports whether they are anywhere: if not, they are zeros, or not yet known.
	hasValues() bool
	// copyValues copies all values to data (ReadOnly) or from there (WriteOnly).
	copyValues(data []byte, u Usage) error
}

// readers are the inverse of exportable.write, by kind of object. They check everything, and keep what they make.
var readers = map[Type]func(x *importer) error{
	TypeGraph: (*importer).readGraph, TypeTensor: (*importer).readTensor, TypeImage: (*importer).readImage, TypeScalar: (*importer).readScalar,
	TypeLUT: (*importer).readLUT, TypeObjectArray: (*importer).readObjectArray, TypeDelay: (*importer).readDelay,
}

// components are the objects that one consists of, as opposed to that which it shows a part of.
func components(r Reference) []Reference {
	switch r := r.(type) {
	case *ObjectArray:
		return r.items
	case *Delay:
		return r.slots
	}
	return nil
}

// each calls f with an object, its components, and theirs.
func each(r Reference, f func(Reference)) {
	f(r)
	for _, part := range components(r) {
		each(part, f)
	}
}

// whole returns the object that has the storage of which r shows a part, or r itself.
func whole(r Reference) Reference {
	switch r := r.(type) {
	case *Tensor:
		return r.root.self
	case *Image:
		if r.owner != nil {
			return whole(r.owner.self)
		}
	}
	return r
}

// scopeOf returns the graph of a virtual object as its part.
func scopeOf(o *object) []Reference {
	if o.scope == nil {
		return nil
	}
	return []Reference{o.scope}
}

// A graph has its nodes written when all objects are.

func (g *Graph) metadata() string   { return "graph" }
func (g *Graph) parts() []Reference { return nil }
func (g *Graph) write(*exporter)    {}

func (x *importer) readGraph() error {
	x.keep(x.c.newGraph())
	return nil
}

func (t *Tensor) metadata() string { return fmt.Sprintf("tensor of %v, extents %v", t.format, t.dims) }

func (t *Tensor) parts() []Reference {
	if t.root != t {
		return []Reference{t.root.self}
	}
	return scopeOf(&t.object)
}

func (t *Tensor) write(w *exporter) {
	w.bool(t.root != t)
	if t.root != t {
		w.refer(t.root.self)
		w.window(t)
		return
	}
	w.scope(&t.object)
	w.number(int(t.dtype))
	w.byte(int(t.fixed))
	w.extents(t.dims)
}

func (x *importer) readTensor() error {
	if !x.bool() {
		scope := x.scope()
		f := format{dtype: Type(x.number()), fixed: int8(x.byte()), dims: x.extents()}
		if x.err != nil {
			return x.err
		}
		t, err := x.c.newTensor(f, scope)
		if err == nil {
			x.keep(t)
		}
		return err
	}
	of, ok := x.part().(*Tensor)
	if !ok {
		x.fail("a view is not of a tensor")
		return x.err
	}
	v, err := x.window(of)
	if err == nil {
		x.keep(x.c.registerView(v))
	}
	return err
}

func (t *Tensor) valueBytes() int {
	n := t.size()
	for _, extent := range t.dims {
		n *= extent
	}
	return n
}

func (t *Tensor) hasValues() bool { return t.root.memory != nil && t.root.memory.data != nil }

func (t *Tensor) copyValues(data []byte, u Usage) error {
	return t.copyPatch(make([]int, len(t.dims)), t.dims, denseStrides(t.dims, t.size()), data, u)
}

// window writes where a view lies in its root.
func (w *exporter) window(v *Tensor) {
	w.extents(v.start)
	w.extents(v.dims)
}

// window makes what exporter.window has written a view of a tensor, which may be a view itself.
func (x *importer) window(of *Tensor) (*Tensor, error) {
	root, start, dims := of.root, x.extents(), x.extents()
	if x.err == nil && (root.strides == nil || len(start) != len(root.dims) || len(dims) > len(start)) {
		x.fail("a part at %v of extents %v is not of a tensor of extents %v", start, dims, root.dims)
	}
	if x.err != nil {
		return nil, x.err
	}
	end := make([]int, len(start))
	for i := range end {
		end[i] = start[i] + 1
		if i < len(dims) {
			end[i] = start[i] + dims[i]
		}
	}
	if err := root.checkBox(start, end); err != nil {
		return nil, err
	}
	box := root.window(start, end)
	if len(dims) == len(start) {
		return box, nil
	}
	origin := make([]int, len(dims))
	if err := box.checkBox(origin, dims); err != nil {
		return nil, err
	}
	return box.window(origin, dims), nil
}

func (i *Image) metadata() string {
	return fmt.Sprintf("image of format %v, %d by %d pixels", i.imageFormat, i.pixels.dims[0], i.pixels.dims[1])
}

func (i *Image) parts() []Reference {
	if i.owner != nil {
		return []Reference{i.owner.self}
	}
	return scopeOf(&i.object)
}

func (i *Image) write(w *exporter) {
	w.number(int(i.imageFormat))
	w.bool(i.owner != nil)
	if i.owner != nil {
		w.refer(i.owner.self)
		w.window(i.pixels)
	} else {
		w.scope(&i.object)
		w.extents(i.pixels.dims)
	}
	for _, v := range []uint32{i.valid.StartX, i.valid.StartY, i.valid.EndX, i.valid.EndY} {
		w.number(int(v))
	}
}

func (x *importer) readImage() error {
	f := ImageFormat(x.word())
	var made *Image
	var err error
	if x.bool() {
		made, err = x.readRegion(f)
	} else {
		made, err = x.readPixels(f)
	}
	if err != nil {
		return err
	}
	x.keep(made)
	r := Rectangle{x.word(), x.word(), x.word(), x.word()}
	if x.err != nil {
		return x.err
	}
	if r != (Rectangle{}) {
		if _, _, err := made.pixels.pixelBox(r); err != nil {
			return err
		}
	}
	made.valid = r
	return nil
}

func (x *importer) readPixels(f ImageFormat) (*Image, error) {
	scope, dims := x.scope(), x.extents()
	if x.err == nil && len(dims) != 2 {
		x.fail("an image has %d dimensions", len(dims))
	}
	if x.err != nil {
		return nil, x.err
	}
	return x.c.newImage(dims[0], dims[1], f, scope)
}

// readRegion reads an image that shows a part of another or of a tensor.
func (x *importer) readRegion(f ImageFormat) (*Image, error) {
	owner := x.part()
	var pixels *Tensor
	switch o := owner.(type) {
	case *Tensor:
		pixels = o
	case *Image:
		pixels = o.pixels
	default:
		x.fail("a region is not of an image or a tensor")
		return nil, x.err
	}
	shown, err := x.window(pixels)
	if err != nil {
		return nil, err
	}
	if len(shown.dims) != 2 || pixelTypes[f] != shown.dtype {
		x.fail("an image of format %v cannot show elements of %v", f, shown.dtype)
		return nil, x.err
	}
	if err := x.c.checkImage(shown.dims[0], shown.dims[1], f, false); err != nil {
		return nil, err
	}
	if shown.strides[1] > math.MaxInt32 {
		x.fail("lines of an image are %d bytes apart", shown.strides[1])
		return nil, x.err
	}
	made := x.c.registerImage(&Image{imageFormat: f, pixels: shown})
	made.own(owner.base())
	return made, nil
}

func (i *Image) valueBytes() int                       { return i.pixels.valueBytes() }
func (i *Image) hasValues() bool                       { return i.pixels.hasValues() }
func (i *Image) copyValues(data []byte, u Usage) error { return i.pixels.copyValues(data, u) }

func (s *Scalar) metadata() string {
	own, ok := s.ctx.structOf(s.dtype)
	if ok && own.name != "" {
		return fmt.Sprintf("scalar of the structure %q, %d bytes", own.name, own.size)
	}
	return fmt.Sprintf("scalar of %v, %d bytes", s.dtype, len(s.data))
}

func (s *Scalar) parts() []Reference { return scopeOf(&s.object) }

func (s *Scalar) write(w *exporter) {
	own, _ := s.ctx.structOf(s.dtype)
	w.scope(&s.object)
	w.number(int(s.dtype))
	w.number(len(s.data))
	w.text(own.name)
}

func (x *importer) readScalar() error {
	scope, kind, bytes, name := x.scope(), Type(x.number()), x.number(), x.text(MaxReferenceName)
	if x.err != nil {
		return x.err
	}
	if name != "" {
		kind, _ = x.c.structNamed(name)
	}
	if n := x.c.scalarSize(kind); n == 0 || n != bytes {
		return failed(ErrorInvalidType, "a scalar has %d bytes of the type %s %q, which has %d in this context; structures must have been registered "+
			"as they were before the export", bytes, kind, name, n)
	}
	x.keep(x.c.newScalar(scope, kind, make([]byte, bytes)))
	return nil
}

func (s *Scalar) valueBytes() int { return len(s.data) }
func (s *Scalar) hasValues() bool { return true }

func (s *Scalar) copyValues(data []byte, u Usage) error {
	s.version = s.ctx.number()
	return transfer(s.data, data, u, "scalar")
}

func (l *LUT) metadata() string   { return fmt.Sprintf("table of %d elements of %v", l.count, l.dtype) }
func (l *LUT) parts() []Reference { return scopeOf(&l.object) }

func (l *LUT) write(w *exporter) {
	w.scope(&l.object)
	w.number(int(l.dtype))
	w.number(l.count)
}

func (x *importer) readLUT() error {
	scope, kind, count := x.scope(), Type(x.number()), x.number()
	if x.err != nil {
		return x.err
	}
	l, err := x.c.newLUT(scope, kind, count)
	if err == nil {
		x.keep(l)
	}
	return err
}

func (l *LUT) valueBytes() int { return len(l.memory.data) }
func (l *LUT) hasValues() bool { return true }

func (l *LUT) copyValues(data []byte, u Usage) error {
	l.memory.version = l.ctx.number()
	return transfer(l.memory.data, data, u, "table")
}

func (a *ObjectArray) metadata() string {
	return fmt.Sprintf("array of %d: %s", len(a.items), a.items[0].(exportable).metadata())
}

func (a *ObjectArray) parts() []Reference { return a.items }
func (a *ObjectArray) write(w *exporter)  { w.references(a.items) }

func (x *importer) readObjectArray() error {
	a := &ObjectArray{items: x.references()}
	for _, item := range a.items {
		o := item.base()
		if o.array != nil || x.borrowed[item] || components(item) != nil || o.kind == TypeGraph || o.kind != a.items[0].base().kind ||
			o.scope != a.items[0].base().scope {
			x.fail("an array cannot have an item that is a %s", o.kind.noun())
			return x.err
		}
		o.array = a // also finds an item that occurs twice
	}
	if x.err != nil {
		return x.err
	}
	x.c.register(&a.object, a, TypeObjectArray)
	x.keep(a)
	a.scope = a.items[0].base().scope
	for _, item := range a.items {
		item.base().hold()
	}
	return nil
}

func (d *Delay) metadata() string {
	return fmt.Sprintf("delay of %d: %s", len(d.slots), d.slots[0].(exportable).metadata())
}

func (d *Delay) parts() []Reference { return d.slots }
func (d *Delay) write(w *exporter)  { w.references(d.slots) }

func (x *importer) readDelay() error {
	d := &Delay{slots: x.references()}
	if len(d.slots) > maxSlots {
		x.fail("a delay has %d slots", len(d.slots))
	}
	for _, r := range d.slots {
		slot, ok := r.(delayable)
		if !ok || x.borrowed[r] || x.delayed[r] || !clonable(slot) || slot.(exportable).metadata() != d.slots[0].(exportable).metadata() {
			x.fail("a delay cannot have such a %s among its slots", r.base().kind.noun())
			return x.err
		}
		each(r, func(r Reference) { x.delayed[r] = true })
	}
	if x.err != nil {
		return x.err
	}
	x.c.register(&d.object, d, TypeDelay)
	x.keep(d)
	for _, r := range d.slots {
		r.base().hold()
		markDelayed(r)
	}
	return nil
}

// clonable reports whether an object could be a clone of another: it is neither virtual nor does it show a part of one.
func clonable(r Reference) bool {
	ok := true
	each(r, func(r Reference) { ok = ok && whole(r) == r && r.base().scope == nil })
	return ok
}
