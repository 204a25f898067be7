package openvx_test

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

func TestLUT(t *testing.T) {
	c := context(t)
	for _, test := range []struct {
		kind         openvx.Type
		count        int
		size, offset int
		want         openvx.Status
	}{
		{openvx.TypeUint8, 256, 256, 0, openvx.Success}, {openvx.TypeUint8, 1, 1, 0, openvx.Success},
		{openvx.TypeInt16, 65536, 131072, 32768, openvx.Success}, {openvx.TypeInt16, 5, 10, 2, openvx.Success},
		{openvx.TypeUint8, 257, 0, 0, openvx.ErrorInvalidParameters}, {openvx.TypeUint8, 0, 0, 0, openvx.ErrorInvalidParameters},
		{openvx.TypeInt16, 65537, 0, 0, openvx.ErrorInvalidParameters}, {openvx.TypeInt16, -1, 0, 0, openvx.ErrorInvalidParameters},
		{openvx.TypeUint16, 5, 0, 0, openvx.ErrorInvalidType},
	} {
		l, err := c.CreateLUT(test.kind, test.count)
		if status(t, err, test.want); err != nil {
			continue
		}
		if l.Kind() != test.kind || l.NumElements() != test.count || l.Size() != test.size || l.Offset() != test.offset || l.Virtual() {
			t.Error(l.Kind(), l.NumElements(), l.Size(), l.Offset())
		}
		status(t, l.Release(), openvx.Success)
	}
}

func TestLUTContents(t *testing.T) {
	c := context(t)
	l := must(c.CreateLUT(openvx.TypeInt16, 3))
	got := make([]byte, 6)
	status(t, l.Copy(got, openvx.ReadOnly), openvx.Success)
	if !bytes.Equal(got, make([]byte, 6)) {
		t.Errorf("a new table has % x", got)
	}
	status(t, l.Copy([]byte("abcdef"), openvx.WriteOnly), openvx.Success)
	id, data, err := l.Map(openvx.ReadAndWrite)
	if err != nil || string(data) != "abcdef" {
		t.Fatalf("%q %v", data, err)
	}
	second, same, err := l.Map(openvx.ReadOnly)
	if err != nil || &same[0] != &data[0] || second == id {
		t.Error("mapped twice, the table is in two places")
	}
	data[0] = 'X'
	for _, id := range []uint64{id, second} {
		status(t, l.Unmap(id), openvx.Success)
		status(t, l.Unmap(id), openvx.ErrorInvalidParameters)
	}
	status(t, l.Copy(got, openvx.ReadOnly), openvx.Success)
	if string(got) != "Xbcdef" {
		t.Errorf("%q after a write through the map", got)
	}
	for _, err := range []error{l.Copy(got[:5], openvx.ReadOnly), l.Copy(nil, openvx.WriteOnly), l.Copy(got, openvx.ReadAndWrite), l.Copy(got, 0)} {
		status(t, err, openvx.ErrorInvalidParameters)
	}
	_, _, err = l.Map(0)
	status(t, err, openvx.ErrorInvalidParameters)
	id, _, err = l.Map(openvx.WriteOnly)
	status(t, err, openvx.Success)
	status(t, l.Release(), openvx.Success)
	status(t, l.Unmap(id), openvx.Success) // what is mapped lives until then
	_, _, err = l.Map(openvx.ReadOnly)
	status(t, err, openvx.ErrorInvalidReference)
}
