package random

import (
	"cmp"
	"slices"
	"sync"
)

// rules returns all rules, sorted by operators.
var rules = sync.OnceValue(func() []*rule {
	var out []*rule
	for _, family := range [][]rule{elementwiseRules, activationRules, reduceRules, moveRules, gatherRules, createRules, convertRules, productRules, convRules,
		poolRules, resizeRules, normRules, recurrentRules, attentionRules, microsoftRules, signalRules, searchRules, quantRules, fusedRules, controlRules, sequenceRules} {
		for i := range family {
			out = append(out, &family[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *rule) int { return cmp.Compare(a.op, b.op) })
	return out
})
