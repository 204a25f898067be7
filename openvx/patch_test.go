package openvx

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// oracle is a tensor without tricks: the elements of dense memory, and where a view of it begins.
type oracle struct {
	dims []int // of the root
	size int
	data []byte
}

// at returns the element at an index of the root.
func (o oracle) at(index []int) []byte {
	pos := 0
	for i := len(o.dims) - 1; i >= 0; i-- {
		pos = pos*o.dims[i] + index[i]
	}
	return o.data[pos*o.size : (pos+1)*o.size]
}

// boxes calls f with every index from start to end and its distance from start in the given strides. Missing dimensions are at index 0.
func boxes(start, end, strides []int, f func(index []int, offset int)) {
	index, offset := slices.Clone(start), 0
	for {
		f(index, offset)
		i := 0
		for ; i < len(index); i++ {
			index[i]++
			offset += strides[i]
			if index[i] < end[i] {
				break
			}
			offset -= (end[i] - start[i]) * strides[i]
			index[i] = start[i]
		}
		if i == len(index) {
			return
		}
	}
}

// randomStrides returns strides in bytes in any order of dimensions, with gaps, without elements that share memory.
func randomStrides(r *rand.Rand, dims []int, size int, fromElement bool) []int {
	strides, span, unit := make([]int, len(dims)), size, 1
	order := r.Perm(len(dims))
	if fromElement { // as memory of a tensor: dimension 0 first, the others in any order
		i := slices.Index(order, 0)
		order[0], order[i] = order[i], order[0]
		unit = size
	}
	if r.IntN(2) == 0 {
		unit = size
	}
	for k, i := range order {
		strides[i] = span
		if !fromElement || k > 0 {
			strides[i] = (span+unit-1)/unit*unit + unit*(r.IntN(2)*r.IntN(4))
		}
		span += (dims[i] - 1) * strides[i]
	}
	return strides
}

// subject is a random tensor with the oracle of its root.
type subject struct {
	*Tensor
	oracle
	begin  []int  // of a view
	memory []byte // of a handle
}

func randomSubject(t *testing.T, c *Context, r *rand.Rand) subject {
	e := elementTypes[r.IntN(len(elementTypes))]
	dims := make([]int, 1+r.IntN(4))
	for i := range dims {
		dims[i] = 1 + r.IntN(4)
	}
	s := subject{oracle: oracle{dims: dims, size: e.elementType().Size()}, begin: make([]int, len(dims))}
	n := s.size
	for _, d := range dims {
		n *= d
	}
	s.data = make([]byte, n)
	if r.IntN(2) == 0 {
		s.Tensor = must(c.CreateTensor(dims, e, 0))
	} else {
		strides := randomStrides(r, dims, s.size, true)
		need := must(PatchBytes(make([]int, len(dims)), dims, strides, s.size))
		s.memory = make([]byte, (need+7)/8*8+8)
		for i := range s.memory {
			s.memory[i] = 0xa5
		}
		s.Tensor = must(c.CreateTensorFromHandle(dims, e, 0, strides, s.memory))
		boxes(s.begin, dims, strides, func(index []int, offset int) { copy(s.at(index), s.memory[offset:]) })
	}
	for range r.IntN(3) {
		start, end := randomBox(r, s.Dims())
		v, err := s.CreateView(start, end)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Release(); err != nil { // the view keeps the memory
			t.Fatal(err)
		}
		s.Tensor = v
		for i := range start {
			s.begin[i] += start[i]
		}
	}
	return s
}

// randomBox returns a box within extents, with fewer dimensions at times.
func randomBox(r *rand.Rand, dims []int) (start, end []int) {
	n := len(dims)
	if r.IntN(3) == 0 {
		n = 1 + r.IntN(n)
	}
	for _, d := range dims[:n] {
		s := r.IntN(d)
		start, end = append(start, s), append(end, s+1+r.IntN(d-s))
	}
	return start, end
}

// each calls f with the element of the oracle for every one of a box, and its distance from start in the given strides.
func (s subject) each(start, end, strides []int, f func(element []byte, offset int)) {
	boxes(start, end, strides, func(index []int, offset int) {
		full := slices.Clone(s.begin)
		for i := range index {
			full[i] += index[i]
		}
		f(s.at(full), offset)
	})
}

// TestPatches copies and maps random boxes of random tensors, views and handles, in random strides, and compares with the oracle.
func TestPatches(t *testing.T) {
	c := dataContext(t, Options{})
	before := c.References()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := randomSubject(t, c, r)
		for range 4 {
			if err := s.accessOnce(r); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := s.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.References(); n != before {
		t.Errorf("%d references are left", n-before)
	}
}

func (s subject) accessOnce(r *rand.Rand) error {
	start, end := randomBox(r, s.Dims())
	version := s.version()
	written := true
	switch r.IntN(3) {
	case 0, 1:
		extents := make([]int, len(start))
		for i := range start {
			extents[i] = end[i] - start[i]
		}
		strides := randomStrides(r, extents, s.size, false)
		shift := r.IntN(4)
		data := make([]byte, shift+must(PatchBytes(start, end, strides, s.size)))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		want := bytes.Clone(data)
		usage := WriteOnly
		if written = r.IntN(2) == 0; !written {
			usage = ReadOnly
		}
		if err := s.CopyPatch(start, end, strides, data[shift:], usage); err != nil {
			return err
		}
		s.each(start, end, strides, func(element []byte, offset int) {
			if written {
				copy(element, data[shift+offset:])
			} else {
				copy(want[shift+offset:], element)
			}
		})
		if !bytes.Equal(data, want) {
			return fmt.Errorf("from %v to %v with strides %v: read %v; want %v", start, end, strides, data, want)
		}
	default:
		usage := []Usage{ReadOnly, WriteOnly, ReadAndWrite}[r.IntN(3)]
		written = usage != ReadOnly
		p, err := s.MapPatch(start, end, usage)
		if err != nil {
			return err
		}
		if n := must(PatchBytes(start, end, p.Strides, s.size)); n != len(p.Data) || cap(p.Data) != n {
			return fmt.Errorf("a patch has %d bytes, with room for %d; want %d", len(p.Data), cap(p.Data), n)
		}
		s.each(start, end, p.Strides, func(element []byte, offset int) {
			at := p.Data[offset : offset+s.size]
			if !bytes.Equal(at, element) && err == nil {
				err = fmt.Errorf("from %v to %v: mapped %v at %d; want %v", start, end, at, offset, element)
			}
			if written {
				at[0]++
				copy(element, at)
			}
		})
		if err == nil {
			err = s.UnmapPatch(p.ID)
		}
		if err != nil {
			return err
		}
	}
	if now := s.version(); (now != version) != written && version != 0 {
		return fmt.Errorf("version %d after %d, written is %v", now, version, written)
	}
	return s.compare()
}

// compare holds all memory against the oracle.
func (s subject) compare() error {
	root := s.root
	strides, memory := root.strides, s.memory
	if memory == nil {
		memory = root.memory.data
	}
	rest := bytes.Clone(memory)
	var err error
	boxes(make([]int, len(s.oracle.dims)), s.oracle.dims, strides, func(index []int, offset int) {
		if got := memory[offset : offset+s.size]; !bytes.Equal(got, s.at(index)) {
			err = fmt.Errorf("element %v is %v; want %v", index, got, s.at(index))
		}
		copy(rest[offset:offset+s.size], "\xa5\xa5\xa5\xa5\xa5\xa5\xa5\xa5")
	})
	if i := slices.IndexFunc(rest, func(b byte) bool { return b != 0xa5 }); i >= 0 && err == nil {
		err = fmt.Errorf("byte %d, which is no element's, has changed", i)
	}
	return err
}

func TestPatchesRefused(t *testing.T) {
	c := dataContext(t, Options{})
	x := must(c.CreateTensor([]int{4, 3}, TypeInt16, 8))
	dense, data := []int{2, 8}, make([]byte, 24)
	for _, test := range []struct {
		name                string
		start, end, strides []int
		data                []byte
		usage               Usage
		copied, mapped      Status
	}{
		{"all", []int{0, 0}, []int{4, 3}, dense, data, ReadOnly, Success, Success},
		{"no box", nil, nil, dense, data, ReadOnly, ErrorInvalidParameters, Success},
		{"no start", nil, []int{4, 3}, dense, data, ReadOnly, ErrorInvalidParameters, Success},
		{"no end", []int{1, 1}, nil, dense, data, ReadOnly, ErrorInvalidParameters, Success},
		{"start at the end", []int{4, 0}, nil, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"no dimensions", []int{}, []int{}, []int{}, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"too many", []int{0, 0, 0}, []int{1, 1, 1}, []int{2, 2, 2}, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"too many, no end", []int{0, 0, 0}, nil, []int{2, 2, 2}, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"another number of ends", []int{0, 0}, []int{1}, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"a negative start", []int{0, -1}, []int{4, 3}, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"an empty box", []int{0, 1}, []int{4, 1}, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"start after end", []int{0, 2}, []int{4, 1}, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"beyond the end", []int{0, 0}, []int{4, 4}, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"far beyond", []int{math.MinInt, 0}, []int{math.MaxInt, 3}, dense, data, ReadOnly, ErrorInvalidParameters, ErrorInvalidParameters},
		{"no usage", []int{0, 0}, []int{4, 3}, dense, data, 0, ErrorInvalidParameters, ErrorInvalidParameters},
		{"read and write", []int{0, 0}, []int{4, 3}, dense, data, ReadAndWrite, ErrorInvalidParameters, Success},
		{"too few bytes", []int{0, 0}, []int{4, 3}, dense, data[:23], WriteOnly, ErrorInvalidParameters, Success},
		{"no bytes", []int{0, 0}, []int{4, 3}, dense, nil, WriteOnly, ErrorInvalidParameters, Success},
		{"few strides", []int{0, 0}, []int{4, 3}, []int{2}, data, ReadOnly, ErrorInvalidParameters, Success},
		{"a negative stride", []int{0, 0}, []int{4, 3}, []int{2, -8}, data, ReadOnly, ErrorInvalidParameters, Success},
		{"a huge stride", []int{0, 0}, []int{4, 3}, []int{2, math.MaxInt}, data, ReadOnly, ErrorInvalidParameters, Success},
		{"repeated elements", []int{0, 0}, []int{4, 3}, []int{0, 0}, data[:2], WriteOnly, ErrorInvalidParameters, Success},
		{"overlapping elements", []int{0, 0}, []int{4, 3}, []int{2, 7}, data, ReadOnly, ErrorInvalidParameters, Success},
		{"a stride of nothing", []int{0, 0}, []int{4, 1}, []int{2, 0}, data, ReadOnly, Success, Success},
	} {
		wantStatus(t, "copy: "+test.name, x.CopyPatch(test.start, test.end, test.strides, test.data, test.usage), test.copied)
		p, err := x.MapPatch(test.start, test.end, test.usage)
		wantStatus(t, "map: "+test.name, err, test.mapped)
		if (p != nil) != (err == nil) {
			t.Errorf("%s: patch %v with %v", test.name, p, err)
		}
		if p != nil {
			wantStatus(t, "unmap: "+test.name, x.UnmapPatch(p.ID), Success)
			wantStatus(t, "unmap again: "+test.name, x.UnmapPatch(p.ID), ErrorInvalidParameters)
		}
	}
}

// TestMaps holds several patches at a time.
func TestMaps(t *testing.T) {
	c := dataContext(t, Options{})
	before := c.References()
	x, y := must(c.CreateTensor([]int{4, 3}, TypeUint8, 0)), must(c.CreateTensor([]int{4, 3}, TypeUint8, 0))
	a, b := must(x.MapPatch(nil, nil, ReadAndWrite)), must(x.MapPatch([]int{1, 1}, nil, ReadOnly))
	if a.ID == b.ID || len(a.Data) != 12 || len(b.Data) != 7 {
		t.Errorf("%+v, %+v", a, b)
	}
	a.Data[5] = 9
	if b.Data[0] != 9 {
		t.Error("patches of one tensor share memory")
	}
	wantStatus(t, "another tensor's patch", y.UnmapPatch(a.ID), ErrorInvalidParameters)
	v := must(x.CreateView([]int{1, 1}, []int{2, 2}))
	wantStatus(t, "the root's patch", v.UnmapPatch(a.ID), ErrorInvalidParameters)
	wantStatus(t, "release of a mapped tensor", x.Release(), Success)
	wantStatus(t, "release of the view", v.Release(), Success)
	wantStatus(t, "unmap", x.UnmapPatch(b.ID), Success)
	if c.References() != before+2 {
		t.Errorf("%d references; a mapped tensor is alive", c.References()-before)
	}
	wantStatus(t, "the last unmap", x.UnmapPatch(a.ID), Success)
	wantStatus(t, "unmap of a dead tensor", x.UnmapPatch(a.ID), ErrorInvalidReference)
	_, err := x.MapPatch(nil, nil, ReadOnly)
	wantStatus(t, "map of a dead tensor", err, ErrorInvalidReference)
	if c.References() != before+1 || x.Dims() != nil {
		t.Error("the tensor is still alive")
	}
}

// TestVirtualPatches accesses a virtual tensor as an application may: from its kernels only.
func TestVirtualPatches(t *testing.T) {
	c := dataContext(t, Options{})
	g := must(c.CreateGraph())
	x := must(g.CreateVirtualTensor([]int{2, 2}, TypeUint8, 0))
	v := must(x.CreateView([]int{1}, []int{2}))
	if !v.Virtual() {
		t.Error("a view of a virtual tensor is virtual")
	}
	g.calling = 1
	wantStatus(t, "copy of what has never been in memory", x.CopyPatch([]int{0}, []int{1}, []int{1}, []byte{5}, ReadOnly), ErrorOptimizedAway)
	v.allocated() // as a run of the graph does
	for _, status := range []Status{ErrorOptimizedAway, Success, ErrorOptimizedAway} {
		g.calling = 0
		if status == Success {
			g.calling = 1
		}
		for _, y := range []*Tensor{x, v} {
			wantStatus(t, "copy", y.CopyPatch([]int{0}, []int{1}, []int{1}, []byte{5}, WriteOnly), status)
			p, err := y.MapPatch(nil, nil, ReadOnly)
			wantStatus(t, "map", err, status)
			if p != nil {
				wantStatus(t, "unmap", y.UnmapPatch(p.ID), Success)
			}
			wantStatus(t, "write", y.Write(make([]uint8, y.Dims()[0]*y.Dims()[len(y.Dims())-1])), status)
			_, err = y.SwapHandle(nil)
			wantStatus(t, "swap", err, ErrorOptimizedAway)
		}
	}
}

// FuzzPatch makes calls with arbitrary numbers. They must not do more than fail.
func FuzzPatch(f *testing.F) {
	f.Add(int8(3), 4, 3, 0, 0, 4, 3, 2, 8, 24, int32(ReadOnly))
	f.Add(int8(1), math.MaxInt/2, math.MaxInt/2, -1, math.MaxInt, 0, 3, -2, math.MaxInt/2, 0, int32(ReadAndWrite))
	f.Fuzz(func(t *testing.T, kind int8, d0, d1, s0, s1, e0, e1, st0, st1, n int, usage int32) {
		c := dataContext(t, Options{MaxTensorBytes: 1 << 16})
		data := make([]byte, n&0xffff)
		tensors := make([]*Tensor, 0, 4)
		x, err := c.CreateTensor([]int{d0, d1}, Type(kind), 0)
		if err == nil {
			tensors = append(tensors, x)
			if v, err := x.CreateView([]int{s0, s1}, []int{e0, e1}); err == nil {
				tensors = append(tensors, v)
			}
		}
		if h, err := c.CreateTensorFromHandle([]int{d0, d1}, Type(kind), 0, []int{st0, st1}, data); err == nil {
			tensors = append(tensors, h)
			if _, err := h.SwapHandle(make([]byte, n&0xfff)); err != nil {
				t.Log(err)
			}
		}
		for _, x := range tensors {
			if err := x.CopyPatch([]int{s0, s1}, []int{e0, e1}, []int{st0, st1}, data, Usage(usage)); err != nil && StatusOf(err) != ErrorInvalidParameters {
				t.Error(err)
			}
			p, err := x.MapPatch([]int{s0, s1}, []int{e0, e1}, Usage(usage))
			if err != nil {
				continue
			}
			if n, err := PatchBytes([]int{s0, s1}, []int{e0, e1}, p.Strides, x.size()); err != nil || n != len(p.Data) {
				t.Errorf("%d bytes for %d (%v)", len(p.Data), n, err)
			}
			if err := x.UnmapPatch(p.ID); err != nil {
				t.Error(err)
			}
		}
		if _, err := PatchBytes([]int{s0, s1}, []int{e0, e1}, []int{st0, st1}, n); err != nil && StatusOf(err) != ErrorInvalidParameters {
			t.Error(err)
		}
	})
}

func BenchmarkCopyPatch(b *testing.B) {
	c := dataContext(b, Options{})
	x := must(c.CreateTensor([]int{224, 224, 3}, TypeUint8, 0))
	for _, layout := range []struct {
		name    string
		strides []int
	}{{"dense", []int{1, 224, 224 * 224}}, {"padded lines", []int{1, 256, 256 * 224}}, {"interleaved", []int{3, 3 * 224, 1}}} {
		b.Run(layout.name, func(b *testing.B) {
			start, end := []int{0, 0, 0}, x.Dims()
			data := make([]byte, must(PatchBytes(start, end, layout.strides, 1)))
			b.SetBytes(224 * 224 * 3)
			b.ReportAllocs()
			for b.Loop() {
				if err := x.CopyPatch(start, end, layout.strides, data, WriteOnly); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
