package webnn

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestLimitsAreSupported holds the tables of the standard against what follows from the operators: everything that the tables
// allow is supported, and what they require is allowed. (Of isNaN and isInfinite a step lets only floats pass.)
func TestLimitsAreSupported(t *testing.T) {
	got := opSupportLimits(1000).Operators
	for i := range methods {
		m := &methods[i]
		s, err := newSample(m)
		if err != nil {
			t.Errorf("the sample of %s is rejected: %v", m.name, err)
			continue
		}
		supported := s.limits()
		if len(got[m.name]) != len(m.limits) || len(supported) != len(m.limits) {
			t.Errorf("%s has limits for %d operands; want %d", m.name, len(got[m.name]), len(m.limits))
		}
		for name, g := range got[m.name] {
			if w := supported[name]; !slices.Equal(g.DataTypes, w.DataTypes) || g.RankRange != w.RankRange {
				t.Errorf("%s.%s: the limits are %v; the operators support %v", m.name, name, g, w)
			}
			text := required(m, name)
			for _, d := range text.RequiredTypes {
				if d, err := tensor.ParseDType(d); err != nil || !slices.Contains(g.DataTypes, d) {
					t.Errorf("%s.%s: the required type %v is missing in %v", m.name, name, d, g.DataTypes)
				}
			}
			if r := text.RequiredRanks; g.RankRange.Min > r.Min || g.RankRange.Max < r.Max {
				t.Errorf("%s.%s: ranks %v do not include the required %v", m.name, name, g.RankRange, r)
			}
		}
	}
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
