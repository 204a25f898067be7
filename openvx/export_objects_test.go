package openvx_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/openvx"
)

const (
	supply = openvx.UseApplicationCreate
	values = openvx.UseExportValues
	zeros  = openvx.UseNoExportValues
)

// all returns a use for each reference.
func all(u openvx.Use, refs []openvx.Reference) []openvx.Use {
	return slices.Repeat([]openvx.Use{u}, len(refs))
}

// moved exports objects and imports them into a context, in which they are released at the end.
func moved(t *testing.T, to *openvx.Context, uses []openvx.Use, refs ...openvx.Reference) []openvx.Reference {
	t.Helper()
	blob := must(refs[0].Context().ExportObjects(refs, uses))
	list := make([]openvx.Reference, len(refs))
	i := must(to.ImportObjects(blob, list, uses))
	status(t, i.Release(), openvx.Success)
	t.Cleanup(func() {
		for _, r := range list {
			status(t, r.Release(), openvx.Success)
		}
	})
	return list
}

// elements reads three bytes of a tensor.
func elements(t *testing.T, r openvx.Reference) string {
	t.Helper()
	data := make([]uint8, 3)
	status(t, r.(*openvx.Tensor).Read(data), openvx.Success)
	return fmt.Sprintf("%d", data)
}

// everything makes an object of each kind, with values.
func everything(y *yard) []openvx.Reference {
	x := y.tensor(3)
	x.Write([]uint8{1, 2, 3})
	v := y.view(x, 1, 3)
	s := must(y.c.CreateScalar(openvx.TypeFloat32, 1.5))
	l := must(y.c.CreateLUT(openvx.TypeInt16, 2))
	l.Copy([]byte{1, 2, 3, 4}, openvx.WriteOnly)
	i := must(y.c.CreateImage(2, 1, openvx.DFImageU8))
	roi := must(i.CreateFromROI(openvx.Rectangle{StartX: 1, EndX: 2, EndY: 1}))
	must0(roi.CopyPatch(openvx.Rectangle{EndX: 1, EndY: 1}, 0, openvx.ImageAddressing{DimX: 1, DimY: 1, StrideX: 1, StrideY: 1}, []byte{9}, openvx.WriteOnly))
	d := must(y.c.CreateDelay(x, 2))
	must0(must(d.Reference(-1)).(*openvx.Tensor).Write([]uint8{4, 5, 6}))
	planes := y.tensor(2, 1, 2)
	planes.Write([]uint8{1, 2, 3, 4})
	a := must(planes.CreateImageObjectArray(openvx.Rectangle{EndX: 2, EndY: 1}, 2, 2, openvx.DFImageU8))
	refs := []openvx.Reference{x, v, s, l, i, roi, d, a, must(y.c.CreateGraph())}
	y.made = append(y.made, refs[2:]...)
	g := refs[8].(*openvx.Graph)
	y.keep(must(g.ActivationLayer(x, openvx.ActivationRelu, 0, 0, y.tensor(3))))
	for i, r := range refs {
		must0(r.SetName(fmt.Sprint("object ", i)))
	}
	return refs
}

func must0(err error) {
	if err != nil {
		panic(err)
	}
}

// contents tells what the application can read of an object.
func contents(r openvx.Reference) string {
	switch r := r.(type) {
	case *openvx.Tensor:
		data := make([]uint8, r.Dims()[0])
		must0(r.Read(data))
		return fmt.Sprintf("%v %v %d", r.Dims(), r.DataType(), data)
	case *openvx.Scalar:
		return fmt.Sprint(r.Kind(), r.Value())
	case *openvx.LUT:
		data := make([]byte, r.Size())
		must0(r.Copy(data, openvx.ReadOnly))
		return fmt.Sprintf("%v %d", r.Kind(), data)
	case *openvx.Image:
		data := make([]byte, r.Width())
		must0(r.CopyPatch(openvx.Rectangle{EndX: uint32(r.Width()), EndY: 1}, 0,
			openvx.ImageAddressing{DimX: uint32(r.Width()), DimY: 1, StrideX: 1, StrideY: int32(r.Width())}, data, openvx.ReadOnly))
		return fmt.Sprintf("%v %v %d", r.Format(), must(r.ValidRectangle()), data)
	case *openvx.Delay:
		return fmt.Sprintf("%d %s %s", r.Slots(), contents(must(r.Reference(0))), contents(must(r.Reference(-1))))
	case *openvx.ObjectArray:
		item := must(r.Item(1))
		defer item.Release()
		return fmt.Sprintf("%d %s", r.NumItems(), contents(item))
	case *openvx.Graph:
		return fmt.Sprint(r.Nodes(), r.NumParameters(), r.State())
	}
	return r.Type().String()
}

// TestExportedObjects moves an object of each kind to another context, and to its own.
func TestExportedObjects(t *testing.T) {
	y := newYard(t)
	refs := everything(y)
	for _, to := range []*openvx.Context{y.c, context(t)} {
		for use, want := range map[openvx.Use][]string{
			values: {
				"[3] VX_TYPE_UINT8 [1 2 3]", "[2] VX_TYPE_UINT8 [2 3]", "VX_TYPE_FLOAT32 1.5", "VX_TYPE_INT16 [1 2 3 4]",
				"VX_DF_IMAGE_U8 {0 0 2 1} [0 9]", "VX_DF_IMAGE_U8 {0 0 1 1} [9]", "2 [3] VX_TYPE_UINT8 [0 0 0] [3] VX_TYPE_UINT8 [4 5 6]",
				"2 VX_DF_IMAGE_U8 {0 0 2 1} [3 4]", "1 0 VX_GRAPH_STATE_VERIFIED",
			},
			zeros: {
				"[3] VX_TYPE_UINT8 [0 0 0]", "[2] VX_TYPE_UINT8 [0 0]", "VX_TYPE_FLOAT32 0", "VX_TYPE_INT16 [0 0 0 0]",
				"VX_DF_IMAGE_U8 {0 0 2 1} [0 0]", "VX_DF_IMAGE_U8 {0 0 1 1} [0]", "2 [3] VX_TYPE_UINT8 [0 0 0] [3] VX_TYPE_UINT8 [0 0 0]",
				"2 VX_DF_IMAGE_U8 {0 0 2 1} [0 0]", "1 0 VX_GRAPH_STATE_VERIFIED",
			},
		} {
			list := moved(t, to, all(use, refs), refs...)
			for i, r := range list {
				if got := contents(r); got != want[i] || r.Name() != refs[i].Name() || r.Count() != 1 || r.Context() != to {
					t.Errorf("%s: got %s with count %d, want %s", r.Name(), got, r.Count(), want[i])
				}
				if refs[i].Count() != 1 {
					t.Errorf("the export has changed the count of %s to %d", r.Name(), refs[i].Count())
				}
			}
			must0(list[1].(*openvx.Tensor).Write([]uint8{7, 8}))
			if got := elements(t, list[0]); !strings.HasSuffix(got, " 7 8]") {
				t.Errorf("a view does not show its tensor, %s", got)
			}
		}
	}
}

// TestSuppliedObjects lets the application create what others are made of.
func TestSuppliedObjects(t *testing.T) {
	y, z := newYard(t), newYard(t)
	refs, theirs := everything(y), everything(z)
	uses := all(supply, refs)
	blob := must(y.c.ExportObjects(refs, uses))
	list := append(slices.Clone(theirs[:8]), nil)
	before := z.c.References()
	i := must(z.c.ImportObjects(blob, list, uses))
	if !slices.Equal(list[:8], theirs[:8]) || list[0].Count() != 1 {
		t.Error("what was supplied is not what is used")
	}
	if i.Type() != openvx.TypeImport {
		t.Error(i.Type())
	}
	must0(theirs[3].SetName("another"))
	r := must(i.Reference("another"))
	if r != theirs[3] || r.Count() != 2 {
		t.Error(r, r.Count())
	}
	status(t, r.Release(), openvx.Success)
	for _, name := range []string{"", "nobody"} {
		_, err := i.Reference(name)
		status(t, err, openvx.ErrorInvalidParameters)
	}
	must0(list[8].SetName("another"))
	_, err := i.Reference("another")
	status(t, err, openvx.ErrorInvalidParameters)
	status(t, list[8].Release(), openvx.Success)
	must0(theirs[3].SetName(""))
	r = must(i.Reference("another")) // though nobody else refers to it
	if got := contents(r); got != contents(refs[8]) {
		t.Error(got)
	}
	status(t, r.Release(), openvx.Success)
	status(t, i.Release(), openvx.Success)
	if n := z.c.References(); n != before {
		t.Errorf("%d references are left", n-before)
	}
}

// TestSuppliedComponents lists a delay, and one of its slots beside it.
func TestSuppliedComponents(t *testing.T) {
	y := newYard(t)
	in, out := y.tensor(3), y.tensor(3)
	delay := func() (*openvx.Delay, openvx.Reference) {
		d := must(y.c.CreateDelay(in, 2))
		y.keep(d)
		return d, must(d.Reference(-1))
	}
	d, slot := delay()
	y.relu(slot.(*openvx.Tensor), out)
	uses := []openvx.Use{0, supply, supply, zeros}
	blob := must(y.c.ExportObjects([]openvx.Reference{y.g, slot, d, out}, uses))
	mine, past := delay()
	_, err := y.c.ImportObjects(blob, []openvx.Reference{nil, slot, mine, nil}, uses)
	status(t, err, openvx.ErrorNotCompatible)
	list := []openvx.Reference{nil, past, mine, nil}
	y.keep(must(y.c.ImportObjects(blob, list, uses)))
	y.keep(list[0])
	y.keep(list[3])
	y.write(past.(*openvx.Tensor), 1, 2, 3)
	must0(list[0].(*openvx.Graph).Process())
	if got := elements(t, list[3]); got != "[1 2 3]" {
		t.Error(got)
	}

	// A delay that the import makes cannot have a slot of the application.
	must0(y.g.RegisterAutoAging(d))
	_, err = y.c.ExportObjects([]openvx.Reference{y.g, slot}, uses[:2])
	status(t, err, openvx.ErrorInvalidParameters)
}

// deploy is a graph that has a bit of everything: constants, virtual tensors of which nothing was known, views, a table, and a delay that
// feeds a sum back. Its input and output are its parameters.
func deploy(y *yard) (in, out *openvx.Tensor) {
	in, out = y.tensor(3), y.tensor(3)
	weights, sum, looked := y.tensor(3, 3), y.open(), y.open()
	y.write(weights, 1, 0, 0, 0, 1, 0, 1, 0, 1)
	joined := y.tensor(6)
	d := must(y.c.CreateDelay(in, 2))
	l := must(y.c.CreateLUT(openvx.TypeUint8, 256))
	for _, r := range []openvx.Reference{d, l} {
		y.keep(r)
	}
	table := make([]byte, 256)
	for i := range table {
		table[i] = byte(255 - i)
	}
	must0(l.Copy(table, openvx.WriteOnly))
	now, past := must(d.Reference(0)).(*openvx.Tensor), must(d.Reference(-1)).(*openvx.Tensor)
	must0(past.Write([]uint8{100, 100, 100}))
	// In another order than that of the data.
	y.relu(y.view(joined, 2, 5), out)
	y.add(sum, past, now)
	y.relu(now, y.view(joined, 0, 3))
	y.keep(must(y.g.TensorTableLookupNode(sum, l, looked)))
	y.relu(looked, y.view(joined, 3, 6))
	n := must(y.g.FullyConnectedLayer(in, weights, nil, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, sum))
	must0(n.SetName("product"))
	must0(n.SetBorder(openvx.BorderValue{Mode: openvx.BorderReplicate}))
	y.keep(n)
	must0(y.g.RegisterAutoAging(d))
	for _, node := range []struct {
		n *openvx.Node
		i int
	}{{n, 0}, {y.made[slices.IndexFunc(y.made, func(r openvx.Reference) bool { return r.Type() == openvx.TypeNode })].(*openvx.Node), 4}} {
		p := must(node.n.Parameter(node.i))
		must0(y.g.AddParameter(p))
		must0(p.Release())
	}
	return in, out
}

// TestExportedGraph runs a graph beside what it became in another context.
func TestExportedGraph(t *testing.T) {
	y := newYard(t)
	in, out := deploy(y)
	to := context(t)
	list := moved(t, to, []openvx.Use{0, values, zeros}, y.g, in, out)
	g, in2, out2 := list[0].(*openvx.Graph), list[1].(*openvx.Tensor), list[2].(*openvx.Tensor)
	if !g.IsVerified() || g.State() != openvx.GraphStateVerified || g.Nodes() != y.g.Nodes() || g.NumParameters() != 2 {
		t.Errorf("%s of %d nodes with %d parameters", g.State(), g.Nodes(), g.NumParameters())
	}
	for i := range uint8(4) {
		data := []uint8{i, 2 * i, 50}
		y.write(in, data...)
		must0(in2.Write(data))
		must0(y.g.Process())
		must0(g.Process())
		if a, b := elements(t, out), elements(t, out2); a != b {
			t.Errorf("run %d: %s became %s", i, a, b)
		}
	}

	// It remains verified.
	other, wide := must(to.CreateTensor([]int{3}, openvx.TypeUint8, 0)), must(to.CreateTensor([]int{4}, openvx.TypeUint8, 0))
	defer other.Release()
	defer wide.Release()
	status(t, g.SetParameter(0, wide), openvx.ErrorNotSupported)
	status(t, g.SetParameter(0, nil), openvx.ErrorInvalidReference)
	status(t, g.SetParameter(0, other), openvx.Success)
	_, err := g.ActivationLayer(other, openvx.ActivationRelu, 0, 0, wide)
	status(t, err, openvx.ErrorNotSupported)
	if !g.IsVerified() {
		t.Error("it is not verified any more")
	}
	must0(other.Write([]uint8{1, 2, 3}))
	y.write(in, 1, 2, 3)
	must0(y.g.Process())
	must0(g.Process())
	if a, b := elements(t, out), elements(t, out2); a != b {
		t.Errorf("with another parameter: %s became %s", a, b)
	}
	again := moved(t, context(t), []openvx.Use{0, values, zeros}, g, other, out2) // what was imported can be exported
	must0(again[0].(*openvx.Graph).Process())
	must0(g.Process())
	if a, b := elements(t, out2), elements(t, again[2]); a != b {
		t.Errorf("a second time: %s became %s", a, b)
	}
}

// TestSharedObjects exports two graphs of which one reads what the other writes.
func TestSharedObjects(t *testing.T) {
	y := newYard(t)
	in, between, out := y.tensor(3), y.tensor(3), y.tensor(3)
	y.relu(in, between)
	second := must(y.c.CreateGraph())
	y.keep(second)
	y.keep(must(second.TensorAddNode(between, in, openvx.ConvertPolicyWrap, out)))
	y.write(in, 1, 2, 3)
	list := moved(t, context(t), []openvx.Use{0, 0, values, zeros, zeros}, y.g, second, in, out, out)
	must0(list[0].(*openvx.Graph).Process())
	must0(list[1].(*openvx.Graph).Process())
	if got := elements(t, list[3]); got != "[2 4 6]" || list[3] != list[4] || list[3].Count() != 2 {
		t.Error(got)
	}
}

// applied is a context with kernels of the application, and a graph that uses them: one increments elements, the other is replicated over
// images of tensors, whose elements it doubles. The graph, the operands of the first and those of the second are returned.
func applied(y *yard) []openvx.Reference {
	y.kernels = register(y.t, y.c)
	in, planes, between, out := y.tensor(3), y.tensor(1, 1, 3), y.tensor(1, 1, 3), y.tensor(3)
	n := must(y.g.CreateGenericNode(y.kernels[1]))
	y.keep(n)
	for i, x := range []*openvx.Tensor{planes, between} {
		a := must(x.CreateImageObjectArray(openvx.Rectangle{EndX: 1, EndY: 1}, 3, 1, openvx.DFImageU8))
		item := must(a.Item(0))
		must0(n.SetParameter(i, item))
		must0(item.Release())
		y.keep(a)
	}
	must0(y.g.ReplicateNode(n, []bool{true, true}))
	increment := must(y.g.CreateGenericNode(y.kernels[0]))
	y.keep(increment)
	must0(increment.SetParameter(0, in))
	must0(increment.SetParameter(1, out))
	y.write(in, 1, 2, 3)
	y.write(planes, 10, 20, 30)
	return []openvx.Reference{y.g, in, out, planes, between}
}

// register registers the kernels of applied.
func register(t testing.TB, c *openvx.Context) []*openvx.Kernel {
	rect, pixels := openvx.Rectangle{EndX: 1, EndY: 1}, openvx.ImageAddressing{DimX: 1, DimY: 1, StrideX: 1, StrideY: 1}
	planes := must(c.AddKernel("org.example.planes", must(c.AllocateKernelID()), 2, openvx.UserKernel{
		Run: func(_ *openvx.Node, params []openvx.Reference) error {
			var pixel [1]byte
			if err := params[0].(*openvx.Image).CopyPatch(rect, 0, pixels, pixel[:], openvx.ReadOnly); err != nil {
				return err
			}
			pixel[0] *= 2
			return params[1].(*openvx.Image).CopyPatch(rect, 0, pixels, pixel[:], openvx.WriteOnly)
		},
		Validate: nothing.Validate,
	}))
	for i := range 2 {
		must0(planes.AddParameter(i, openvx.Direction(i), openvx.TypeImage, openvx.ParameterStateRequired))
	}
	must0(planes.Finalize())
	return []*openvx.Kernel{addKernel(t, c, "org.example.increment", 2, plusOne), planes}
}

// TestExportedKernels exports a graph with kernels of the application, which must be there when it is imported.
func TestExportedKernels(t *testing.T) {
	y := newYard(t)
	refs, uses := applied(y), []openvx.Use{0, values, zeros, values, zeros}
	blob := must(y.c.ExportObjects(refs, uses))
	to := newYard(t)
	_, err := to.c.ImportObjects(blob, make([]openvx.Reference, 5), uses)
	status(t, err, openvx.ErrorInvalidParameters)
	to.kernels = register(t, to.c)
	list := make([]openvx.Reference, 5)
	to.keep(must(to.c.ImportObjects(blob, list, uses)))
	to.made = append(to.made, list...)
	must0(list[0].(*openvx.Graph).Process())
	a := make([]uint8, 3)
	must0(list[4].(*openvx.Tensor).Read(a))
	if got := elements(t, list[2]); got != "[2 3 4]" || !slices.Equal(a, []uint8{20, 40, 60}) {
		t.Error(got, a)
	}
}

// TestExportRefuses holds what cannot be exported against the status and the words of the message.
func TestExportRefuses(t *testing.T) {
	y := newYard(t)
	in, _ := deploy(y)
	refs := everything(y)
	k := must(y.c.KernelByID(openvx.KernelSoftmaxLayer))
	y.keep(k)
	other := must(context(t).CreateScalar(openvx.TypeInt32, 1))
	defer other.Release()
	gone := must(y.c.CreateScalar(openvx.TypeInt32, 1))
	must0(gone.Release())
	twin := y.tensor(3)
	must0(twin.SetName(refs[0].Name()))
	slot := must(refs[6].(*openvx.Delay).Reference(0))
	empty := must(y.c.CreateGraph())
	y.keep(empty)
	called := must(y.c.CreateGraph())
	y.keep(called)
	n := must(called.ActivationLayer(in, openvx.ActivationRelu, 0, 0, twin))
	y.keep(n)
	fixed := n.ParameterReference(1)
	must0(n.SetCallback(func(*openvx.Node) openvx.Action { return openvx.ActionContinue }))
	type list []openvx.Reference
	for _, test := range []struct {
		refs list
		uses []openvx.Use
		want openvx.Status
		says string
	}{
		{nil, nil, openvx.ErrorInvalidParameters, "at least one"},
		{list{in}, nil, openvx.ErrorInvalidParameters, "as many"},
		{list{in, nil}, []openvx.Use{values, values}, openvx.ErrorInvalidReference, "reference 1 is nil"},
		{list{gone}, []openvx.Use{values}, openvx.ErrorInvalidReference, "released"},
		{list{other}, []openvx.Use{values}, openvx.ErrorInvalidReference, "another context"},
		{list{in}, []openvx.Use{0}, openvx.ErrorInvalidParameters, "use 0"},
		{list{y.c}, []openvx.Use{values}, openvx.ErrorInvalidType, "context"},
		{list{k}, []openvx.Use{values}, openvx.ErrorInvalidType, "kernel"},
		{list{n}, []openvx.Use{values}, openvx.ErrorInvalidType, "node"},
		{list{y.open()}, []openvx.Use{values}, openvx.ErrorOptimizedAway, "virtual"},
		{list{refs[0], twin}, []openvx.Use{values, values}, openvx.ErrorInvalidParameters, "object 0"},
		{list{in, in}, []openvx.Use{values, zeros}, openvx.ErrorInvalidParameters, "reference 1"},
		{list{empty}, []openvx.Use{0}, openvx.ErrorInvalidGraph, "no nodes"},
		{list{y.g, in}, []openvx.Use{0, values}, openvx.ErrorInvalidParameters, "parameter 1"},
		{list{called}, []openvx.Use{0}, openvx.ErrorNotSupported, "callback"},
		{list{refs[6], slot}, []openvx.Use{values, supply}, openvx.ErrorInvalidParameters, "component"},
		{list{slot, refs[6]}, []openvx.Use{values, supply}, openvx.ErrorInvalidParameters, "component"},
	} {
		_, err := y.c.ExportObjects(test.refs, test.uses)
		if status(t, err, test.want); err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v does not say %q", err, test.says)
		}
	}
	must0(n.SetCallback(nil))
	_, err := y.c.ExportObjects(list{called, fixed}, []openvx.Use{0, values})
	status(t, err, openvx.ErrorInvalidParameters)
}

// TestImportRefuses has lists that are not those of the export.
func TestImportRefuses(t *testing.T) {
	y := newYard(t)
	in, out := deploy(y)
	refs, uses := []openvx.Reference{y.g, in, out}, []openvx.Use{0, supply, zeros}
	blob := must(y.c.ExportObjects(refs, uses))
	z := newYard(t)
	fit, wide, named := z.tensor(3), z.tensor(4), z.tensor(3)
	must0(y.g.SetName("graph"))
	blob2 := must(y.c.ExportObjects(refs, uses))
	must0(named.SetName("graph"))
	type list []openvx.Reference
	for _, test := range []struct {
		blob []byte
		refs list
		uses []openvx.Use
		want openvx.Status
	}{
		{blob, list{nil, fit}, uses, openvx.ErrorInvalidParameters},
		{blob, list{nil, fit}, uses[:2], openvx.ErrorInvalidParameters},
		{blob, nil, nil, openvx.ErrorInvalidParameters},
		{blob, list{nil, fit, nil}, []openvx.Use{0, supply, values}, openvx.ErrorInvalidParameters},
		{blob, list{nil, nil, nil}, uses, openvx.ErrorInvalidReference},
		{blob, list{nil, in, nil}, uses, openvx.ErrorInvalidReference},
		{blob, list{nil, wide, nil}, uses, openvx.ErrorNotCompatible},
		{blob, list{nil, z.g, nil}, uses, openvx.ErrorInvalidType},
		{blob2, list{nil, named, nil}, uses, openvx.ErrorInvalidParameters},
		{nil, list{nil, fit, nil}, uses, openvx.ErrorInvalidFormat},
		{[]byte("nothing of the kind"), list{nil, fit, nil}, uses, openvx.ErrorInvalidFormat},
	} {
		before, given := z.c.References(), slices.Clone(test.refs)
		_, err := z.c.ImportObjects(test.blob, test.refs, test.uses)
		status(t, err, test.want)
		if z.c.References() != before || !slices.Equal(given, test.refs) {
			t.Errorf("%v: something is left over", err)
		}
	}
	must0(z.c.SetCompatible(true))
	_, err := z.c.ImportObjects(blob, list{nil, fit, nil}, uses)
	status(t, err, openvx.ErrorNotCompatible)
}

// TestExportedStructures has a scalar of a structure of the application, whose number another context may give to another.
func TestExportedStructures(t *testing.T) {
	c, to := context(t), context(t)
	s := must(c.CreateScalarBytes(must(c.RegisterUserStruct(4, "point")), []byte{1, 2, 3, 4}))
	defer s.Release()
	refs, uses := []openvx.Reference{s}, []openvx.Use{values}
	_, err := to.ImportObjects(must(c.ExportObjects(refs, uses)), make([]openvx.Reference, 1), uses)
	status(t, err, openvx.ErrorInvalidType)
	must(to.RegisterUserStruct(8, "line"))
	kind := must(to.RegisterUserStruct(4, "point"))
	moved := moved(t, to, uses, s)[0].(*openvx.Scalar)
	if got := fmt.Sprint(moved.Value()); got != "[1 2 3 4]" || moved.Kind() != kind {
		t.Error(moved.Kind(), got)
	}
}

// TestHiddenValues exports objects that are not listed: what nodes write has no values, and what they read has them.
func TestHiddenValues(t *testing.T) {
	y := newYard(t)
	in, between, out := y.tensor(3), y.tensor(3), y.tensor(3)
	y.relu(in, between)
	y.relu(between, out)
	for _, x := range []*openvx.Tensor{in, between, out} {
		y.write(x, 0xAB, 0xCD, 0xEF)
	}
	blob := must(y.c.ExportObjects([]openvx.Reference{y.g}, []openvx.Use{0}))
	if n := strings.Count(string(blob), "\xAB\xCD\xEF"); n != 1 {
		t.Errorf("values of %d tensors are exported", n)
	}
}

// TestImportLimits imports more than is allowed.
func TestImportLimits(t *testing.T) {
	y := newYard(t)
	in, out := deploy(y)
	refs, uses := []openvx.Reference{y.g, in, out}, []openvx.Use{0, values, values}
	blob := must(y.c.ExportObjects(refs, uses))
	for want, options := range map[openvx.Status]openvx.Options{
		openvx.ErrorNoMemory:    {MaxTensorBytes: 10},
		openvx.ErrorNoResources: {Limits: engine.Limits{Nodes: 5}},
	} {
		c := must(openvx.NewContext(options))
		_, err := c.ImportObjects(blob, make([]openvx.Reference, 3), uses)
		status(t, err, want)
		must0(c.Release())
	}
}

// TestExportedModel is refused.
func TestExportedModel(t *testing.T) {
	c := must(openvx.NewContext(openvx.Options{Importers: map[string]openvx.Importer{"nnef": importer}}))
	defer c.Release()
	g, k := must(c.CreateGraph()), must(c.ImportKernel("nnef", "state"))
	n := must(g.CreateGenericNode(k))
	for i := range 2 {
		must0(n.SetParameter(i, must(c.CreateTensor([]int{1}, openvx.TypeInt32, 0))))
	}
	_, err := c.ExportObjects([]openvx.Reference{g}, []openvx.Use{0})
	status(t, err, openvx.ErrorNotSupported)
}

// sealed gives bytes the check sum that a blob has.
func sealed(blob []byte) []byte {
	const header = 16
	if len(blob) >= header {
		binary.LittleEndian.PutUint32(blob[header-4:], crc32.ChecksumIEEE(blob[header:]))
	}
	return blob
}

// TestDamagedBlobs cuts blobs and changes single bytes.
func TestDamagedBlobs(t *testing.T) {
	c := context(t)
	before := c.References()
	for _, blob := range blobs(t) {
		for i := range blob {
			changed := slices.Clone(blob)
			changed[i] ^= 0xff
			for _, damaged := range [][]byte{blob[:i], sealed(slices.Clone(blob[:i])), changed} {
				if _, err := c.ImportObjects(damaged, make([]openvx.Reference, 3), all(values, make([]openvx.Reference, 3))); err == nil {
					t.Errorf("%d bytes of %d, or with another byte there", i, len(blob))
				}
			}
		}
	}
	if n := c.References(); n != before {
		t.Errorf("%d objects are left over", n-before)
	}
}

// blobs are some of three references each, none of them supplied.
func blobs(t testing.TB) (list [][]byte) {
	ground := func() *yard {
		c := context(t)
		return &yard{t: new(testing.T), c: c, g: must(c.CreateGraph())}
	}
	add := func(c *openvx.Context, refs ...openvx.Reference) {
		list = append(list, must(c.ExportObjects(refs, all(values, refs))))
	}
	y := ground()
	in, out := deploy(y)
	add(y.c, y.g, in, out)
	refs := everything(y)
	for i := 0; i < len(refs); i += 3 {
		add(y.c, refs[i:i+3]...)
	}
	z := ground()
	add(z.c, applied(z)[:3]...)
	y.release()
	z.release()
	return list
}

// FuzzImportObjects imports arbitrary bytes. They must do no more than fail, and leave nothing behind. What is imported can run, and be
// exported again.
func FuzzImportObjects(f *testing.F) {
	for _, blob := range blobs(f) {
		f.Add(blob)
	}
	f.Fuzz(attempt)
}

// TestForgedBlobs changes single bytes of blobs, and their check sums.
func TestForgedBlobs(t *testing.T) {
	changes := []byte{0x80, 1, 3, 0xff}[:testdata.Cases(1, 4)]
	for _, blob := range blobs(t) {
		for i := range blob {
			for _, change := range changes {
				forged := slices.Clone(blob)
				forged[i] ^= change
				attempt(t, forged)
			}
		}
	}
}

// attempt imports a blob after it has been sealed.
func attempt(t *testing.T, blob []byte) {
	c := must(openvx.NewContext(openvx.Options{MaxTensorBytes: 1 << 16, Threads: 1,
		Limits: engine.Limits{Nodes: 100, Memory: 1 << 20, Operations: 1 << 20}}))
	defer c.Release()
	c.RegisterLogCallback(func(_ *openvx.Context, _ openvx.Reference, _ openvx.Status, message string) {
		if strings.Contains(message, "internal error") {
			t.Error(message)
		}
	}, true)
	register(t, c)
	before := c.References()
	refs := make([]openvx.Reference, 3)
	i, err := c.ImportObjects(sealed(blob), refs, all(values, refs))
	if err == nil {
		for _, r := range refs {
			if g, ok := r.(*openvx.Graph); ok {
				_ = g.Process()
			}
		}
		_, _ = c.ExportObjects(refs, all(values, refs))
		must0(i.Release())
		for _, r := range refs {
			must0(r.Release())
		}
	}
	if n := c.References(); n != before {
		t.Errorf("%d objects are left over", n-before)
	}
}

// Objects go to a blob of bytes, which another program makes objects of.
func ExampleContext_ExportObjects() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	scale := must(c.CreateScalar(openvx.TypeFloat32, 0.5))
	must0(scale.SetName("scale"))
	uses := []openvx.Use{openvx.UseExportValues}
	blob, err := c.ExportObjects([]openvx.Reference{scale}, uses)
	if err != nil {
		fmt.Println(err)
		return
	}
	imported, err := c.ImportObjects(blob, make([]openvx.Reference, 1), uses)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := imported.Reference("scale")
	fmt.Println(r.(*openvx.Scalar).Value(), err)
	// Output: 0.5 <nil>
}
