package export

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// File is a file by its name.
type File struct {
	Name    string
	Content []byte
}

//go:embed loader.js.txt
var loader string

//go:embed loader.d.ts.txt
var declarations string

// Endings are what [Files] puts behind the name, in its order.
var Endings = []string{".js", ".d.ts", ".wasm", ".exact.wasm", ".bin"}

// port is what the loader knows of an input or an output.
type port struct {
	Name   string `json:"name"`
	DType  string `json:"type"`
	Shape  []int  `json:"shape"`
	Array  string `json:"array"`  // the typed array that has its elements
	Length int    `json:"length"` // of that
	At     int    `json:"at"`
}

// module is what it knows of a module.
type module struct {
	File    string `json:"file"`
	Weights int    `json:"weights"` // where they are written
	Inputs  []port `json:"inputs"`
	Outputs []port `json:"outputs"`
}

// Files returns the files of a graph, of that name and each with one of [Endings]. It fails as [wasm.Compile] does.
func Files(g *graph.Graph, name string, limits engine.Limits) ([]File, error) {
	var modules []module
	var made []*wasm.Module
	for _, level := range []wasm.Level{wasm.Fused, wasm.Emulated} {
		m, err := wasm.Compile(g, wasm.Options{Limits: limits, Level: level})
		if err != nil {
			return nil, err
		}
		made = append(made, m)
		modules = append(modules, module{name + Endings[2+len(modules)], m.WeightsAt, ports(m.Inputs), ports(m.Outputs)})
	}
	if !bytes.Equal(made[0].Weights, made[1].Weights) {
		return nil, fmt.Errorf("the modules need different weights") // they differ in code alone
	}
	description, err := json.Marshal(modules)
	if err != nil {
		return nil, err
	}
	js := strings.NewReplacer(
		"$MODULES", string(description),
		"$WEIGHTS", quoted(name+Endings[4]),
		"$PROBE", quoted(base64.StdEncoding.EncodeToString(wasm.Probe())),
	).Replace(loader)
	contents := [][]byte{[]byte(js), []byte(declared(made[0])), made[0].Code, made[1].Code, made[0].Weights}
	files := make([]File, len(Endings))
	for i, ending := range Endings {
		files[i] = File{name + ending, contents[i]}
	}
	return files, nil
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string has a JSON form
	return string(b)
}

func ports(list []wasm.Port) []port {
	out := make([]port, len(list))
	for i, p := range list {
		d := p.Type.DType
		out[i] = port{p.Name, d.String(), append([]int{}, p.Type.Shape...), arrayOf(d), int(p.Type.Bytes()) / max(d.Size(), 1), p.At}
	}
	return out
}

// arrays are the typed arrays that pages have for elements of a type. What has none, as float16 in many browsers and packed elements, is there as
// words of as many bits.
var arrays = map[tensor.DType]string{
	tensor.Float32: "Float32Array", tensor.Float64: "Float64Array", tensor.Int8: "Int8Array", tensor.Int16: "Int16Array", tensor.Int32: "Int32Array",
	tensor.Int64: "BigInt64Array", tensor.Uint64: "BigUint64Array", tensor.Uint32: "Uint32Array",
	tensor.Uint16: "Uint16Array", tensor.Float16: "Uint16Array", tensor.BFloat16: "Uint16Array",
}

func arrayOf(d tensor.DType) string { return cmp.Or(arrays[d], "Uint8Array") }

// declared writes the types of the loader for a module.
func declared(m *wasm.Module) string {
	list := func(ports []wasm.Port, optional string) string {
		var b strings.Builder
		for _, p := range ports {
			fmt.Fprintf(&b, "  /** %v, %v in row-major order. */\n  %s: %s;\n", p.Type, counted(p.Type), quoted(p.Name), arrayOf(p.Type.DType)+optional)
		}
		return b.String()
	}
	return strings.NewReplacer("$INPUTS", list(m.Inputs, " | ArrayLike<number>"), "$OUTPUTS", list(m.Outputs, "")).Replace(declarations)
}

func counted(t graph.Type) string {
	if n := t.Shape.Len(); n != 1 {
		return fmt.Sprint(n, " elements")
	}
	return "1 element"
}
