package main

import (
	"fmt"
	"go/token"
	"path/filepath"
	"regexp"
	"sync"

	"golang.org/x/tools/go/analysis"
)

var (
	// nolint is a comment that excuses its line from a check, and says why. The checks of staticcheck share its name.
	nolint = regexp.MustCompile(`^//nolint:(\w+) // .`)
	static = regexp.MustCompile(`^(SA|S|ST|QF)\d+$`)
)

// excused are the comments that have excused a line.
var excused sync.Map // of token.Pos

// excusable makes an analyzer pass over files in which its findings do not matter, and lines that are excused.
func excusable(a *analysis.Analyzer) {
	run, files := a.Run, elsewhere[a.Name]
	a.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			at := pass.Fset.Position(d.Pos)
			if files != nil && files.MatchString(pass.Pkg.Path()+"/"+filepath.Base(at.Filename)) {
				return
			}
			for c, name := range excuses(pass) {
				named := name == a.Name || name == "staticcheck" && static.MatchString(a.Name)
				if p := pass.Fset.Position(c); named && p.Filename == at.Filename && p.Line == at.Line {
					excused.Store(c, true)
					return
				}
			}
			d.Message = fmt.Sprintf("%s (%s)", d.Message, a.Name)
			report(d)
		}
		return run(pass)
	}
}

// needed finds comments that excuse nothing, once the others have run.
func needed(others []*analysis.Analyzer) *analysis.Analyzer {
	return own("nolint", "finds comments that excuse nothing", func(pass *analysis.Pass) (any, error) {
		for c, name := range excuses(pass) {
			if _, ok := excused.Load(c); !ok {
				pass.Reportf(c, "%s finds nothing here (nolint)", name)
			}
		}
		return nil, nil
	}, others...)
}

// excuses finds the comments that excuse lines, and the check that they name.
func excuses(pass *analysis.Pass) map[token.Pos]string {
	found := map[token.Pos]string{}
	for _, f := range pass.Files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				if m := nolint.FindStringSubmatch(c.Text); m != nil {
					found[c.Pos()] = m[1]
				}
			}
		}
	}
	return found
}
