package openvx

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
)

// TestLimitsAreReached asks for what is as large as is allowed, and for more.
func TestLimitsAreReached(t *testing.T) {
	testdata.Wide(t)
	c := dataContext(t, Options{})
	if got := c.maxTensorBytes(); got != limits.VXTensorBytes {
		t.Errorf("a tensor may have %d bytes", got)
	}
	long := func(n int) string { return strings.Repeat("n", n) }
	kernel := UserKernel{Run: func(*Node, []Reference) error { return nil }, Validate: func(*Node, []Reference, []*MetaFormat) error { return nil }}
	planes := must(c.CreateTensor([]int{1, 1, limits.VXItems + 1}, TypeUint8, 0))
	scalar := must(c.CreateScalar(TypeInt32, 1))
	g := must(c.CreateGraph())
	for name, test := range map[string]struct {
		most   int
		make   func(n int) error
		beyond Status
	}{
		"dimensions": {limits.VXDims, func(n int) error {
			_, err := c.CreateTensor(slices.Repeat([]int{1}, n), TypeUint8, 0)
			return err
		}, ErrorInvalidDimension},
		"bytes of a tensor": {min(limits.VXTensorBytes, math.MaxInt/4), func(n int) error {
			_, err := g.CreateVirtualTensor([]int{n}, TypeUint8, 0)
			return err
		}, ErrorNoMemory},
		"the name of a kernel": {limits.VXKernelName, func(n int) error {
			_, err := c.AddKernel(long(n), 5000, 1, kernel)
			return err
		}, ErrorInvalidParameters},
		"the name of a reference": {limits.VXReferenceName, func(n int) error { return scalar.SetName(long(n)) }, ErrorInvalidParameters},
		"parameters": {limits.VXParameters, func(n int) error {
			_, err := c.AddKernel("parameters", 5001, n, kernel)
			return err
		}, ErrorInvalidParameters},
		"a window": {limits.VXWindow, func(n int) error {
			return try(func() { (&call{layer: layers[0]}).checkSize(0, "padding", n, 0) })
		}, ErrorInvalidValue},
		"objects of an array": {limits.VXItems, func(n int) error {
			_, err := planes.CreateImageObjectArray(Rectangle{0, 0, 1, 1}, n, 1, DFImageU8)
			return err
		}, ErrorInvalidParameters},
		"slots of a delay": {limits.VXSlots, func(n int) error {
			_, err := c.CreateDelay(scalar, n)
			return err
		}, ErrorInvalidParameters},
		"a structure": {limits.VXStruct, func(n int) error {
			_, err := c.RegisterUserStruct(n, "")
			return err
		}, ErrorInvalidParameters},
		"local data":            {limits.VXLocalData, func(n int) error { return try(func() { checkLocalData(n) }) }, ErrorInvalidParameters},
		"kernels, one by one":   {limits.VXKernels, inAll(func() error { _, err := c.AllocateKernelID(); return err }), ErrorNoResources},
		"libraries, one by one": {limits.VXLibraries, inAll(func() error { _, err := c.AllocateKernelLibraryID(); return err }), ErrorNoResources},
	} {
		wantStatus(t, name, test.make(test.most), Success)
		wantStatus(t, name+", more", test.make(test.most+1), test.beyond)
	}
	var got string
	c.RegisterLogCallback(func(_ *Context, _ Reference, _ Status, message string) { got = message }, false)
	for _, n := range []int{limits.VXLogMessage, limits.VXLogMessage + 1} {
		if c.AddLogEntry(nil, Failure, long(n)); got != long(limits.VXLogMessage) {
			t.Errorf("a message of %d bytes comes with %d", n, len(got))
		}
	}
}

// inAll makes as many calls as have not been made yet.
func inAll(f func() error) func(n int) error {
	made := 0
	return func(n int) error {
		for ; made < n; made++ {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}
