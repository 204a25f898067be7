package wasmobj_test

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/concord-nn/concord/internal/wasmobj"
)

// sample has a function that returns what a word of memory and a function in the table say, and one that nothing reaches.
func sample() (o *wasmobj.Object, run int) {
	o = &wasmobj.Object{Names: map[string]wasmobj.Entry{"nothing": {Func: 0, Datum: -1}}}
	one := wasmobj.FuncType{Results: []wasmobj.ValType{wasmobj.I32}}
	code := wasmobj.NewCode(wasmobj.FuncType{})
	code.Op(0x00)
	o.AddFunc(wasmobj.FuncType{}, code)
	code = wasmobj.NewCode(one)
	code.I32(-300)
	f := o.AddFunc(one, code)
	word := o.AddData(wasmobj.Datum{Align: 4, Size: 8, Bytes: []byte{1, 2, 0, 0}, Relocs: []wasmobj.Reloc{{At: 0, Kind: wasmobj.ToTable, Sym: f}}})
	code = wasmobj.NewCode(one)
	code.Ref(wasmobj.ToData, word, 0)
	code.Uint(0x28, 2, 0)
	code.Ref(wasmobj.ToType, o.Type(one), 0)
	code.Ref(wasmobj.ToFunc, f, 0)
	code.Op(0x6A)
	return o, o.AddFunc(one, code)
}

func TestLink(t *testing.T) {
	o, run := sample()
	read, err := wasmobj.Unmarshal(o.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*wasmobj.Object{o, read} {
		l := wasmobj.NewLinker(o, 1024)
		l.Exports, l.Pages = []wasmobj.Export{{Name: "run", Func: run}}, 1
		module := l.Module()
		ctx := context.Background()
		r := wazero.NewRuntime(ctx)
		defer r.Close(ctx)
		m, err := r.Instantiate(ctx, module)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.ExportedFunction("run").Call(ctx); err != nil || int32(got[0]) != -600 {
			t.Errorf("it returns %v, %v", got, err)
		}
		if bytes.Contains(module, []byte{0x00, 0x0B, 0x00}) {
			t.Error("a function that nothing reaches is in the module")
		}
	}
}

func TestClone(t *testing.T) {
	o, _ := sample()
	before := o.Marshal()
	c := o.Clone()
	c.AddData(wasmobj.Datum{Size: 1, Align: 1})
	c.AddFunc(wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.F64}}, wasmobj.NewCode(wasmobj.FuncType{}))
	c.Names["other"] = wasmobj.Entry{}
	if !bytes.Equal(o.Marshal(), before) {
		t.Error("adding to a clone has changed the object")
	}
}

func FuzzUnmarshal(f *testing.F) {
	o, _ := sample()
	f.Add(o.Marshal())
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := wasmobj.Unmarshal(b)
		if err != nil {
			return
		}
		again, err := wasmobj.Unmarshal(o.Marshal())
		if err != nil || !reflect.DeepEqual(o, again) {
			t.Errorf("it comes back as %v, %v", again, err)
		}
	})
}
