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

// Series are the series that have Concord's names, with their labels.
func Series() map[string][]string {
	all := make(map[string][]string)
	for _, list := range [][]family{ownFamilies, processFamilies} {
		for _, f := range list {
			if f.kind != histogram {
				all[f.name] = f.labels
				continue
			}
			all[f.name+"_bucket"] = append(f.labels[:len(f.labels):len(f.labels)], "le")
			all[f.name+"_sum"], all[f.name+"_count"] = f.labels, f.labels
		}
	}
	return all
}
