package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// unified returns the difference of two texts in the unified format, with three lines of context; it is empty if they
// are equal. Lines that occur once in each text and in the same order are taken for the same, so that the cost is that
// of sorting, whatever the texts hold.
func unified(oldName, newName, before, after string) string {
	if before == after {
		return ""
	}
	const context = 3
	x, y := lines(before), lines(after)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	var body []string      // of the open hunk
	fromX, fromY := 0, 0   // where the open hunk starts
	doneX, doneY := 0, 0   // lines before these are dealt with
	countX, countY := 0, 0 // lines of the open hunk
	keep := func(n int) {
		for _, s := range x[doneX : doneX+n] {
			body = append(body, " "+s)
		}
		doneX, doneY, countX, countY = doneX+n, doneY+n, countX+n, countY+n
	}
	flush := func() {
		if countX > 0 || countY > 0 {
			fmt.Fprintf(&b, "@@ -%s +%s @@\n%s", hunkRange(fromX, countX), hunkRange(fromY, countY), strings.Join(body, ""))
		}
		body, countX, countY = nil, 0, 0
	}
	for _, m := range anchors(x, y) {
		if m.x < doneX || m.y < doneY {
			continue // within what an earlier anchor was extended to
		}
		start, end := m, m
		for start.x > doneX && start.y > doneY && x[start.x-1] == y[start.y-1] {
			start.x, start.y = start.x-1, start.y-1
		}
		for end.x < len(x) && end.y < len(y) && x[end.x] == y[end.y] {
			end.x, end.y = end.x+1, end.y+1
		}
		for _, s := range x[doneX:start.x] {
			body = append(body, "-"+s)
		}
		for _, s := range y[doneY:start.y] {
			body = append(body, "+"+s)
		}
		countX, countY = countX+start.x-doneX, countY+start.y-doneY
		doneX, doneY = start.x, start.y
		same, last := end.x-start.x, end.x == len(x) && end.y == len(y)
		if len(body) > 0 {
			if !last && same <= 2*context {
				keep(same)
				continue
			}
			keep(min(same, context))
			flush()
		}
		if last {
			break
		}
		// The next hunk starts with the end of what is the same.
		lead := min(context, end.x-doneX)
		doneX, doneY = end.x-lead, end.y-lead
		fromX, fromY = doneX, doneY
		keep(lead)
	}
	return b.String()
}

// hunkRange writes where a hunk starts, counted from 1, and its number of lines.
func hunkRange(from, count int) string {
	if count > 0 {
		from++
	}
	return fmt.Sprintf("%d,%d", from, count)
}

// lines splits a text behind its newlines. A last line without one says so, as programs that apply differences expect.
func lines(s string) []string {
	list := strings.SplitAfter(s, "\n")
	if last := len(list) - 1; list[last] == "" {
		list = list[:last]
	} else {
		list[last] += "\n\\ No newline at end of file\n"
	}
	return list
}

// match is a pair of equal lines.
type match struct{ x, y int }

// anchors returns pairs of lines that occur once in each text, the longest list of them that ascends in both, between the
// starts and the ends of the texts.
func anchors(x, y []string) []match {
	places := make(map[string]*[4]int) // number of times in x and y, and the last places
	count := func(list []string, side int) {
		for i, s := range list {
			p := places[s]
			if p == nil {
				p = new([4]int)
				places[s] = p
			}
			p[side]++
			p[2+side] = i
		}
	}
	count(x, 0)
	count(y, 1)
	var unique []match
	for i, s := range x {
		if p := places[s]; p[0] == 1 && p[1] == 1 {
			unique = append(unique, match{i, p[3]})
		}
	}
	// The longest ascending subsequence of the places in y: tops[k] ends the best one of length k+1.
	var tops []int
	before := make([]int, len(unique))
	for i, m := range unique {
		k, _ := slices.BinarySearchFunc(tops, m.y, func(t, y int) int { return unique[t].y - y })
		before[i] = -1
		if k > 0 {
			before[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	list := []match{{len(x), len(y)}}
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = before[i] {
			list = append(list, unique[i])
		}
	}
	list = append(list, match{0, 0})
	slices.Reverse(list)
	return between(x, y, list)
}

// between adds, where few lines stand between two anchors, the longest list of equal lines there.
func between(x, y []string, list []match) []match {
	var all []match
	for i, m := range list {
		all = append(all, m)
		if i+1 == len(list) {
			break
		}
		p, q := x[m.x:list[i+1].x], y[m.y:list[i+1].y]
		if len(p)*len(q) > limits.DiffCells {
			continue
		}
		// common[j][k] is the number of equal lines in p[j:] and q[k:].
		common := make([][]int, len(p)+1)
		common[len(p)] = make([]int, len(q)+1)
		for j := len(p) - 1; j >= 0; j-- {
			common[j] = make([]int, len(q)+1)
			for k := len(q) - 1; k >= 0; k-- {
				if common[j][k] = max(common[j+1][k], common[j][k+1]); p[j] == q[k] {
					common[j][k] = common[j+1][k+1] + 1
				}
			}
		}
		for j, k := 0, 0; j < len(p) && k < len(q); {
			switch {
			case p[j] == q[k]:
				all = append(all, match{m.x + j, m.y + k})
				j, k = j+1, k+1
			case common[j+1][k] >= common[j][k+1]:
				j++
			default:
				k++
			}
		}
	}
	return all
}
