package metrics_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/serve/internal/metrics"
)

// queries returns what a board asks, or its variables by label_values.
func queries(t *testing.T, v any) (list []string) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && (key == "expr" || key == "query" && strings.Contains(text, "(")) {
				list = append(list, text)
			} else {
				list = append(list, queries(t, value)...)
			}
		}
	case []any:
		for _, value := range v {
			list = append(list, queries(t, value)...)
		}
	}
	return list
}

var (
	selector = regexp.MustCompile(`\b((?:concord|process|go)_\w+)(?:{([^}]*)})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(?:=~|!=|=)`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// TestBoard holds the queries of Grafana's board, and of the page, to metrics and labels that there are. What Prometheus adds are job and instance.
func TestBoard(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board any
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	list := queries(t, board)
	if len(list) < 20 {
		t.Errorf("the board has %d queries", len(list))
	}
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^    (\S.*)$`).FindAllStringSubmatch(string(page), -1) {
		list = append(list, m[1])
	}
	series := metrics.Series()
	for _, q := range list {
		known := []string{"job", "instance"}
		found := selector.FindAllStringSubmatch(q, -1)
		if len(found) == 0 {
			t.Errorf("%s asks for nothing", q)
		}
		for _, m := range found {
			labels, ok := series[m[1]]
			if !ok {
				t.Errorf("%s: there is no %s", q, m[1])
			}
			known = append(known, labels...)
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(labels, l[1]) && l[1] != "job" {
					t.Errorf("%s: %s has no label %s", q, m[1], l[1])
				}
			}
		}
		for _, m := range grouping.FindAllStringSubmatch(q, -1) {
			for _, l := range strings.Split(m[1], ", ") {
				if !slices.Contains(known, l) {
					t.Errorf("%s: nothing has the label %s", q, l)
				}
			}
		}
	}
	testdata.Exhaustive(t, "starts a program that few have")
	understood(t, list)
}

// understood asks Prometheus's own tool about the language of queries.
func understood(t *testing.T, list []string) {
	t.Helper()
	var rules strings.Builder
	fmt.Fprintln(&rules, "groups:\n- name: board\n  rules:")
	variables := strings.NewReplacer("$__rate_interval", "5m", "$__interval", "1m")
	for i, q := range list {
		if !strings.HasPrefix(q, "label_values(") { // which is Grafana's
			fmt.Fprintf(&rules, "  - record: query_%d\n    expr: %q\n", i, variables.Replace(q))
		}
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("promtool", "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
