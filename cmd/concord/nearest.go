package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// meant suggests which of some names was meant, as the end of a message: those that are few letters away or begin or end alike; "" if none is.
func meant(word string, names []string) string {
	const most = 3
	type near struct {
		name     string
		distance int
	}
	var list []near
	lower := strings.ToLower(word)
	for _, name := range names {
		other := strings.ToLower(name)
		d := letters(lower, other)
		if len(lower) > 1 && (strings.HasPrefix(other, lower) || strings.HasSuffix(other, lower)) {
			d = min(d, 2)
		}
		if d <= 1+len(lower)/4 && name != word {
			list = append(list, near{name, d})
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var words []string
	for _, n := range list[:min(most, len(list))] {
		words = append(words, strconv.Quote(n.name))
	}
	return "; do you mean " + strings.Join(words, " or ") + "?"
}

// letters counts those to insert, delete or replace to get from a to b; names of very different length are far apart.
func letters(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
