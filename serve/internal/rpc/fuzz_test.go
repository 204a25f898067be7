package rpc

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/internal/wire"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// FuzzRequest reads requests from any bytes. One that can be read can be written and read again, and its tensors come back in an answer.
func FuzzRequest(f *testing.F) {
	all := raw("FP32", []int64{1, 2}, make([]byte, 8))
	all.id, all.version = "id", "3"
	all.parameters = []*entry{{"b", &parameter{true}}, {"i", &parameter{int64(-1)}}, {"s", &parameter{"s"}}, {"d", &parameter{1.5}}, {"u", &parameter{uint64(7)}}}
	all.outputs = []*requested{{"y", []*entry{{"k", &parameter{"v"}}}}}
	for _, m := range []*inferRequest{
		{}, all, raw("BF16", []int64{0}, nil), typed("INT8", []int64{3}, contents{ints: []int32{-128, 0, 127}}), typed("BOOL", []int64{2}, contents{bools: []bool{true, false}}),
		typed("FP64", []int64{1}, contents{doubles: []float64{1}}), typed("UINT64", []int64{1}, contents{uint64s: []uint64{1 << 63}}),
		typed("UINT16", []int64{2, 1}, contents{uints: []uint32{1, 65535}}), typed("BYTES", []int64{1}, contents{bytes: [][]byte{{1, 2}}}),
	} {
		f.Add(encode(m))
	}
	f.Add([]byte("\x2A\xFF\xFF\xFF\xFF\x0F"))
	f.Add([]byte("\x2A\x04\x2A\x02\x08\x01\x7A\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decode[inferRequest](b)
		if err != nil {
			if s, ok := errors.AsType[*grpc.Status](err); !ok || s.Code != grpc.InvalidArgument || s.Message == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		once := encode(m)
		again := new(inferRequest)
		if err := wire.Decode(again, once, wire.Bounds{Depth: 100, Memory: 1 << 30, UTF8: true}); err != nil {
			t.Fatal(err)
		}
		if twice := encode(again); !bytes.Equal(once, twice) {
			t.Errorf("% x is % x when it is read again", once, twice)
		}
		q, err := requestOf(m)
		if err != nil {
			if e, ok := errors.AsType[*oip.Error](err); !ok || e.Message == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, asked := range []bool{true, false} {
			a, err := messageOf(&oip.Response{Outputs: q.Inputs, Parameters: q.Parameters}, asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, out := range a.outputs {
				var elements *[]byte
				if len(a.raw) > 0 {
					elements = &a.raw[i]
				}
				got, err := tensorOf(out, elements)
				if err != nil || !reflect.DeepEqual(tensor.AppendRaw(nil, got), tensor.AppendRaw(nil, q.Inputs[i].Data)) {
					t.Errorf("%v comes back as %v, %v", q.Inputs[i].Data, got, err)
				}
			}
		}
	})
}
