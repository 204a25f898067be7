package safetensors_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/safetensors"
	"github.com/concord-nn/concord/tensor"
)

// file makes a file of a header and data.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func Example() {
	f, err := safetensors.Open(file(`{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40))
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := f.Tensor("w")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Names(), w)
	// Output: [w] float32[2] [1 2]
}

func TestTypes(t *testing.T) {
	f, err := safetensors.Open(file(`{"__metadata__":{"made":"by hand"},
		"b":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},
		"d":{"dtype":"F64","shape":[],"data_offsets":[2,10]},
		"e":{"dtype":"U8","shape":[0,3],"data_offsets":[10,10]},
		"i":{"dtype":"I16","shape":[2],"data_offsets":[10,14]},
		"l":{"dtype":"BOOL","shape":[2],"data_offsets":[14,16]},
		"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[16,17]},
		"z":{"dtype":"F32","shape":[1],"data_offsets":[17,18]}}   `,
		0x80, 0x3F, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F, 0xFF, 0xFF, 2, 0, 1, 0, 9, 9))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b", "d", "e", "i", "l", "x", "z"}; !slices.Equal(f.Names(), want) || !f.Has("b") || f.Has("__metadata__") {
		t.Errorf("the names are %v; want %v", f.Names(), want)
	}
	for name, want := range map[string][]float32{"b": {1}, "d": {0.5}, "e": {}, "i": {-1, 2}, "l": {1, 0}} {
		x, err := f.Tensor(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if x, err = tensor.Cast(x, tensor.Float32); err != nil || !slices.Equal(tensor.Data[float32](x), want) {
			t.Errorf("%s is %v, %v; want %v", name, tensor.Data[float32](x), err, want)
		}
	}
	for name, want := range map[string]string{"x": `the type "F8_E4M3" is not supported`, "z": "1 bytes do not fill shape [1] of type F32",
		"absent": "there is none of this name"} {
		if _, err := f.Tensor(name); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("tensor %q: %s", name, want)) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestRejects(t *testing.T) {
	const one = `"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}`
	for name, c := range map[string]struct {
		data []byte
		msg  string
	}{
		"empty":      {nil, "has 0 bytes"},
		"short":      {file("{}")[:9], "only 1 follow"},
		"lie":        {append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, "{}"...), "only 2 follow"},
		"long":       {file(strings.Repeat(" ", safetensors.MaxHeader+1)), "more than the limit"},
		"no JSON":    {file("{"), "no JSON object"},
		"number":     {file("{1:2}"), "invalid character '1'"},
		"array":      {file("[]"), "it begins with ["},
		"twice":      {file("{"+one+","+one+"}", 1), "two of this name"},
		"more":       {file("{"+one+"} x", 1), "follows the header's object"},
		"metadata":   {file(`{"__metadata__":3}`), "no JSON object"},
		"gap":        {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 1, 2), "it should begin at 0"},
		"beyond":     {file("{" + one + "}"), "it takes the bytes [0 1] of 0"},
		"backwards":  {file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,-1]}}`, 1), "no JSON object"},
		"no offsets": {file(`{"a":{"dtype":"U8","shape":[1]}}`), "it takes the bytes"},
		"shape":      {file(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1), "negative"},
		"trailing":   {file("{"+one+"}", 1, 2), "1 bytes follow the last tensor"},
	} {
		if _, err := safetensors.Open(c.data); err == nil || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%s: the error is %v; want …%s…", name, err, c.msg)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(file(`{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40))
	f.Add(file(`{"__metadata__":{"a":"b"},"w":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}`, 1, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := safetensors.Open(data)
		if err != nil {
			return
		}
		for _, name := range file.Names() {
			if x, err := file.Tensor(name); err == nil && x.Len() > 8*len(data) {
				t.Fatalf("%s has %d elements", name, x.Len())
			}
		}
	})
}
