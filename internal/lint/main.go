// Command lint is what go vet runs to check packages: what it checks anyway, staticcheck, and the linters in checks.go. These are linters of
// golangci-lint, of which the rest would compile for minutes.
//
//	(cd internal/lint && go build -o /tmp/lint) && go vet -vettool=/tmp/lint ./...
package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/facts/deprecated"
)

func main() {
	all := analyzers()
	if name := os.Args[len(os.Args)-1]; strings.HasSuffix(name, ".cfg") {
		all = asked(name, all)
	}
	unitchecker.Main(all...)
}

// asked returns those of some checks that a file of go vet asks for. Where it asks only what others should know of a package, that are those that have
// facts; unitchecker would run all, as the check of excuses needs them. Of a package that is not ours it is only what is deprecated, which is found in
// moments: to go through the functions of the standard library would take longer than the rest.
func asked(name string, all []*analysis.Analyzer) []*analysis.Analyzer {
	var unit struct {
		ImportPath string
		VetxOnly   bool
	}
	text, err := os.ReadFile(name)
	switch {
	case err != nil || json.Unmarshal(text, &unit) != nil || !unit.VetxOnly:
		return all
	case !strings.HasPrefix(unit.ImportPath, "github.com/concord-nn/concord"):
		return []*analysis.Analyzer{deprecated.Analyzer}
	}
	return factual(nil, all)
}

// factual adds those checks that have facts, of some and of what they need, to a list.
func factual(list, of []*analysis.Analyzer) []*analysis.Analyzer {
	for _, a := range of {
		if len(a.FactTypes) > 0 && !slices.Contains(list, a) {
			list = append(list, a)
		}
		list = factual(list, a.Requires)
	}
	return list
}
