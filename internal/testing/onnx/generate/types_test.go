package main

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestStandard compares the types of the standard's newest versions with ours: what we lack is what the page says. The environment variable
// CONCORD_ONNX_OPERATORS names the standard's docs/Operators.md.
func TestStandard(t *testing.T) {
	path := os.Getenv("CONCORD_ONNX_OPERATORS")
	if path == "" {
		t.Skip("set CONCORD_ONNX_OPERATORS to the path of the standard's docs/Operators.md to compare with it")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	standard := declaredTypes(string(text))
	if len(standard) < 200 {
		t.Fatalf("%s has %d operators", path, len(standard))
	}
	var got []gap
	for _, o := range onnx.Operators() {
		tried, newest := try(&o, func(*proto.Model) {}), o.Forms[len(o.Forms)-1]
		if strings.HasSuffix(tried.text(), graphsText) {
			continue
		}
		for i, want := range standard[o.Name].operands {
			name := declaredName(newest.Operands, i)
			if lacking := want &^ tried.have[name]; lacking != 0 {
				got = append(got, gap{op: o.Name, name: name, types: setText(lacking)})
			}
		}
		for i, want := range standard[o.Name].results {
			name := result + declaredName(newest.Results, i)
			if lacking := want &^ tried.have[name]; tried.have[name] != 0 && lacking != 0 {
				got = append(got, gap{op: o.Name, name: name[1:], types: setText(lacking)})
			}
		}
	}
	var want []gap
	for _, x := range gaps {
		x.why = ""
		want = append(want, x)
	}
	if !slices.Equal(got, want) {
		t.Errorf("what is lacking is %v; the page says %v", got, want)
	}
}

// standardTypes are the types of operands and results by position.
type standardTypes struct{ operands, results []op.Types }

var (
	chapter = regexp.MustCompile(`(?m)^###? `)
	heading = regexp.MustCompile(`^(?:<sub>experimental</sub> )?<a name="[^"]*"></a><a name="[^"]*">\*\*([\w.]+)`)
	term    = regexp.MustCompile(`(?m)^<dt><tt>([^<]*)</tt>(?: \([^)]*\))* : (.*)</dt>`)
	element = regexp.MustCompile(`tensor\((\w+)\)`)
)

// declaredTypes reads what the standard's page of operators says of types.
func declaredTypes(text string) map[string]standardTypes {
	out := make(map[string]standardTypes)
	for _, part := range chapter.Split(text, -1) {
		name := heading.FindStringSubmatch(part)
		if name == nil {
			continue
		}
		sections := make(map[string][][]string)
		for _, s := range strings.Split(part, "\n#### ")[1:] {
			title, _, _ := strings.Cut(s, "\n")
			title, _, _ = strings.Cut(title, " (")
			sections[title] = term.FindAllStringSubmatch(s, -1)
		}
		variables := make(map[string]op.Types)
		for _, v := range sections["Type Constraints"] {
			for _, e := range element.FindAllStringSubmatch(v[2], -1) {
				variables[v[1]] |= elementType(e[1])
			}
		}
		read := func(list [][]string) (types []op.Types) {
			for _, v := range list {
				s := variables[v[2]]
				if e := element.FindStringSubmatch(v[2]); e != nil {
					s = elementType(e[1])
				}
				types = append(types, s)
			}
			return types
		}
		out[name[1]] = standardTypes{read(sections["Inputs"]), read(sections["Outputs"])}
	}
	return out
}

// elementType returns the set of one type that the standard names; of strings and complex numbers it is empty.
func elementType(name string) op.Types {
	switch name {
	case "float":
		name = "float32"
	case "double":
		name = "float64"
	}
	d, err := tensor.ParseDType(name)
	if err != nil {
		return 0
	}
	return op.TypeSet(d)
}

// run runs a model.
func run(p *proto.Model) error {
	f, err := onnx.New(p)
	if err != nil {
		return err
	}
	m, err := f.Network()
	if err != nil {
		return err
	}
	programs := model.NewPrograms(m, engine.Options{Threads: 1}, 0)
	defer programs.Close()
	_, err = programs.Run(context.Background(), nil)
	return err
}
