package metrics

import (
	"fmt"
	"strings"
)

// Versions is how many versions are known.
func Versions(m *Metrics) int { return len(*m.calls.Load()) }

// Tables are those of the page on metrics: of own names, of Triton's, and of the process.
func Tables() (tables []string) {
	for _, list := range [][]family{ownFamilies, tritonFamilies, processFamilies} {
		var b strings.Builder
		fmt.Fprint(&b, "| metric | kind | labels | what it says |\n| --- | --- | --- | --- |\n")
		for _, f := range list {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, f.kind, strings.Join(f.labels, ", "), f.help)
		}
		tables = append(tables, b.String())
	}
	return tables
}

// Series are the names by which a board may ask, with Concord's names.
func Series() map[string]bool {
	all := make(map[string]bool)
	for _, list := range [][]family{ownFamilies, processFamilies} {
		for _, f := range list {
			if f.kind != histogram {
				all[f.name] = true
				continue
			}
			for _, ending := range []string{"_bucket", "_sum", "_count"} {
				all[f.name+ending] = true
			}
		}
	}
	return all
}
