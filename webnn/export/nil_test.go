package export_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/export"
)

// TestNil: what is nil or zero is an error.
func TestNil(t *testing.T) {
	for name, f := range map[string]func() error{
		"New":           func() error { _, err := export.New(nil, export.Options{}); return err },
		"New of a zero": func() error { _, err := export.New(&graph.Graph{}, export.Options{}); return err },
		"Build":         func() error { _, err := export.Build(nil, nil, export.Options{}); return err },
		"Build on nothing": func() error {
			_, err := export.Build(nil, parse(t, "graph g(x) -> (y) { x = external<scalar>(shape = [2]); y = relu(x); }"), export.Options{})
			return err
		},
		"Build on a zero": func() error {
			_, err := export.Build(new(webnn.GraphBuilder), parse(t, "graph g(x) -> (y) { x = external<scalar>(shape = [2]); y = relu(x); }"), export.Options{})
			return err
		},
		"Files":           func() error { _, err := (*export.Model)(nil).Files("w"); return err },
		"Files of a zero": func() error { _, err := new(export.Model).Files("w"); return err },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
}
