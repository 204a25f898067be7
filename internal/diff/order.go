package diff

import "slices"

// window is how many of the remaining operators are looked at together, so that the work stays linear. Matches in the last
// part of a window are left to the next one, which sees what follows.
const (
	window  = 512
	trusted = window * 3 / 4
)

// inOrder matches unmatched operators that stand in the same order in the same gap between matched ones.
func (al *alignment) inOrder() {
	var rest [2][]*operator
	var gaps [2][]gap
	for i, s := range al.sides {
		all := s.gaps()
		for _, o := range s.net.ops {
			if s.match[o.id] < 0 {
				rest[i] = append(rest[i], o)
				gaps[i] = append(gaps[i], all[o.id])
			}
		}
	}
	for len(rest[0]) > 0 && len(rest[1]) > 0 {
		n, m := min(window, len(rest[0])), min(window, len(rest[1]))
		most := window
		if len(rest[0]) > n || len(rest[1]) > m {
			most = trusted
		}
		n, m = al.common(rest[0][:n], rest[1][:m], gaps[0], gaps[1], most)
		rest[0], rest[1], gaps[0], gaps[1] = rest[0][n:], rest[1][m:], gaps[0][n:], gaps[1][m:]
	}
}

// gap names what stands before and behind an unmatched operator: the classes of the nearest values that have one. 0 is
// none.
type gap struct{ before, behind uint64 }

// gaps returns the gap of each operator.
func (s *side) gaps() []gap {
	out := make([]gap, len(s.net.ops))
	for _, o := range s.net.ops {
		o.operands(func(_ slot, v *value) {
			switch g := &out[o.id]; {
			case v == nil || g.before != 0:
			case s.values[v.id] != 0:
				g.before = s.values[v.id]
			case v.from != nil:
				g.before = out[v.from.id].before
			}
		})
	}
	for _, o := range slices.Backward(s.net.ops) {
		g := &out[o.id]
		for _, v := range o.out {
			for _, u := range v.uses {
				if g.behind == 0 {
					if g.behind = s.classes[u.by.id]; g.behind == 0 {
						g.behind = out[u.by.id].behind
					}
				}
			}
			if list := s.outputs[v.id]; g.behind == 0 && len(list) > 0 {
				g.behind = list[0]
			}
		}
	}
	return out
}

// common matches the heaviest subsequence that two lists of operators have in common, until one list is done up to the
// given length. It returns how much of each is done.
func (al *alignment) common(a, b []*operator, gapsA, gapsB []gap, most int) (n, m int) {
	weight := al.weights(a, b, gapsA, gapsB)
	best := heaviest(len(a), len(b), weight)
	for n < min(len(a), most) && m < min(len(b), most) {
		switch w := weight(n, m); {
		case w > 0 && best[n][m] == w+best[n+1][m+1]:
			al.join(a[n], b[m], al.class())
			n, m = n+1, m+1
		case best[n][m] == best[n+1][m]:
			n++
		default:
			m++
		}
	}
	return n, m
}

// heaviest returns the table of what the ends of two lists, from i and from j on, weigh in common at most.
func heaviest(n, m int, weight func(i, j int) int32) [][]int32 {
	best := make([][]int32, n+1)
	for i := range best {
		best[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if w := weight(i, j); w > 0 {
				best[i][j] = max(best[i][j], w+best[i+1][j+1])
			}
		}
	}
	return best
}

// weights returns how good a match of a[i] and b[j] is; 0 if they must not be matched.
func (al *alignment) weights(a, b []*operator, gapsA, gapsB []gap) func(i, j int) int32 {
	var keys [2][]uint64
	for i, list := range [][]*operator{a, b} {
		for _, o := range list {
			keys[i] = append(keys[i], al.selves(al.sides[i], noElements)[o.id])
		}
	}
	return func(i, j int) int32 {
		g, h := gapsA[i], gapsB[j]
		together := g.before == h.before && g.before != 0 || g.behind == h.behind && g.behind != 0
		switch {
		case a[i].name != b[j].name || !together:
			return 0
		case keys[0][i] == keys[1][j]:
			return 3
		}
		return 2
	}
}
