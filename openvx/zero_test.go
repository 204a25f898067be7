package openvx

import (
	"fmt"
	"reflect"
	"testing"
)

// kindsOfObjects are objects that nobody has made, one of each kind.
var kindsOfObjects = []Reference{
	&Context{}, &Graph{}, &Node{}, &Kernel{}, &Parameter{}, &Tensor{}, &Scalar{}, &LUT{}, &Image{}, &Delay{}, &ObjectArray{}, &MetaFormat{},
}

// TestNoObjects calls every method of objects that are nil or that nobody has made, with zeros: none panics, and an error is ErrorInvalidReference.
func TestNoObjects(t *testing.T) {
	for _, r := range kindsOfObjects {
		for _, v := range []reflect.Value{reflect.ValueOf(r), reflect.Zero(reflect.TypeOf(r))} {
			for i := range v.NumMethod() {
				name := v.Type().Method(i).Name
				var in []reflect.Value
				for k := range v.Method(i).Type().NumIn() {
					in = append(in, reflect.Zero(v.Method(i).Type().In(k)))
				}
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Errorf("%v of (%T)(%v) panics: %v", name, r, v.IsNil(), p)
						}
					}()
					for _, out := range v.Method(i).Call(in) {
						if err, ok := out.Interface().(error); ok {
							wantStatus(t, fmt.Sprintf("%T.%s", r, name), err, ErrorInvalidReference)
						}
					}
				}()
			}
		}
	}
}

// TestZeroValues calls objects that nobody has made, and nil: they have nothing, and what returns errors says so.
func TestZeroValues(t *testing.T) {
	for _, r := range kindsOfObjects {
		if r.Name() != "" || r.Count() != 0 {
			t.Errorf("%T has the name %q and %d references", r, r.Name(), r.Count())
		}
		wantStatus(t, fmt.Sprintf("%T", r), r.Release(), ErrorInvalidReference)
	}
	wantStatus(t, "verify", (&Graph{}).Verify(), ErrorInvalidReference)
	wantStatus(t, "read", (&Tensor{}).Read([]uint8{}), ErrorInvalidReference)
	_, err := (&Context{}).CreateGraph()
	wantStatus(t, "create", err, ErrorInvalidReference)
	for _, call := range []func() error{
		func() error { _, err := (*Context)(nil).CreateGraph(); return err },
		func() error { _, err := (*Graph)(nil).CreateVirtualTensor(nil, TypeInvalid, 0); return err },
		func() error { _, err := (*Graph)(nil).SoftmaxLayer(nil, nil); return err },
		func() error { _, err := (*Tensor)(nil).CreateView(nil, nil); return err },
		func() error { _, _, err := (*LUT)(nil).Map(ReadOnly); return err },
		(*Graph)(nil).Verify,
		(*Graph)(nil).Process,
		func() error { return (*Tensor)(nil).Read([]uint8{}) },
		func() error { return (*Node)(nil).SetBorder(BorderValue{}) },
		func() error { return (*Image)(nil).UnmapPatch(1) },
	} {
		wantStatus(t, "a method of nil", call(), ErrorInvalidReference)
	}
	if (*Tensor)(nil).Dims() != nil || (*Graph)(nil).Nodes() != 0 {
		t.Error("nil has extents or nodes")
	}
	if l, d := (&LUT{}), (&Delay{}); l.Kind() != TypeInvalid || l.Size() != 0 || l.Offset() != 0 || d.Kind() != TypeInvalid {
		t.Error("a table or a delay of nothing has a type")
	}
}
