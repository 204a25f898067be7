// Command lint is what go vet runs to check packages: what it checks anyway, staticcheck, and the linters in checks.go. These are linters of
// golangci-lint, of which the rest would compile for minutes.
//
//	(cd internal/lint && go build -o /tmp/lint) && go vet -vettool=/tmp/lint ./...
package main

import (
	"encoding/json"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/facts/deprecated"
)

func main() {
	all := analyzers()
	if name := os.Args[len(os.Args)-1]; strings.HasSuffix(name, ".cfg") && foreign(name) {
		unitchecker.Run(name, []*analysis.Analyzer{deprecated.Analyzer})
	}
	unitchecker.Main(all...)
}

// foreign tells whether only what others should know of a package is asked, and it is not ours. What is deprecated is found in moments; to go through
// the functions of the standard library would take longer than the rest.
func foreign(name string) bool {
	var unit struct {
		ImportPath string
		VetxOnly   bool
	}
	text, err := os.ReadFile(name)
	return err == nil && json.Unmarshal(text, &unit) == nil && unit.VetxOnly && !strings.HasPrefix(unit.ImportPath, "github.com/concord-nn/concord")
}
