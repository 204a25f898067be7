package openvx_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

func TestDelayAges(t *testing.T) {
	c := context(t)
	exemplar := must(c.CreateScalar(openvx.TypeInt32, 99))
	d := must(c.CreateDelay(exemplar, 3))
	if d.Kind() != openvx.TypeScalar || d.Slots() != 3 || exemplar.Count() != 1 {
		t.Error(d.Kind(), d.Slots(), exemplar.Count())
	}
	status(t, exemplar.Release(), openvx.Success)
	var slots []*openvx.Scalar
	for i := range 3 {
		s := must(d.Reference(-i)).(*openvx.Scalar)
		if s.Value() != int32(0) || s.Count() != 0 {
			t.Errorf("slot %d has the value %v and %d references", -i, s.Value(), s.Count())
		}
		status(t, s.Set(10*(i+1)), openvx.Success)
		slots = append(slots, s)
	}
	for _, want := range [][3]int32{{30, 10, 20}, {20, 30, 10}, {10, 20, 30}} {
		status(t, d.Age(), openvx.Success)
		for i, s := range slots {
			if s.Value() != want[i] || must(d.Reference(-i)) != openvx.Reference(s) {
				t.Errorf("slot %d has %v, want %v", -i, s.Value(), want[i])
			}
		}
	}
	for _, i := range []int{1, -3, math.MaxInt, math.MinInt} {
		_, err := d.Reference(i)
		status(t, err, openvx.ErrorInvalidParameters)
	}
	status(t, slots[0].Release(), openvx.ErrorInvalidReference) // the delay's, not the application's
	status(t, slots[1].Retain(), openvx.Success)
	status(t, d.Release(), openvx.Success)
	if slots[1].Value() == nil || slots[0].Value() != nil {
		t.Error("only what was retained should outlive the delay")
	}
	status(t, slots[1].Release(), openvx.Success)
	status(t, d.Age(), openvx.ErrorInvalidReference)
}

func TestDelayRefuses(t *testing.T) {
	c, other := context(t), context(t)
	s, foreign := must(c.CreateScalar(openvx.TypeInt32, 1)), must(other.CreateScalar(openvx.TypeInt32, 1))
	defer s.Release()
	defer foreign.Release()
	inner := must(c.CreateDelay(s, 1))
	defer inner.Release()
	g := must(c.CreateGraph())
	defer g.Release()
	open := must(g.CreateVirtualTensor(nil, openvx.TypeUint8, 0))
	defer open.Release()
	for _, test := range []struct {
		exemplar openvx.Reference
		slots    int
		want     openvx.Status
	}{
		{s, 0, openvx.ErrorInvalidParameters}, {s, -1, openvx.ErrorInvalidParameters}, {s, math.MaxInt, openvx.ErrorInvalidParameters},
		{nil, 1, openvx.ErrorInvalidReference}, {foreign, 1, openvx.ErrorInvalidReference}, {(*openvx.Tensor)(nil), 1, openvx.ErrorInvalidReference},
		{c, 1, openvx.ErrorInvalidType}, {inner, 1, openvx.ErrorInvalidType}, {open, 2, openvx.ErrorInvalidDimension},
	} {
		before := c.References()
		_, err := c.CreateDelay(test.exemplar, test.slots)
		if status(t, err, test.want); c.References() != before {
			t.Error("a delay that was refused left something")
		}
	}
}

// TestDelayKinds ages a delay of each kind of object, of which the first slot is written by the function.
func TestDelayKinds(t *testing.T) {
	c := context(t)
	x := must(c.CreateTensor([]int{2, 1, 1}, openvx.TypeUint8, 0))
	for _, test := range []struct {
		exemplar openvx.Reference
		write    func(openvx.Reference) error
		read     func(openvx.Reference) int
	}{
		{x, func(r openvx.Reference) error { return r.(*openvx.Tensor).Write([]uint8{5, 6}) }, func(r openvx.Reference) int {
			data := make([]uint8, 2)
			status(t, r.(*openvx.Tensor).Read(data), openvx.Success)
			return int(data[0])
		}},
		{must(c.CreateLUT(openvx.TypeUint8, 2)), func(r openvx.Reference) error {
			return r.(*openvx.LUT).Copy([]byte{5, 6}, openvx.WriteOnly)
		}, func(r openvx.Reference) int {
			data := make([]byte, 2)
			status(t, r.(*openvx.LUT).Copy(data, openvx.ReadOnly), openvx.Success)
			return int(data[0])
		}},
		{must(c.CreateImage(2, 1, openvx.DFImageU8)), writeImage, func(r openvx.Reference) int { return readImage(t, r) }},
		{must(x.CreateImageObjectArray(openvx.Rectangle{EndX: 2, EndY: 1}, 1, 2, openvx.DFImageU8)), func(r openvx.Reference) error {
			item := must(r.(*openvx.ObjectArray).Item(0))
			defer item.Release()
			return writeImage(item)
		}, func(r openvx.Reference) int {
			item := must(r.(*openvx.ObjectArray).Item(0))
			defer item.Release()
			return readImage(t, item)
		}},
	} {
		d := must(c.CreateDelay(test.exemplar, 2))
		if d.Kind() != test.exemplar.Type() {
			t.Error(d.Kind())
		}
		now, then := must(d.Reference(0)), must(d.Reference(-1))
		status(t, test.write(now), openvx.Success)
		for age, want := range [][2]int{{5, 0}, {0, 5}, {5, 0}} {
			if got := [2]int{test.read(now), test.read(then)}; got != want {
				t.Errorf("%v of age %d: %v, want %v", d.Kind(), age, got, want)
			}
			status(t, d.Age(), openvx.Success)
		}
		status(t, d.Release(), openvx.Success)
		status(t, test.exemplar.Release(), openvx.Success)
	}
}

var line = openvx.Rectangle{EndX: 2, EndY: 1}

func writeImage(r openvx.Reference) error {
	p, err := r.(*openvx.Image).MapPatch(line, 0, openvx.WriteOnly)
	if err != nil {
		return err
	}
	p.Data[0] = 5
	return r.(*openvx.Image).UnmapPatch(p.ID)
}

func readImage(t *testing.T, r openvx.Reference) int {
	p := must(r.(*openvx.Image).MapPatch(line, 0, openvx.ReadOnly))
	defer func() { status(t, r.(*openvx.Image).UnmapPatch(p.ID), openvx.Success) }()
	return int(p.Data[0])
}

func TestDelayOfWhatIsMapped(t *testing.T) {
	c := context(t)
	l := must(c.CreateLUT(openvx.TypeUint8, 2))
	d := must(c.CreateDelay(l, 2))
	slot := must(d.Reference(-1)).(*openvx.LUT)
	id, _, err := slot.Map(openvx.ReadOnly)
	status(t, err, openvx.Success)
	status(t, d.Age(), openvx.Failure)
	status(t, slot.Unmap(id), openvx.Success)
	status(t, d.Age(), openvx.Success)
	status(t, d.Release(), openvx.Success)
	status(t, l.Release(), openvx.Success)
}
