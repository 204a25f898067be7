package webnn

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestLimitsAreTheTexts holds what is derived from the operators against the tables of the standard: everything that these
// allow is supported, and nothing else.
func TestLimitsAreTheTexts(t *testing.T) {
	got := opSupportLimits(1000).Operators
	for i := range methods {
		name := methods[i].name
		if _, err := newSample(&methods[i]); err != nil {
			t.Errorf("the sample of %s is rejected: %v", name, err)
		}
		if len(got[name]) != len(tensorLimits[name]) {
			t.Errorf("%s has limits for %d operands; want %d", name, len(got[name]), len(tensorLimits[name]))
		}
	}
	for name, rows := range tensorLimits {
		want := make(map[string]TensorLimits)
		for _, row := range rows {
			w := TensorLimits{row.types, RankRange{row.minRank, row.maxRank}}
			if name == "isNaN" || name == "isInfinite" {
				// The tables allow every type for a, but the steps let only floats pass.
				w.DataTypes = row.requiredTypes
			}
			if row.sameType != "" {
				w.DataTypes = want[row.sameType].DataTypes
			}
			if row.sameRank != "" {
				w.RankRange = want[row.sameRank].RankRange
			}
			want[row.name] = w
			g := got[name][row.name]
			if !sameMembers(g.DataTypes, w.DataTypes) || g.RankRange != w.RankRange {
				t.Errorf("%s.%s: the limits are %v; want %v", name, row.name, g, w)
			}
			for _, d := range row.requiredTypes {
				if !slices.Contains(g.DataTypes, d) {
					t.Errorf("%s.%s: the required type %v is missing in %v", name, row.name, d, g.DataTypes)
				}
			}
			if g.RankRange.Min > row.requiredMin || g.RankRange.Max < row.requiredMax {
				t.Errorf("%s.%s: ranks %v do not include the required %d to %d", name, row.name, g.RankRange, row.requiredMin, row.requiredMax)
			}
		}
	}
}

func sameMembers(a, b []tensor.DType) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func TestLimitsOfContext(t *testing.T) {
	c, err := ML{}.CreateContext(&ContextOptions{MaxTensorByteLength: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	limits := c.OpSupportLimits()
	if limits.PreferredInputLayout != "nchw" || limits.MaxTensorByteLength != 1000 {
		t.Errorf("the limits are %v and %v", limits.PreferredInputLayout, limits.MaxTensorByteLength)
	}
	for _, l := range []TensorLimits{limits.Input, limits.Constant, limits.Output} {
		if !slices.Equal(l.DataTypes, DataTypes) || l.RankRange != (RankRange{0, 8}) {
			t.Errorf("the limits of inputs, constants and outputs are %v", l)
		}
	}
	// What a caller does with the answer changes no other answer.
	limits.Input.DataTypes[0] = tensor.Bool
	limits.Operators["add"]["a"].DataTypes[0] = tensor.Bool
	limits.Operators["add"]["b"] = TensorLimits{}
	again := c.OpSupportLimits()
	if again.Input.DataTypes[0] == tensor.Bool || again.Operators["add"]["a"].DataTypes[0] == tensor.Bool || again.Operators["add"]["b"].DataTypes == nil {
		t.Error("answers share memory")
	}
}

func TestLimitsAsJSON(t *testing.T) {
	text, err := json.Marshal(opSupportLimits(2147483647))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"preferredInputLayout": `"nchw"`,
		"maxTensorByteLength":  `2147483647`,
		"input":                `{"dataTypes":["float32","float16","int32","uint32","int64","uint64","int8","uint8"],"rankRange":{"min":0,"max":8}}`,
		"logicalNot":           `{"a":{"dataTypes":["uint8"],"rankRange":{"min":0,"max":8}},"output":{"dataTypes":["uint8"],"rankRange":{"min":0,"max":8}}}`,
		"argMax": `{"input":{"dataTypes":["float32","float16","int32","uint32","int64","uint64","int8","uint8"],"rankRange":{"min":1,"max":8}},` +
			`"output":{"dataTypes":["int32","int64"],"rankRange":{"min":0,"max":8}}}`,
	} {
		if got := string(members[name]); got != want {
			t.Errorf("%s is %s; want %s", name, got, want)
		}
	}
	if len(members) != 5+len(methods) {
		t.Errorf("there are %d members; want %d", len(members), 5+len(methods))
	}
}
