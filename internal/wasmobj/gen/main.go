// Gen compiles the references of package op, as they are written in Go, into WebAssembly functions: so that each operator means in a module exactly what
// it means everywhere else, and is defined once.
//
// It loads the packages as go/ssa has them. Their variables have the values that initialisation gives them, which initial.go evaluates; functions become
// WebAssembly in compile.go and the files beside it. Of Go there is what references need: no memory that escapes, no maps, no goroutines. The machine has
// addresses and ints of 32 bits.
package main

import (
	"flag"
	"fmt"
	"go/types"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

const module = "github.com/concord-nn/concord/"

// The packages with references, and with what they need in a module.
const references, support = module + "op", module + "internal/wasmobj/support"

// inErrors are the functions that only errors call, which references do not run into.
var inErrors = []string{"fmt.Errorf", "fmt.Fprint", "fmt.Sprintf", "(*strings.Builder).String", "(*strings.Builder).WriteByte",
	"(*" + module + "tensor.Tensor).Describe"}

func main() {
	out := flag.String("o", "references.bin", "the `file` to write")
	flag.Parse()
	object, err := compile()
	if err == nil {
		err = os.WriteFile(*out, object.Marshal(), 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// compile returns the object with the kernels of all operators.
func compile() (*wasmobj.Object, error) {
	config := &packages.Config{Mode: packages.LoadAllSyntax, Env: append(os.Environ(), "GOARCH=386", "GOOS=linux", "CGO_ENABLED=0"), Dir: "../../.."}
	list, err := packages.Load(config, references, support)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		for _, e := range p.Errors {
			return nil, e
		}
	}
	program, _ := ssautil.AllPackages(list, ssa.InstantiateGenerics)
	program.Build()
	g := newGenerator(program)
	defs, ok := g.machine.global(program.ImportedPackage(references).Var("all")).v.([]*cell)
	if !ok || len(defs) != len(op.All()) {
		return nil, fmt.Errorf("the table of operators cannot be evaluated")
	}
	for i, d := range op.All() {
		if err := g.operator(d, defs[i].v.(*cell)); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	fma := program.ImportedPackage(module + "internal/fmath").Func("fmaSingle")
	g.object.Names["fma"] = wasmobj.Entry{Func: g.function(fma, false), Datum: -1}
	g.finish()
	for _, name := range slices.Sorted(maps.Keys(g.failed)) {
		if !slices.Contains(inErrors, name) {
			return nil, g.failed[name]
		}
	}
	return g.object, nil
}

// operator enters the kernels of an operator, of which the definition is evaluated.
func (g *generator) operator(d *op.Def, evaluated *cell) error {
	def := member{evaluated.v, g.program.ImportedPackage(references).Type("Def").Type()}
	if name := def.field("Name").v; name != d.Name {
		return fmt.Errorf("the table has %v in its place", name)
	}
	if c, ok := def.field("Control").v.(*closure); ok {
		g.object.Names["control "+d.Name] = g.entry(c)
	}
	for t, k := range def.field("Ref").field("Kernels").v.(*aggregate).cells {
		if d.Ref.Kernels[t] == nil {
			continue
		}
		c, ok := k.v.(*closure)
		if !ok {
			return fmt.Errorf("its kernel for %v cannot be evaluated", tensor.DType(t))
		}
		g.object.Names[d.Name+" "+tensor.DType(t).String()] = g.entry(c)
		if tensor.DType(t) == tensor.Float32 && isLoop(d) {
			g.loops(d, c)
		}
	}
	return nil
}

// member is a value with its type.
type member struct {
	v value
	t types.Type
}

// field returns a field of a struct.
func (m member) field(name string) member {
	s := m.t.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return member{m.v.(*aggregate).cells[i].v, s.Field(i).Type()}
		}
	}
	return member{}
}

// packageOf returns the path of the package that a function is from.
func packageOf(f *ssa.Function) string {
	if f.Origin() != nil {
		f = f.Origin()
	}
	if f.Pkg != nil {
		return f.Pkg.Pkg.Path()
	}
	if p := f.Parent(); p != nil {
		return packageOf(p)
	}
	if o := f.Object(); o != nil && o.Pkg() != nil {
		return o.Pkg().Path()
	}
	return ""
}

// isOurs reports whether the functions of a package are compiled, and its variables initialised.
func isOurs(path string) bool {
	return strings.HasPrefix(path, module) || slices.Contains([]string{"cmp", "math", "math/bits", "slices", "sort", "unsafe"}, path)
}
