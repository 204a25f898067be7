package openvx_test

import (
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// context makes a context that is released, and then empty of references, at the end of the test.
func context(t testing.TB) *openvx.Context {
	t.Helper()
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	base := c.References()
	t.Cleanup(func() {
		if c.Count() == 0 {
			return // the test has released it
		}
		if n := c.References(); n != base && !t.Failed() {
			t.Errorf("%d objects are left over", n-base)
		}
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// must returns what a call that has to succeed returns.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// status checks the status of an error, and that it explains itself.
func status(t testing.TB, err error, want openvx.Status) {
	t.Helper()
	if got := openvx.StatusOf(err); got != want {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if err != nil && (!strings.HasPrefix(err.Error(), "openvx: ") || !strings.Contains(err.Error(), want.String())) {
		t.Errorf("the message %q lacks package or status", err)
	}
}

func TestReferenceCounts(t *testing.T) {
	c := context(t)
	before := c.References()
	s := must(c.CreateScalar(openvx.TypeInt32, 7))
	if got := c.References(); got != before+1 {
		t.Errorf("%d references after one more than %d", got, before)
	}
	if s.Context() != c || s.Type() != openvx.TypeScalar || s.Count() != 1 {
		t.Errorf("a new scalar is %v with count %d", s.Type(), s.Count())
	}
	status(t, s.Retain(), openvx.Success)
	if s.Count() != 2 {
		t.Errorf("count %d after Retain", s.Count())
	}
	status(t, s.Release(), openvx.Success)
	status(t, s.Release(), openvx.Success)
	if s.Count() != 0 || c.References() != before || s.Value() != nil || s.Name() != "" || s.Size() != 0 {
		t.Error("a released scalar is still there")
	}
	for _, err := range []error{s.Release(), s.Retain(), s.SetName("x"), s.Set(1), s.Copy(make([]byte, 4), openvx.ReadOnly)} {
		status(t, err, openvx.ErrorInvalidReference)
	}
	if err := s.Release(); !strings.Contains(err.Error(), "Scalar.Release") {
		t.Errorf("%v does not name the call", err)
	}
}

// Every kind of object answers for itself how many references the application has, also those that count something else.
func TestCountsOfAllKinds(t *testing.T) {
	c := context(t)
	g := must(c.CreateGraph())
	x := must(c.CreateTensor([]int{4, 3, 2}, openvx.TypeUint8, 0))
	k := must(c.KernelByID(openvx.KernelSoftmaxLayer))
	n := must(g.CreateGenericNode(k))
	all := []openvx.Reference{
		c, g, x, k, n, must(k.Parameter(1)), must(n.Parameter(0)), must(x.CreateView([]int{1}, []int{3})), must(c.CreateDelay(x, 3)),
		must(c.CreateScalar(openvx.TypeInt32, 5)), must(c.CreateLUT(openvx.TypeInt16, 7)), must(c.CreateImage(4, 4, openvx.DFImageU8)),
		must(x.CreateImageObjectArray(openvx.Rectangle{EndX: 4, EndY: 3}, 2, 12, openvx.DFImageU8)),
	}
	for _, r := range all {
		status(t, r.Retain(), openvx.Success)
		if r.Count() != 2 {
			t.Errorf("%v: count %d after creation and Retain", r.Type(), r.Count())
		}
		status(t, r.Release(), openvx.Success)
	}
	for _, r := range all[1:] {
		if r.Count() > 0 { // a graph takes its nodes with it
			status(t, r.Release(), openvx.Success)
		}
	}
}

func TestNames(t *testing.T) {
	c := context(t)
	if err := c.SetName("the context"); err != nil || c.Name() != "the context" {
		t.Error(c.Name(), err)
	}
	longest := strings.Repeat("n", openvx.MaxReferenceName)
	for name, want := range map[string]openvx.Status{
		longest: openvx.Success, "": openvx.Success, "größer": openvx.Success,
		longest + "n": openvx.ErrorInvalidParameters, "a\x00b": openvx.ErrorInvalidParameters,
	} {
		old := c.Name()
		status(t, c.SetName(name), want)
		if want != openvx.Success && c.Name() != old {
			t.Errorf("a refused name is in force")
		}
	}
}

func TestContextEndsEverything(t *testing.T) {
	c := context(t)
	s := must(c.CreateScalar(openvx.TypeInt32, 7))
	l := must(c.CreateLUT(openvx.TypeUint8, 3))
	k := must(c.KernelByID(openvx.KernelSoftmaxLayer))
	status(t, c.Retain(), openvx.Success)
	status(t, c.Release(), openvx.Success)
	if s.Count() != 1 {
		t.Error("the context has ended too early")
	}
	status(t, c.Release(), openvx.Success)
	_, kernelErr := k.Parameter(0)
	_, createErr := c.CreateScalar(openvx.TypeInt32, 7)
	_, lutErr := c.CreateLUT(openvx.TypeUint8, 3)
	_, idErr := c.AllocateKernelID()
	for _, err := range []error{
		c.Release(), c.Retain(), s.Release(), s.Set(1), l.Copy(nil, openvx.ReadOnly), kernelErr, createErr, lutErr, idErr,
		c.Directive(c, openvx.DirectiveDisableLogging), c.SetCompatible(true), k.Release(),
	} {
		status(t, err, openvx.ErrorInvalidReference)
	}
	if c.References() != 0 || c.UniqueKernels() != 0 || c.Modules() != 0 || c.KernelTable() != nil {
		t.Error("a context that has ended has contents")
	}
	c.AddLogEntry(s, openvx.Failure, "nobody hears this")
}

func TestContextAnswers(t *testing.T) {
	c := context(t)
	if c.Context() != c || c.Type() != openvx.TypeContext || c.Version() != 0x0103 || c.Extensions() != "KHR_NN_8 KHR_NN_16 vx_khr_nn vx_khr_import_kernel" {
		t.Error(c.Context(), c.Type(), c.Version(), c.Extensions())
	}
	if n := len(c.Implementation()); n == 0 || n > 63 {
		t.Errorf("the implementation's name has %d bytes", n)
	}
	table := c.KernelTable()
	if len(table) != c.UniqueKernels() {
		t.Errorf("%d kernels in a table of %d", c.UniqueKernels(), len(table))
	}
	for _, info := range table {
		byName, byID := must(c.KernelByName(info.Name)), must(c.KernelByID(info.ID))
		if byName != byID || byName.KernelName() != info.Name || byName.ID() != info.ID || byName.Count() != 2 {
			t.Errorf("%+v is found as %q and %q", info, byName.KernelName(), byID.KernelName())
		}
		status(t, byName.Release(), openvx.Success)
		status(t, byName.Release(), openvx.Success)
		status(t, byName.Release(), openvx.ErrorInvalidReference)
	}
}

func TestCompatible(t *testing.T) {
	if context(t).Compatible() {
		t.Error("a context is compatible without being asked")
	}
	if !must(openvx.NewContext(openvx.Options{Compatible: true})).Compatible() {
		t.Error("the option has no effect")
	}
	t.Setenv("CONCORD_OPENVX_COMPAT", "1")
	c := context(t)
	if !c.Compatible() {
		t.Error("the environment has no effect")
	}
	status(t, c.SetCompatible(false), openvx.Success)
	if c.Compatible() {
		t.Error("SetCompatible has no effect")
	}
}

func TestBorderAndTarget(t *testing.T) {
	c := context(t)
	want := openvx.BorderValue{Mode: openvx.BorderConstant, Value: [16]byte{1}}
	status(t, c.SetImmediateBorder(want), openvx.Success)
	status(t, c.SetImmediateBorder(openvx.BorderValue{Mode: 0x14000}), openvx.ErrorInvalidValue)
	if c.ImmediateBorder() != want {
		t.Error(c.ImmediateBorder())
	}
	status(t, c.SetImmediateBorderPolicy(openvx.BorderPolicyReturnError), openvx.Success)
	status(t, c.SetImmediateBorderPolicy(0), openvx.ErrorInvalidValue)
	if p := c.ImmediateBorderPolicy(); p != openvx.BorderPolicyReturnError {
		t.Error(p)
	}
	for _, test := range []struct {
		target openvx.Target
		name   string
		want   openvx.Status
	}{
		{openvx.TargetAny, "", openvx.Success},
		{openvx.TargetAny, "ignored", openvx.Success},
		{openvx.TargetString, "any", openvx.Success},
		{openvx.TargetString, "aNy", openvx.Success},
		{openvx.TargetString, "test", openvx.ErrorNotSupported},
		{openvx.TargetString, "", openvx.ErrorNotSupported},
		{openvx.TargetVendorBegin, "any", openvx.ErrorNotSupported},
	} {
		status(t, c.SetImmediateModeTarget(test.target, test.name), test.want)
	}
}

// TestUnknownNames prints values that the standard has no name for: a status in base 10.
func TestUnknownNames(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{openvx.Status(-1234).String(), "Status(-1234)"},
		{openvx.Status(7).String(), "Status(7)"},
		{openvx.Border(0x14000).String(), "Border(0x14000)"},
	} {
		if test.got != test.want {
			t.Errorf("%s, want %s", test.got, test.want)
		}
	}
}

func TestDirectivesAndHints(t *testing.T) {
	c, other := context(t), context(t)
	s, foreign := must(c.CreateScalar(openvx.TypeInt32, 1)), must(other.CreateScalar(openvx.TypeInt32, 1))
	defer s.Release()
	defer foreign.Release()
	gone := must(c.CreateScalar(openvx.TypeInt32, 1))
	gone.Release()
	for _, test := range []struct {
		on   openvx.Reference
		d    openvx.Directive
		want openvx.Status
	}{
		{c, openvx.DirectiveDisableLogging, openvx.Success},
		{c, openvx.DirectiveEnableLogging, openvx.Success},
		{s, openvx.DirectiveDisableLogging, openvx.Success},
		{c, openvx.DirectiveEnablePerformance, openvx.Success},
		{c, openvx.DirectiveDisablePerformance, openvx.Success},
		{s, openvx.DirectiveEnablePerformance, openvx.ErrorNotSupported},
		{c, 0x3004, openvx.ErrorNotSupported},
		{nil, openvx.DirectiveEnableLogging, openvx.ErrorInvalidReference},
		{(*openvx.Scalar)(nil), openvx.DirectiveEnableLogging, openvx.ErrorInvalidReference},
		{foreign, openvx.DirectiveEnableLogging, openvx.ErrorInvalidReference},
		{gone, openvx.DirectiveEnableLogging, openvx.ErrorInvalidReference},
	} {
		status(t, c.Directive(test.on, test.d), test.want)
	}
	status(t, c.Hint(s, openvx.HintPerformanceHighSpeed, nil), openvx.Success)
	status(t, c.Hint(s, 0x2000, nil), openvx.ErrorNotSupported)
	status(t, c.Hint(gone, openvx.HintPerformanceDefault, nil), openvx.ErrorInvalidReference)
}

func TestUserStructs(t *testing.T) {
	c := context(t)
	first, second := must(c.RegisterUserStruct(12, "first")), must(c.RegisterUserStruct(8, ""))
	if first != openvx.TypeUserStructStart || second != first+1 || must(c.RegisterUserStruct(12, "first")) != first {
		t.Errorf("types %v and %v", first, second)
	}
	for _, test := range []struct {
		size int
		name string
		want openvx.Status
	}{
		{0, "x", openvx.ErrorInvalidParameters}, {-1, "x", openvx.ErrorInvalidParameters}, {math.MaxInt, "x", openvx.ErrorInvalidParameters},
		{8, "first", openvx.ErrorInvalidParameters}, {8, strings.Repeat("x", 64), openvx.ErrorInvalidParameters},
	} {
		kind, err := c.RegisterUserStruct(test.size, test.name)
		status(t, err, test.want)
		if kind != openvx.TypeInvalid {
			t.Error(kind)
		}
	}
	if name, err := c.UserStructName(first); name != "first" || err != nil {
		t.Error(name, err)
	}
	for kind, want := range map[openvx.Type]openvx.Status{
		second: openvx.Failure, openvx.TypeError: openvx.Failure, second + 1: openvx.ErrorInvalidParameters,
	} {
		_, err := c.UserStructName(kind)
		status(t, err, want)
	}
	if kind, err := c.UserStructType("first"); kind != first || err != nil {
		t.Error(kind, err)
	}
	for _, name := range []string{"", "none"} {
		_, err := c.UserStructType(name)
		status(t, err, openvx.Failure)
	}
	for i := second; i < openvx.TypeUserStructEnd; i++ {
		must(c.RegisterUserStruct(1, ""))
	}
	_, err := c.RegisterUserStruct(1, "")
	status(t, err, openvx.ErrorNoResources)
}

// TestMemoryIsGivenBack takes memory of the application for objects that are released and for some that are not.
func TestMemoryIsGivenBack(t *testing.T) {
	held := map[int]bool{}
	c := must(openvx.NewContext(openvx.Options{Memory: func(n int) ([]byte, func(), error) {
		id := len(held)
		held[id] = true
		return make([]byte, n), func() {
			if !held[id] {
				t.Errorf("block %d is freed twice", id)
			}
			held[id] = false
		}, nil
	}}))
	l := must(c.CreateLUT(openvx.TypeUint8, 10))
	must(c.CreateLUT(openvx.TypeInt16, 10))
	d := must(c.CreateDelay(l, 3))
	status(t, l.Release(), openvx.Success)
	status(t, d.Age(), openvx.Success)
	swapped := must(c.CreateTensor([]int{2, 2}, openvx.TypeUint8, 0))
	status(t, swapped.Write([]uint8{1, 2, 3, 4}), openvx.Success)
	taken := len(held) - 1
	must(swapped.SwapHandle(make([]byte, 4)))
	status(t, c.Release(), openvx.Success)
	for id, still := range held {
		if still != (id == taken) {
			t.Errorf("block %d: held %v", id, still)
		}
	}
}

func TestMemoryThatIsNotThere(t *testing.T) {
	c := must(openvx.NewContext(openvx.Options{Memory: func(int) ([]byte, func(), error) { return nil, nil, nil }}))
	_, err := c.CreateLUT(openvx.TypeUint8, 10)
	status(t, err, openvx.ErrorNoMemory)
}

func TestThreads(t *testing.T) {
	c, err := openvx.NewContext(openvx.Options{Threads: 2})
	check(t, err)
	if n := c.Threads(); n != 2 {
		t.Errorf("%d threads, want 2", n)
	}
	status(t, c.SetThreads(-1), openvx.ErrorInvalidValue)
	status(t, c.SetThreads(1<<30), openvx.ErrorInvalidValue)
	g, err := c.CreateGraph()
	check(t, err)
	in, err := c.CreateTensor([]int{3}, openvx.TypeUint8, 0)
	check(t, err)
	out, err := c.CreateTensor([]int{3}, openvx.TypeUint8, 0)
	check(t, err)
	_, err = g.ActivationLayer(in, openvx.ActivationRelu, 0, 0, out)
	check(t, err)
	for _, n := range []int{1, 3, 0} { // between runs of a graph, which stays verified
		status(t, g.Process(), openvx.Success)
		status(t, c.SetThreads(n), openvx.Success)
		if !g.IsVerified() {
			t.Error("threads undo verification")
		}
	}
	status(t, g.Process(), openvx.Success)
}
