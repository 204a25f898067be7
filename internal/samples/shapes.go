package samples

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/concord-nn/concord/model"
)

// Symbol returns the one that counts the samples: that of the first extents of inputs which a model leaves open there, if they have one symbol.
func Symbol(inputs []model.Input) (string, error) {
	var symbols []string
	for _, in := range inputs {
		if len(in.Shape) > 0 && in.Shape[0].Symbol != "" && !slices.Contains(symbols, in.Shape[0].Symbol) {
			symbols = append(symbols, in.Shape[0].Symbol)
		}
	}
	switch {
	case len(symbols) == 0:
		all := make([]string, len(inputs))
		for i, in := range inputs {
			all[i] = in.String()
		}
		return "", fmt.Errorf("no input leaves its first extent open, which counts the samples; they are %s", strings.Join(all, ", "))
	case len(symbols) > 1:
		return "", fmt.Errorf("the first extents of inputs are %s; which of them counts the samples is not known", strings.Join(symbols, ", "))
	}
	return symbols[0], nil
}

// Shapes returns those for n samples where the given ones are for any number of them, which need not be complete.
func Shapes(inputs []model.Input, given model.Shapes, n int) (model.Shapes, error) {
	symbol, err := Symbol(inputs)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(given)
	if out == nil {
		out = make(model.Shapes, 1)
	}
	for _, in := range inputs {
		if s := given[in.Name]; len(s) > 0 && len(in.Shape) > 0 && in.Shape[0].Symbol == symbol {
			out[in.Name] = slices.Concat(s[:0:0], []int{n}, s[1:])
		}
	}
	out[symbol] = []int{n}
	return out, nil
}
