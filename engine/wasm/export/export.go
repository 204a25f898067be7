package export

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/tensor"
)

// File is a file by its name, and what writes it. Writing the weights computes much of them, for which the constants of the graph must not have changed.
type File struct {
	Name  string
	Write func(w io.Writer) error
}

//go:embed loader.js.txt
var loader string

// Pool is an ES module with the class Pool: threads that compute modules together, which [wasm.Compile] makes for several. It uses no import.meta, so that
// scripts may hold it, too; a worker of it, or of what holds it, is a helper if it is started under the name that the module says.
//
//go:embed pool.js.txt
var Pool string

//go:embed loader.d.ts.txt
var declarations string

// comments are those of a script that stand on lines of their own. What pages load goes without.
var comments = pattern.Of(`(?m)^\s*(//.*|/\*\*(.|\n)*?\*/)\n`)

// Endings are what [Files] puts behind the name, in its order.
var Endings = []string{".js", ".d.ts", ".bin", ".wasm", ".exact.wasm", ".threads.wasm", ".exact.threads.wasm"}

// What stands in Endings: the modules, and which they are.
const firstModule = 3

var kinds = []struct {
	level   wasm.Level
	threads int
}{{wasm.Fused, 1}, {wasm.Emulated, 1}, {wasm.Fused, mostThreads}, {wasm.Emulated, mostThreads}}

// mostThreads is for how many threads modules are made. Each of them needs working memory.
const mostThreads = 8

// description is what the loader knows of the model.
type description struct {
	Inputs  []port   `json:"inputs"`
	Outputs []port   `json:"outputs"`
	Modules []module `json:"modules"`
}

// port is what the loader knows of an input or an output.
type port struct {
	Name   string `json:"name"`
	DType  string `json:"type"`
	Shape  []int  `json:"shape"`
	Array  string `json:"array"`  // the typed array that has its elements
	Length int    `json:"length"` // of that
}

// module is what it knows of a module.
type module struct {
	File    string `json:"file"` // as an address
	Exact   bool   `json:"exact"`
	Threads int    `json:"threads"`
	Pages   int    `json:"pages"`
	Weights int    `json:"weights"` // where they are written
	Inputs  []int  `json:"inputs"`  // where they lie
	Outputs []int  `json:"outputs"`
}

// Mark returns what files with some contents, and no others, are marked by, so that a cache cannot mix those of two exports unnoticed.
func Mark(contents ...[]byte) string {
	m := marker{sha256.New()}
	for _, c := range contents {
		m.add(c)
	}
	return m.mark()
}

// marker makes a mark of contents, one after the other.
type marker struct{ hash.Hash }

func (m marker) add(content []byte) {
	m.length(len(content))
	m.Write(content)
}

// length begins a content of so many bytes.
func (m marker) length(n int) { fmt.Fprintln(m, n) }

func (m marker) mark() string { return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:12]) }

// Marked returns a module with a mark behind it, in a section of its own, which loaders look for.
func Marked(code []byte, mark string) []byte {
	section := append([]byte{byte(len("mark"))}, "mark"+mark...)
	return slices.Concat(code, []byte{0, byte(len(section))}, section)
}

// Files returns the files of a graph, of that name and each with one of [Endings], and their mark, which the loader exports; those for threads are
// absent if nothing of the graph is worth dividing. It fails as [wasm.Compile] does.
func Files(g *graph.Graph, name string, limits engine.Limits) ([]File, string, error) {
	list := make([]wasm.Options, len(kinds))
	for i, kind := range kinds {
		list[i] = wasm.Options{Level: kind.level, Threads: kind.threads}
	}
	modules, err := wasm.CompileAll(g, limits, list...)
	if err != nil {
		return nil, "", err
	}
	first := modules[0]
	d := description{Inputs: ports(first.Inputs), Outputs: ports(first.Outputs)}
	var files []File
	var codes [][]byte
	for i, m := range modules {
		if m.Threads < kinds[i].threads {
			continue
		}
		file := name + Endings[firstModule+i]
		d.Modules = append(d.Modules, module{Address(file), kinds[i].level == wasm.Emulated, m.Threads, m.Pages, m.WeightsAt, places(m.Inputs), places(m.Outputs)})
		files, codes = append(files, File{Name: file}), append(codes, m.Code)
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, "", err
	}
	script := func(mark string) []byte {
		head, rest, _ := strings.Cut(loader, "\n")
		return []byte(head + "\n" + strings.NewReplacer(
			"$MODULES", string(text),
			"$WEIGHTS", quoted(Address(name+Endings[2])),
			"$MARK", quoted(mark),
			"$PROBE", quoted(base64.StdEncoding.EncodeToString(wasm.Probe())),
			"$POOL", strings.ReplaceAll(comments.Get().ReplaceAllString(Pool, ""), "\nexport ", "\n"),
		).Replace(comments.Get().ReplaceAllString(rest, "")))
	}
	marks := marker{sha256.New()}
	marks.add(script(""))
	marks.length(first.WeightsLen)
	if err := first.WriteWeights(marks); err != nil {
		return nil, "", err
	}
	for _, code := range codes {
		marks.add(code)
	}
	mark := marks.mark()
	for i := range files {
		files[i].Write = stage.Content(Marked(codes[i], mark))
	}
	return append([]File{
		{name + Endings[0], stage.Content(script(mark))},
		{name + Endings[1], stage.Content([]byte(declared(first)))},
		{name + Endings[2], func(w io.Writer) error {
			err := first.WriteWeights(w)
			if err == nil {
				_, err = io.WriteString(w, mark)
			}
			return err
		}},
	}, files...), mark, nil
}

// Address returns the address of a file beside the one that names it. It has no character that means something in a script or in HTML.
func Address(file string) string { return "./" + url.PathEscape(file) }

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string has a JSON form
	return string(b)
}

func ports(list []wasm.Port) []port {
	out := make([]port, len(list))
	for i, p := range list {
		d := p.Type.DType
		out[i] = port{p.Name, d.String(), append([]int{}, p.Type.Shape...), ArrayOf(d), int(p.Type.Bytes()) / max(d.Size(), 1)}
	}
	return out
}

func places(list []wasm.Port) []int {
	out := make([]int, len(list))
	for i, p := range list {
		out[i] = p.At
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

// ArrayOf returns the name of the typed array that holds elements of a type in the loader's inputs and outputs.
func ArrayOf(d tensor.DType) string { return cmp.Or(arrays[d], "Uint8Array") }

// declared writes the types of the loader for a module.
func declared(m *wasm.Module) string {
	list := func(ports []wasm.Port, given bool) string {
		var b strings.Builder
		for _, p := range ports {
			array := ArrayOf(p.Type.DType)
			also := ""
			if given && strings.HasPrefix(array, "Big") {
				also = " | ArrayLike<bigint>"
			} else if given {
				also = " | ArrayLike<number>"
			}
			fmt.Fprintf(&b, "  /** %v, %v in row-major order. */\n  %s: %s;\n", p.Type, counted(p.Type), quoted(p.Name), array+also)
		}
		return b.String()
	}
	return strings.NewReplacer("$INPUTS", list(m.Inputs, true), "$OUTPUTS", list(m.Outputs, false)).Replace(declarations)
}

func counted(t graph.Type) string {
	if n := t.Shape.Len(); n != 1 {
		return fmt.Sprint(n, " elements")
	}
	return "1 element"
}
