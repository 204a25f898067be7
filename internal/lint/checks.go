package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"4d63.com/gocheckcompilerdirectives/checkcompilerdirectives"
	"codeberg.org/polyfloyd/go-errorlint/errorlint"
	makezero "github.com/ashanbrown/makezero/v2/pkg/analyzer"
	perfsprint "github.com/catenacyber/perfsprint/analyzer"
	"github.com/charithe/durationcheck"
	"github.com/ckaznocha/intrange"
	"github.com/golangci/unconvert"
	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/gostaticanalysis/nilerr"
	"github.com/karamaru-alpha/copyloopvar"
	"github.com/kisielk/errcheck/errcheck"
	"github.com/nishanths/predeclared/passes/predeclared"
	usestdlibvars "github.com/sashamelentyev/usestdlibvars/pkg/analyzer"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/cgocall"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stdversion"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/quickfix"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// vet has what go vet looks at.
var vet = []*analysis.Analyzer{
	appends.Analyzer, asmdecl.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer, cgocall.Analyzer, composite.Analyzer,
	copylock.Analyzer, defers.Analyzer, directive.Analyzer, errorsas.Analyzer, framepointer.Analyzer, hostport.Analyzer, httpresponse.Analyzer,
	ifaceassert.Analyzer, loopclosure.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, sigchanyzer.Analyzer,
	slog.Analyzer, stdmethods.Analyzer, stdversion.Analyzer, stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer, tests.Analyzer,
	timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer, waitgroup.Analyzer,
}

// without has the checks of staticcheck that we do without: one on how names are written, and two that take as long as fifty others each, to find a
// Sprintf in a Println, and a conversion of bytes that are printed.
var without = []string{"ST1003", "S1038", "QF1010"}

// elsewhere has files that a check passes over, behind the paths of their packages. The training of examples has bits of its own. T(a*b)+c keeps
// compilers from fusing the two, which unconvert does not see in generic code.
var elsewhere = map[string]*regexp.Regexp{
	"errcheck":  regexp.MustCompile(`_test\.go$`),
	"portable":  regexp.MustCompile(`_test\.go$|/concord/examples/`),
	"unconvert": regexp.MustCompile(`/concord/(op|internal/fmath|internal/kernel)(_test)?/`),
}

// closing has functions whose errors may be passed over: writers report their first one at the end, and what was only read may fail to close.
var closing = []string{
	"fmt.Fprint",
	"fmt.Fprintf",
	"fmt.Fprintln",
	"(*bufio.Writer).WriteString",
	"(*os.File).Close",
	"(*github.com/concord-nn/concord/cmd/concord.table).Flush",
	"(*github.com/concord-nn/concord/nnef.File).Close",
	"(*github.com/concord-nn/concord/nnef.Model).Close",
	"(*github.com/concord-nn/concord/onnx/proto.File).Close",
	"(io.Closer).Close",
	"(io/fs.File).Close",
	"(*compress/gzip.Reader).Close",
	"(*github.com/concord-nn/concord.Model).Close",
	"(*github.com/concord-nn/concord/internal/nnef/container.Container).Close",
	"(*github.com/concord-nn/concord/internal/stage.Stage).Close",
	"(*os.Root).Close",
	"os.RemoveAll",
}

// analyzers has all checks.
func analyzers() []*analysis.Analyzer {
	errcheck.DefaultExcludedSymbols = append(errcheck.DefaultExcludedSymbols, closing...)
	list := slices.Concat(vet, []*analysis.Analyzer{
		checkcompilerdirectives.Analyzer(), errorlint.NewAnalyzer(), makezero.NewAnalyzer(), durationcheck.Analyzer, intrange.Analyzer, ineffassign.Analyzer,
		nilerr.Analyzer, copyloopvar.NewAnalyzer(), errcheck.Analyzer, predeclared.Analyzer, usestdlibvars.New(), formatting(), conversions, portable,
		documented, used,
	})
	for _, checks := range [][]*lint.Analyzer{staticcheck.Analyzers, simple.Analyzers, stylecheck.Analyzers, quickfix.Analyzers} {
		for _, c := range checks {
			if !slices.Contains(without, c.Analyzer.Name) {
				list = append(list, c.Analyzer)
			}
		}
	}
	for _, a := range list {
		excusable(a)
	}
	return append(list, needed(list))
}

// formatting finds calls of fmt that a conversion is quicker than.
func formatting() *analysis.Analyzer {
	a := perfsprint.New()
	for _, f := range []string{"errorf", "strconcat", "concat-loop"} {
		if err := a.Flags.Set(f, "false"); err != nil {
			panic(err)
		}
	}
	return a
}

// own returns an analyzer of ours.
func own(name, doc string, run func(*analysis.Pass) (any, error), requires ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: doc, Run: run, Requires: requires}
}

var conversions = own("unconvert", "finds conversions to a type that a value has", func(pass *analysis.Pass) (any, error) {
	for _, at := range unconvert.Run(pass) {
		for _, f := range pass.Files {
			if file := pass.Fset.File(f.Package); file.Name() == at.Filename {
				pass.Reportf(file.LineStart(at.Line)+token.Pos(at.Column-1), "unnecessary conversion")
			}
		}
	}
	return nil, nil
})

var used = own("unused", "finds what nothing uses", func(pass *analysis.Pass) (any, error) {
	for _, o := range pass.ResultOf[unused.Analyzer.Analyzer].(unused.Result).Unused {
		for _, f := range pass.Files {
			if file := pass.Fset.File(f.Package); file.Name() == o.Position.Filename {
				pass.Reportf(file.Pos(o.Position.Offset), "%s %s is unused", o.Kind, o.Name)
			}
		}
	}
	return nil, nil
}, unused.Analyzer.Analyzer)

// unportable has the functions of package math whose results differ between processors.
var unportable = regexp.MustCompile("^(Exp|Exp2|Expm1|Log|Log2|Log10|Log1p|Pow|Sin|Cos|Sincos|Tan|Sinh|Cosh|Tanh|" +
	"Asin|Acos|Atan|Atan2|Asinh|Acosh|Atanh|Erf|Erfc|Cbrt|Hypot)$")

var portable = own("portable", "finds functions whose results differ between processors", func(pass *analysis.Pass) (any, error) {
	for id, o := range pass.TypesInfo.Uses {
		if o.Pkg() != nil && o.Pkg().Path() == "math" && unportable.MatchString(o.Name()) {
			pass.Reportf(id.Pos(), "the result of math.%s differs between processors; use internal/fmath (docs/numerics.md)", o.Name())
		}
	}
	return nil, nil
})

var documented = own("documented", "finds public names without a comment", func(pass *analysis.Pass) (any, error) {
	for _, f := range pass.Files {
		if ast.IsGenerated(f) || strings.HasSuffix(pass.Fset.File(f.Package).Name(), "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && public(d) {
					bare(pass, d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if d.Doc == nil && s.Doc == nil {
							bare(pass, s.Name)
						}
					case *ast.ValueSpec:
						if d.Doc == nil && s.Doc == nil && s.Comment == nil {
							bare(pass, s.Names...)
						}
					}
				}
			}
		}
	}
	return nil, nil
})

// bare reports those of some names without a comment that are public.
func bare(pass *analysis.Pass, names ...*ast.Ident) {
	for _, n := range names {
		if n.IsExported() {
			pass.Reportf(n.Pos(), "%s has no comment", n.Name)
		}
	}
}

// standard has methods that interfaces of the standard library explain.
var standard = []string{"Error", "String", "Len", "Less", "Swap", "Read", "Write", "Close", "Unwrap", "ServeHTTP"}

// public tells whether a function that has a public name can be called by it from outside.
func public(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch g := t.(type) { // of a generic type
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	return t.(*ast.Ident).IsExported() && !slices.Contains(standard, d.Name.Name)
}
