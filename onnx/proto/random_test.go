package proto

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// random fills a message with anything.
func random(rng *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 && rng.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			random(rng, v.Elem(), depth-1)
		}
	case reflect.Slice:
		for range rng.IntN(4) {
			e := reflect.New(v.Type().Elem()).Elem()
			if e.Kind() == reflect.Pointer {
				if depth == 0 {
					return
				}
				e.Set(reflect.New(e.Type().Elem()))
				random(rng, e.Elem(), depth-1)
			} else {
				random(rng, e, depth-1)
			}
			v.Set(reflect.Append(v, e))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				random(rng, f, depth)
			}
		}
		alone(v.Addr().Interface())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(math.Float32frombits(rng.Uint32() & (rng.Uint32() | 1<<31))))
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(rng.Uint64()) >> rng.IntN(64))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(rng.Uint64() >> rng.IntN(64))
	case reflect.String:
		v.SetString("αβγ\xFF"[:rng.IntN(8)])
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	}
}

// alone leaves one of the fields that are alternatives.
func alone(m any) {
	switch m := m.(type) {
	case *Dim:
		if m.Known {
			m.Param = ""
		} else {
			m.Value = 0
		}
	case *Type:
		switch {
		case m.Tensor != nil:
			*m = Type{Tensor: m.Tensor, Denotation: m.Denotation}
		case m.Sequence != nil:
			*m = Type{Sequence: m.Sequence, Denotation: m.Denotation}
		case m.Map != nil:
			*m = Type{Map: m.Map, Denotation: m.Denotation}
		case m.Opaque != nil:
			*m = Type{Opaque: m.Opaque, Denotation: m.Denotation}
		case m.SparseTensor != nil:
			*m = Type{SparseTensor: m.SparseTensor, Denotation: m.Denotation}
		}
	}
}

// TestRandomMessages writes and reads messages with anything in them.
func TestRandomMessages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range testdata.Cases(16, 200) {
		var m Model
		random(rng, reflect.ValueOf(&m).Elem(), 7)
		comesBack(t, &m)
		var s Sequence
		random(rng, reflect.ValueOf(&s).Elem(), 6)
		comesBack(t, &s)
		var o Optional
		random(rng, reflect.ValueOf(&o).Elem(), 6)
		comesBack(t, &o)
		a, errA := Encode(&m)
		b, errB := Encode(&m)
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			t.Errorf("one message has two encodings, %v, %v", errA, errB)
		}
	}
}
