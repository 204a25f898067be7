package tensor_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

func TestShapeLimits(t *testing.T) {
	for _, c := range []struct {
		shape tensor.Shape
		ok    bool
	}{
		{slices.Repeat(tensor.Shape{1}, limits.TensorRank), true},
		{slices.Repeat(tensor.Shape{1}, limits.TensorRank+1), false},
		{tensor.Shape{limits.TensorElements}, true},
		{tensor.Shape{limits.TensorElements + 1}, false},
		{tensor.Shape{2, limits.TensorElements / 2}, true},
		{tensor.Shape{2, limits.TensorElements/2 + 1}, false},
	} {
		if err := c.shape.Check(); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.shape, err)
		}
	}
}

// TestDefaultLimits reaches the limits that hold where none are given. What is not beyond them fails later, since it is not there.
func TestDefaultLimits(t *testing.T) {
	testdata.Wide(t)
	shaped := func(code string, n int) []byte {
		return header1(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,)}", code, n), "")
	}
	headed := func(n uint32) []byte {
		return binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), n)
	}
	zipped := func(n int) []byte { return archive(slices.Repeat([]string{"", ""}, n)...) }
	for name, c := range map[string]struct {
		most int
		data func(n int) []byte
		npz  bool
	}{
		"header":   {limits.NPYHeader, func(n int) []byte { return headed(uint32(n)) }, false},
		"elements": {min(limits.NPYElements, tensor.MaxElements), func(n int) []byte { return shaped("|u1", n) }, false},
		"bytes":    {limits.NPYBytes / 8, func(n int) []byte { return shaped("<f8", n) }, false},
		"members":  {limits.NPZMembers, zipped, true},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			data := c.data(n)
			_, err := tensor.ReadNPY(bytes.NewReader(data), tensor.Limits{})
			if c.npz {
				_, err = tensor.ReadNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{})
			}
			if err == nil || errors.Is(err, tensor.ErrLimit) != (n > c.most) {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}

// TestMemoryLimit makes tensors that no machine has memory for, which would end the process.
func TestMemoryLimit(t *testing.T) {
	testdata.Wide(t)
	if limits.FitsAlways > limits.FitsUnknown {
		t.Error("what always fits is more than what fits where nothing is known")
	}
	for _, shape := range []tensor.Shape{{limits.TensorElements}, {limits.TensorElements / 2, 2}} {
		if _, err := tensor.New(tensor.Float32, shape); !errors.Is(err, tensor.ErrLimit) {
			t.Errorf("a tensor of shape %v: %v", shape, err)
		}
	}
	if x, err := tensor.New(tensor.Float32, tensor.Shape{1 << 20, 0}); err != nil || x.Len() != 0 {
		t.Errorf("a tensor without elements: %v", err)
	}
}
