package samples

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/concord-nn/concord/model"
)

// Count says which extents of a model's inputs count the samples: first ones.
type Count struct {
	// Symbol stands for their number where the model leaves it open; "" for a model that fixes first extents at 1, all of which count then.
	Symbol string
}

// CountOf returns what counts the samples of a model: one symbol, which other extents do not have, or ones where there is none.
func CountOf(inputs []model.Input) (Count, error) {
	var symbols, all []string
	fixed := false
	for _, in := range inputs {
		if all = append(all, in.String()); in.Unranked || len(in.Shape) == 0 {
			continue
		}
		first := in.Shape[0]
		if fixed = fixed || first.Symbol == "" && first.Extent == 1; first.Symbol != "" && !slices.Contains(symbols, first.Symbol) {
			symbols = append(symbols, first.Symbol)
		}
	}
	switch {
	case len(symbols) == 0 && !fixed:
		return Count{}, fmt.Errorf("no input has a first extent that is open or 1, which counts the samples; they are %s", strings.Join(all, ", "))
	case len(symbols) == 0:
		return Count{}, nil
	case len(symbols) > 1:
		return Count{}, fmt.Errorf("the first extents of inputs are %s; which of them counts the samples is not known", strings.Join(symbols, ", "))
	}
	for _, in := range inputs {
		for k, d := range in.Shape {
			if k > 0 && d.Symbol == symbols[0] {
				return Count{}, fmt.Errorf("the first extent %s, which would count the samples, is another one as well, of input %v", d.Symbol, in)
			}
		}
	}
	return Count{symbols[0]}, nil
}

// Of reports whether the first extent of an input counts the samples.
func (c Count) Of(in model.Input) bool {
	if in.Unranked || len(in.Shape) == 0 {
		return false
	}
	if first := in.Shape[0]; c.Symbol == "" {
		return first.Symbol == "" && first.Extent == 1
	}
	return in.Shape[0].Symbol == c.Symbol
}

// Shapes returns those for n samples where the given ones are for any number of them, which need not be complete.
func Shapes(inputs []model.Input, given model.Shapes, n int) (model.Shapes, error) {
	count, err := CountOf(inputs)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(given)
	if out == nil {
		out = make(model.Shapes, 1)
	}
	named := count.Symbol != "" && slices.ContainsFunc(inputs, func(in model.Input) bool { return in.Name == count.Symbol })
	for _, in := range inputs {
		if !count.Of(in) {
			continue
		}
		s := given[in.Name]
		if s == nil && (count.Symbol == "" && n != 1 || named) {
			rest, closed := in.Shape[1:].Extents()
			switch {
			case closed:
				s = slices.Concat([]int{n}, rest)
			case !named:
				return nil, fmt.Errorf("input %v: its shape must be given", in)
			}
		}
		if len(s) > 0 {
			out[in.Name] = slices.Concat(s[:0:0], []int{n}, s[1:])
		}
	}
	if count.Symbol != "" && !named { // the name means the input
		out[count.Symbol] = []int{n}
	}
	return out, nil
}

// FixedError says that a model whose inputs all have a first extent of 1, none an open one, cannot be made for several samples.
type FixedError struct {
	Inputs  string // with their shapes
	Samples int
	Err     error // what is wrong with it then
}

// Error says both.
func (e *FixedError) Error() string { return e.Reason() + ": " + e.Err.Error() }

// Reason says it without what is wrong then.
func (e *FixedError) Reason() string {
	return fmt.Sprintf("no input leaves its first extent open, which counts the samples; they are %s, and the model does not work with %d in place of 1", e.Inputs, e.Samples)
}

// Unwrap returns what is wrong with the model.
func (e *FixedError) Unwrap() error { return e.Err }

// Fixed returns the error of making a model for n samples, or a *[FixedError] around it, if the model leaves no first extent open.
func Fixed(inputs []model.Input, n int, err error) error {
	if count, other := CountOf(inputs); n < 2 || other != nil || count.Symbol != "" {
		return err
	}
	all := make([]string, len(inputs))
	for i, in := range inputs {
		all[i] = in.String()
	}
	return &FixedError{strings.Join(all, ", "), n, err}
}
