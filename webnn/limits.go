package webnn

import (
	"encoding/json"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// OpSupportLimits is MLOpSupportLimits (https://www.w3.org/TR/webnn/#api-mlcontext-opsupportlimits-dictionary): what the
// operands of a context may be. Each call of [Context.OpSupportLimits] makes a new one, which the caller may change.
type OpSupportLimits struct {
	PreferredInputLayout InputOperandLayout // [LayoutNCHW]
	MaxTensorByteLength  int64
	Input                TensorLimits
	Constant             TensorLimits
	Output               TensorLimits
	// Operators has the limits of each builder method by its name. In the standard these are members beside the others.
	Operators map[string]OperatorLimits
}

// OperatorLimits has the limits of the operands of a builder method, by the names of the members of its dictionary:
// "input", "filter", "output", "outputs", "output0" and so on.
type OperatorLimits map[string]TensorLimits

// TensorLimits is MLTensorLimits (https://www.w3.org/TR/webnn/#api-mlcontext-tensorlimits-dictionary).
type TensorLimits struct {
	DataTypes []tensor.DType
	RankRange RankRange
}

// RankRange is MLRankRange (https://www.w3.org/TR/webnn/#api-mlcontext-rankrange-dictionary). Both bounds are allowed.
type RankRange struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// MarshalJSON writes the dictionary of the standard: the methods are members beside the others.
func (o OpSupportLimits) MarshalJSON() ([]byte, error) {
	members := map[string]any{
		"preferredInputLayout": o.PreferredInputLayout,
		"maxTensorByteLength":  o.MaxTensorByteLength,
		"input":                o.Input,
		"constant":             o.Constant,
		"output":               o.Output,
	}
	for name, limits := range o.Operators {
		members[name] = limits
	}
	return json.Marshal(members)
}

// MarshalJSON writes data types by their names in the standard.
func (t TensorLimits) MarshalJSON() ([]byte, error) {
	names := make([]string, len(t.DataTypes))
	for i, d := range t.DataTypes {
		names[i] = d.String()
	}
	return json.Marshal(struct {
		DataTypes []string  `json:"dataTypes"`
		RankRange RankRange `json:"rankRange"`
	}{names, t.RankRange})
}

// opSupportLimits returns the limits of a context with the given bound. Those of the methods are what the tables of the standard
// allow and the definitions of the operators support.
func opSupportLimits(maxTensorByteLength int64) *OpSupportLimits {
	o := &OpSupportLimits{
		PreferredInputLayout: LayoutNCHW,
		MaxTensorByteLength:  maxTensorByteLength,
		Input:                tensorLimits(DataTypes, 0, MaxRank),
		Constant:             tensorLimits(DataTypes, 0, MaxRank),
		Output:               tensorLimits(DataTypes, 0, MaxRank),
		Operators:            make(map[string]OperatorLimits, len(methods)),
	}
	for _, m := range methods {
		all := make(OperatorLimits, len(m.limits))
		for _, row := range m.limits {
			t := tensorLimits(row.types, row.minRank, row.maxRank)
			if row.sameType != "" {
				t.DataTypes = slices.Clone(all[row.sameType].DataTypes)
			}
			if row.sameRank != "" {
				t.RankRange = all[row.sameRank].RankRange
			}
			all[row.name] = t
		}
		o.Operators[m.name] = all
	}
	return o
}

// tensorLimits lists data types in their order, which is no part of others' memory.
func tensorLimits(types []tensor.DType, least, most int) TensorLimits {
	t := TensorLimits{RankRange: RankRange{least, most}}
	for _, d := range DataTypes {
		if slices.Contains(types, d) {
			t.DataTypes = append(t.DataTypes, d)
		}
	}
	return t
}

// operandLimits is a row of one of the tables "Tensor limits" of the standard.
type operandLimits struct {
	name             string         // the operand, or "output", "outputs", "output0" and so on
	types            []tensor.DType // the allowed data types; nil if sameType is set
	sameType         string         // the operand whose type it must have
	minRank, maxRank int            // the allowed ranks
	sameRank         string         // the operand whose rank it must have
}
