package page

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"sort"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/looks"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

//go:embed media.js.txt
var script string

//go:embed media.d.ts.txt
var declarations string

//go:embed index.html.txt
var answers string

//go:embed plain.html.txt
var numbers string

//go:embed words.js.txt
var words string

// Index is the name of the page.
const Index = "index.html"

// MediaEnding stands behind the name of a model in that of the script which prepares its inputs and reads its outputs.
const MediaEnding = ".media.js"

// description is what the script knows of a manifest.
type description struct {
	Title   string   `json:"title"`
	Picture *picture `json:"picture,omitempty"`
	Sound   *sound   `json:"sound,omitempty"`
	Values  []value  `json:"values"`
	States  []state  `json:"states"`
	Outputs []output `json:"outputs"`
}

type picture struct {
	Input  string          `json:"input"`
	Width  int             `json:"width"`
	Height int             `json:"height"`
	Colour manifest.Colour `json:"colour"`
	Invert bool            `json:"invert"`
	Crop   manifest.Crop   `json:"crop"`
	Margin float64         `json:"margin"`
	Resize manifest.Resize `json:"resize"`
	Filter manifest.Filter `json:"filter"`
	Pad    []float64       `json:"pad"`
	Module *module         `json:"module"`
}

type sound struct {
	Input   string  `json:"input"`
	Rate    int     `json:"rate"`
	Window  int     `json:"window"`
	Hop     int     `json:"hop"`
	Context int     `json:"context"`
	Scale   float64 `json:"scale"`
}

// value is an input with one value.
type value struct {
	Name  string `json:"name"`
	Array string `json:"array"`
	Bytes string `json:"bytes"` // base64
}

type state struct {
	Input string `json:"input"`
	From  string `json:"from"`
}

// output is what an output means. Its kind is that of the manifest, or scores for one that another one takes in.
type output struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Shape     []int    `json:"shape"`
	Type      string   `json:"type"`
	Array     string   `json:"array"`
	Length    int      `json:"length"`
	Labels    []string `json:"labels,omitempty"`
	Top       int      `json:"top,omitempty"`
	Integers  bool     `json:"integers,omitempty"` // of classes, which have scores then
	Scores    string   `json:"scores,omitempty"`
	Classes   []int    `json:"classes,omitempty"` // of boxes, without the background
	Limit     int      `json:"limit,omitempty"`
	Label     string   `json:"label,omitempty"` // of a track
	Index     int      `json:"index"`
	Threshold float64  `json:"threshold"`
	Module    *module  `json:"module,omitempty"`
}

// module is a small module with its weights.
type module struct {
	File    string `json:"file"` // as an address
	Inputs  []port `json:"inputs"`
	Outputs []port `json:"outputs"`
}

type port struct {
	Name   string `json:"name"`
	Array  string `json:"array"`
	At     int    `json:"at"`
	Length int    `json:"length"`
}

// maker makes the files of a page.
type maker struct {
	description
	manifest *manifest.Manifest
	graph    *graph.Graph
	name     string
	limits   engine.Limits
	modules  []file
	view     media.View
}

// file is a module by the name of its file.
type file struct {
	name string
	code []byte
}

// Files returns the page [Index] on a model that [export.Files] has written under a name and a mark, and what it needs beside that. If there is no manifest, or the
// model takes neither one picture nor one sound of float32, and for all other inputs the manifest has values or states, the page has fields for numbers.
func Files(m *manifest.Manifest, g *graph.Graph, name, mark string, limits engine.Limits) ([]export.File, error) {
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, err
	}
	p := &maker{manifest: m, graph: g, name: name, limits: limits}
	if m != nil {
		p.Title = m.Title
	}
	fits, err := p.inputs()
	if err != nil {
		return nil, err
	}
	if p.Title == "" {
		p.Title = name
	}
	loader := marked(name+".js", mark)
	if !fits {
		text := strings.NewReplacer("$TITLE", html.EscapeString(p.Title), "$LOADER", loader, "$WORDS", words)
		return []export.File{{Name: Index, Write: stage.Content([]byte(text.Replace(numbers)))}}, nil
	}
	if err := p.outputs(); err != nil {
		return nil, err
	}
	d, err := json.Marshal(&p.description)
	if err != nil {
		return nil, err
	}
	all := [][]byte{[]byte(script), []byte(looks.Segments), []byte(mark), d}
	for _, m := range p.modules {
		all = append(all, m.code)
	}
	own := export.Mark(all...)
	text := strings.NewReplacer("$TITLE", html.EscapeString(p.Title), "$MEDIA", marked(name+MediaEnding, own), "$WORDS", words, "$SHOW", looks.Inlined(looks.Show))
	js := strings.NewReplacer("$LOADER", loader, "$SEGMENTS", looks.Segments, "$DESCRIPTION", string(d), "$MARK", mark, "$OWN", own)
	files := []export.File{
		{Name: Index, Write: stage.Content([]byte(text.Replace(answers)))},
		{Name: name + MediaEnding, Write: stage.Content([]byte(js.Replace(script)))},
		{Name: name + ".media.d.ts", Write: stage.Content([]byte(strings.Replace(declarations, "$LOADER", export.Address(name+".js"), 1)))},
	}
	for _, m := range p.modules {
		files = append(files, export.File{Name: m.name, Write: stage.Content(export.Marked(m.code, own))})
	}
	return files, nil
}

// marked returns the address of a script with its mark, under which no cache has that of another export.
func marked(file, mark string) string { return export.Address(file) + "?" + mark }

// inputs says how the inputs are made, and whether they can be.
func (p *maker) inputs() (bool, error) {
	p.Values, p.States = []value{}, []state{}
	if p.manifest == nil {
		return false, nil
	}
	for _, in := range p.graph.Inputs {
		t := manifest.Type{Name: in.Name, DType: in.Type.DType, Shape: in.Type.Shape}
		switch k := p.manifest.Input(in.Name).(type) {
		case *manifest.Image:
			if p.Picture != nil {
				return false, nil
			}
			if err := p.image(k, t); err != nil {
				return false, err
			}
		case *manifest.Audio:
			if p.Sound != nil || t.DType != tensor.Float32 {
				return false, nil
			}
			if err := p.audio(k, t); err != nil {
				return false, err
			}
		case *manifest.State:
			x, err := tensor.New(t.DType, t.Shape)
			if err != nil {
				return false, err
			}
			p.Values, p.States = append(p.Values, valueOf(in.Name, x)), append(p.States, state{in.Name, k.From})
		case *manifest.Tensor:
			x, err := media.Value(k, t)
			if err != nil || x == nil {
				return false, err
			}
			p.Values = append(p.Values, valueOf(in.Name, x))
		default:
			return false, nil
		}
	}
	return (p.Picture == nil) != (p.Sound == nil), nil
}

func valueOf(name string, x *tensor.Tensor) value {
	return value{name, export.ArrayOf(x.DType()), base64.StdEncoding.EncodeToString(tensor.Raw(x))}
}

func (p *maker) image(k *manifest.Image, t manifest.Type) error {
	g, grid, err := media.ImageGraph(k, t)
	if err != nil {
		return err
	}
	if k, err = k.Resolved(); err != nil {
		return err
	}
	m, err := p.module("image", g)
	p.view = media.View{Columns: grid.Width, Rows: grid.Height}
	p.Picture = &picture{t.Name, grid.Width, grid.Height, k.Colour, k.Invert, k.Crop, k.Margin, k.Resize, k.Filter, k.Pad, m}
	return err
}

func (p *maker) audio(k *manifest.Audio, t manifest.Type) error {
	k, err := k.Resolved()
	if err != nil {
		return err
	}
	f, err := k.Frame(t)
	p.Sound = &sound{t.Name, k.Rate, f.Window, f.Hop, f.Context, k.Scale}
	return err
}

// module compiles a graph to a module of its own, with its weights.
func (p *maker) module(what string, g *graph.Graph) (*module, error) {
	m, err := wasm.Compile(g, wasm.Options{Limits: p.limits, Whole: true})
	if err != nil {
		return nil, err
	}
	ports := func(list []wasm.Port) (out []port) {
		for _, x := range list {
			d := x.Type.DType
			out = append(out, port{x.Name, export.ArrayOf(d), x.At, int(x.Type.Bytes()) / d.Size()})
		}
		return out
	}
	name := fmt.Sprintf("%s.%s.wasm", p.name, what)
	p.modules = append(p.modules, file{name, m.Code})
	return &module{export.Address(name), ports(m.Inputs), ports(m.Outputs)}, nil
}

// outputs says what the outputs mean.
func (p *maker) outputs() error {
	types := make(map[string]op.Type)
	taken := make(map[string]bool) // by boxes, as their scores
	for _, o := range p.graph.Outputs {
		types[o.Name] = o.Value.Type
		if k, ok := p.manifest.Output(o.Name).(*manifest.Boxes); ok {
			taken[k.Scores] = true
		}
	}
	for i, port := range p.graph.Outputs {
		t, file := types[port.Name], fmt.Sprintf("output%d", i+1)
		o := output{Name: port.Name, Kind: "tensor", Shape: append([]int{}, t.Shape...), Type: t.DType.String(), Array: export.ArrayOf(t.DType), Length: t.Shape.Len()}
		var g *graph.Graph
		var err error
		switch k := p.manifest.Output(port.Name).(type) {
		case *manifest.Classes:
			o.Kind, o.Labels, o.Top, o.Integers = "classes", k.Names, k.Top, t.DType.IsInteger() && !k.Logits
			g, err = media.ClassesGraph(k, t)
		case *manifest.Boxes:
			if p.Picture == nil {
				break
			}
			o.Kind, o.Labels, o.Scores, o.Limit = "boxes", k.Names, k.Scores, k.Limit
			if g, err = media.BoxesGraph(k, p.view, t, types[k.Scores]); err == nil {
				o.Classes = classesOf(g)
			}
		case *manifest.Track:
			if p.Sound != nil && t.DType == tensor.Float32 && k.Index < t.Shape.Len() {
				o.Kind, o.Label, o.Index, o.Threshold = "track", k.Label, max(k.Index, 0), k.Threshold
			}
		default:
			if taken[port.Name] {
				o.Kind = "scores"
			}
		}
		if g != nil && err == nil {
			o.Module, err = p.module(file, g)
		}
		if err != nil {
			return fmt.Errorf("output %q: %w", port.Name, err)
		}
		p.Outputs = append(p.Outputs, o)
	}
	return nil
}

// classesOf returns the classes of which the graph of boxes has outputs.
func classesOf(g *graph.Graph) (list []int) {
	for _, o := range g.Outputs {
		var class int
		if n, _ := fmt.Sscanf(o.Name, "kept_%d", &class); n == 1 {
			list = append(list, class)
		}
	}
	sort.Ints(list)
	return list
}
