package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/model"
)

// addBatch gives the symbol that counts the samples a number: that of the first extents of inputs which a model leaves open there, if they have
// one symbol.
func addBatch(inputs []model.Input, shapes model.Shapes, n int) error {
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
		return fmt.Errorf("--batch: no input leaves its first extent open, which counts the samples; they are %s", strings.Join(all, ", "))
	case len(symbols) > 1:
		return fmt.Errorf("--batch: the first extents of inputs are %s; which of them counts the samples is not known: give --shape NAME=N", strings.Join(symbols, ", "))
	}
	for _, in := range inputs {
		if s := shapes[in.Name]; len(s) > 0 && len(in.Shape) > 0 && in.Shape[0].Symbol == symbols[0] {
			shapes[in.Name] = slices.Concat(s[:0:0], []int{n}, s[1:])
		}
	}
	shapes[symbols[0]] = []int{n}
	return nil
}
