package openvx_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/openvx"
)

// TestReference holds compatible contexts to what the sample implementation computed, bit for bit, where that agrees with the rules: see
// testdata/reference/README.md.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference/layers.json")
	check(t, err)
	var cases []layerCase
	check(t, json.Unmarshal(data, &cases))
	ctx, err := openvx.NewContext(openvx.Options{Compatible: true})
	check(t, err)
	defer ctx.Release()
	differ := map[string]bool{} // layers of which the standard says something else
	for i, c := range cases {
		if c.expected(false).Check(c.Out.Values) != nil {
			differ[c.Layer] = true
		}
		t.Run(fmt.Sprintf("%d %s %s", i, c.Layer, c.Format), func(t *testing.T) {
			if err := c.expected(true).Check(c.Out.Values); err != nil {
				t.Errorf("the rules do not say so: %v", err)
			}
			if got := c.run(t, ctx); !slices.Equal(got, c.Out.Values) {
				t.Errorf("%v, want %v", got, c.Out.Values)
			}
		})
	}
	if got := naming.Sorted(differ); !slices.Equal(got, []string{"convolution", "deconvolution", "pooling", "roi_pooling"}) {
		t.Errorf("cases show what the compatible mode is for in %v", got)
	}
}
