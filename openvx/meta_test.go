package openvx_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// describe gives f the description of the output of a user kernel while its graph is verified. The output is declared as kind.
func describe(t *testing.T, kind openvx.Type, f func(c *openvx.Context, m *openvx.MetaFormat) error) error {
	t.Helper()
	c := context(t)
	out := must(c.CreateScalar(openvx.TypeInt32, 0))
	defer out.Release()
	var kept *openvx.MetaFormat
	k := must(c.AddKernel("org.example.described", must(c.AllocateKernelID()), 1, openvx.UserKernel{
		Run: nothing.Run,
		Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			kept = metas[0]
			return f(c, metas[0])
		},
	}))
	status(t, k.AddParameter(0, openvx.Output, kind, openvx.ParameterStateOptional), openvx.Success)
	status(t, k.Finalize(), openvx.Success)
	g := must(c.CreateGraph())
	n := must(g.CreateGenericNode(k))
	if kind == openvx.TypeReference || kind == openvx.TypeScalar {
		status(t, n.SetParameter(0, out), openvx.Success)
	}
	err := g.Verify()
	status(t, kept.SetTensor([]int{1}, openvx.TypeUint8, 0), openvx.ErrorInvalidReference) // it is gone
	for _, r := range []openvx.Reference{n, g} {
		status(t, r.Release(), openvx.Success)
	}
	status(t, k.Remove(), openvx.Success)
	return err
}

func TestMetaFormatOfTensor(t *testing.T) {
	x := []int{3, 2}
	_ = describe(t, openvx.TypeTensor, func(c *openvx.Context, m *openvx.MetaFormat) error {
		if m.Of() != openvx.TypeTensor || m.Type() != openvx.TypeMetaFormat {
			t.Error(m.Of(), m.Type())
		}
		for _, test := range []struct {
			err  error
			want openvx.Status
		}{
			{m.SetTensor(make([]int, openvx.MaxTensorDims+1), openvx.TypeUint8, 0), openvx.ErrorInvalidDimension},
			{m.SetTensor([]int{2, -1}, openvx.TypeUint8, 0), openvx.ErrorInvalidDimension},
			{m.SetTensor(x, openvx.TypeRectangle, 0), openvx.ErrorInvalidType},
			{m.SetTensor(x, openvx.TypeUint8, 8), openvx.ErrorInvalidType},
			{m.SetScalarType(openvx.TypeInt32), openvx.ErrorInvalidType},
			{m.SetLUT(openvx.TypeUint8, 3), openvx.ErrorInvalidType},
			{m.SetImage(openvx.DFImageU8, 3, 3), openvx.ErrorInvalidType},
			{m.FromReference(nil), openvx.ErrorInvalidReference},
			{m.FromReference((*openvx.Tensor)(nil)), openvx.ErrorInvalidReference},
			{m.FromReference(c), openvx.ErrorInvalidType},
			{m.SetTensor(nil, openvx.TypeInvalid, 0), openvx.Success},
			{m.SetTensor([]int{0, 2}, openvx.TypeInvalid, 8), openvx.Success},
			{m.SetTensor(x, openvx.TypeInt16, 8), openvx.Success},
		} {
			status(t, test.err, test.want)
		}
		if dims, kind, fixed := m.Tensor(); fmt.Sprint(dims) != "[3 2]" || kind != openvx.TypeInt16 || fixed != 8 {
			t.Error(dims, kind, fixed)
		}
		in := must(c.CreateTensor([]int{4}, openvx.TypeUint8, 0))
		defer in.Release()
		status(t, m.FromReference(in), openvx.Success)
		if dims, kind, fixed := m.Tensor(); fmt.Sprint(dims) != "[4]" || kind != openvx.TypeUint8 || fixed != 0 {
			t.Error(dims, kind, fixed)
		}
		return nil
	})
}

func TestMetaFormatOfAnything(t *testing.T) {
	for _, test := range []struct {
		set  func(m *openvx.MetaFormat) error
		of   openvx.Type
		get  func(m *openvx.MetaFormat) string
		want string
	}{
		{func(m *openvx.MetaFormat) error { return m.SetScalarType(openvx.TypeInt32) }, openvx.TypeScalar,
			func(m *openvx.MetaFormat) string { return m.ScalarType().String() }, "VX_TYPE_INT32"},
		{func(m *openvx.MetaFormat) error {
			return first(m.SetLUT(openvx.TypeInvalid, 9), m.SetLUT(openvx.TypeUint8, 9))
		}, openvx.TypeLUT,
			func(m *openvx.MetaFormat) string { return fmt.Sprint(m.LUT()) }, "VX_TYPE_UINT8 9"},
		{func(m *openvx.MetaFormat) error {
			return first(m.SetImage(0, 0, 3), m.SetImage(openvx.DFImageU8, 4, 3))
		}, openvx.TypeImage, func(m *openvx.MetaFormat) string { return fmt.Sprint(m.Image()) }, "VX_DF_IMAGE_U8 4 3"},
	} {
		_ = describe(t, openvx.TypeReference, func(_ *openvx.Context, m *openvx.MetaFormat) error {
			if m.Of() != openvx.TypeReference {
				t.Error(m.Of())
			}
			status(t, m.SetLUT(openvx.TypeFloat32, 1), openvx.ErrorInvalidType)
			status(t, m.SetLUT(openvx.TypeUint8, -1), openvx.ErrorInvalidParameters)
			status(t, m.SetImage(openvx.DFImageU8, 1, -1), openvx.ErrorInvalidDimension)
			status(t, m.SetScalarType(openvx.TypeTensor), openvx.ErrorInvalidType)
			status(t, test.set(m), openvx.Success)
			if m.Of() != test.of || test.get(m) != test.want {
				t.Errorf("%v: %s, want %s", m.Of(), test.get(m), test.want)
			}
			status(t, m.SetTensor([]int{1}, openvx.TypeUint8, 0), openvx.ErrorInvalidType)
			return nil
		})
	}
}

func TestMetaFormatFromReference(t *testing.T) {
	c := context(t)
	foreign := must(c.CreateLUT(openvx.TypeInt16, 9))
	defer foreign.Release()
	_ = describe(t, openvx.TypeReference, func(_ *openvx.Context, m *openvx.MetaFormat) error {
		if status(t, m.FromReference(foreign), openvx.ErrorInvalidReference); m.Of() != openvx.TypeReference {
			t.Errorf("a refused exemplar makes it a description of a %v", m.Of())
		}
		return nil
	})
	for _, create := range []func(c *openvx.Context) openvx.Reference{
		func(c *openvx.Context) openvx.Reference {
			return must(c.CreateTensor([]int{4, 2}, openvx.TypeInt16, 8))
		},
		func(c *openvx.Context) openvx.Reference { return must(c.CreateScalar(openvx.TypeSize, 1)) },
		func(c *openvx.Context) openvx.Reference { return must(c.CreateLUT(openvx.TypeInt16, 9)) },
		func(c *openvx.Context) openvx.Reference { return must(c.CreateImage(4, 3, openvx.DFImageU8)) },
	} {
		_ = describe(t, openvx.TypeReference, func(c *openvx.Context, m *openvx.MetaFormat) error {
			r := create(c)
			defer r.Release()
			status(t, m.FromReference(r), openvx.Success)
			if m.Of() != r.Type() {
				t.Errorf("%v describes a %v", r.Type(), m.Of())
			}
			got := fmt.Sprint(m.Tensor()) + fmt.Sprint(m.ScalarType()) + fmt.Sprint(m.LUT()) + fmt.Sprint(m.Image())
			want := map[openvx.Type]string{
				openvx.TypeTensor: "[4 2] VX_TYPE_INT16 8VX_TYPE_INVALIDVX_TYPE_INVALID 0ImageFormat(0x0) 0 0",
				openvx.TypeScalar: "[] VX_TYPE_INVALID 0VX_TYPE_SIZEVX_TYPE_INVALID 0ImageFormat(0x0) 0 0",
				openvx.TypeLUT:    "[] VX_TYPE_INVALID 0VX_TYPE_INVALIDVX_TYPE_INT16 9ImageFormat(0x0) 0 0",
				openvx.TypeImage:  "[] VX_TYPE_INVALID 0VX_TYPE_INVALIDVX_TYPE_INVALID 0VX_DF_IMAGE_U8 4 3",
			}[r.Type()]
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			return nil
		})
	}
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestMetaFormatOfAnotherImage has a kernel that yields an image like its input but of another format: the last that is said counts.
func TestMetaFormatOfAnotherImage(t *testing.T) {
	c := context(t)
	k := must(c.AddKernel("org.example.widened", must(c.AllocateKernelID()), 2, openvx.UserKernel{
		Run: nothing.Run,
		Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			return first(metas[1].FromReference(params[0]), metas[1].SetImage(openvx.DFImageS16, 4, 3))
		},
	}))
	status(t, k.AddParameter(0, openvx.Input, openvx.TypeImage, openvx.ParameterStateRequired), openvx.Success)
	status(t, k.AddParameter(1, openvx.Output, openvx.TypeImage, openvx.ParameterStateRequired), openvx.Success)
	status(t, k.Finalize(), openvx.Success)
	in := must(c.CreateImage(4, 3, openvx.DFImageU8))
	g := must(c.CreateGraph())
	for _, test := range []struct {
		out  *openvx.Image
		want openvx.Status
	}{
		{must(c.CreateImage(4, 3, openvx.DFImageS16)), openvx.Success},
		{must(g.CreateVirtualImage(0, 0, openvx.DFImageVirt)), openvx.Success},
		{must(c.CreateImage(4, 3, openvx.DFImageU8)), openvx.ErrorInvalidFormat},
		{must(c.CreateImage(3, 4, openvx.DFImageS16)), openvx.ErrorInvalidDimension},
	} {
		n := must(g.CreateGenericNode(k))
		status(t, first(n.SetParameter(0, in), n.SetParameter(1, test.out)), openvx.Success)
		status(t, g.Verify(), test.want)
		if test.want == openvx.Success && test.out.Format() != openvx.DFImageS16 {
			t.Errorf("the result has the format %v", test.out.Format())
		}
		status(t, first(n.Remove(), test.out.Release()), openvx.Success)
	}
	status(t, first(g.Release(), in.Release(), k.Remove()), openvx.Success)
}
