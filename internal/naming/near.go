package naming

import "strings"

// Near returns the name that is nearest to one that was given, if that is near enough to have been meant; "" if none is. The given name itself, and names of more
// than 64 bytes, are not among them; of very many names only some are compared.
func Near(name string, names []string) string {
	const most = 64 // longer names are not compared
	best, distance, work := "", min(len(name)/3, 3)+1, 0
	for _, n := range names {
		if d := len(n) - len(name); len(name) > most || len(n) > most || n == name || d >= distance || -d >= distance {
			continue
		}
		if strings.EqualFold(n, name) {
			best = n
			break
		}
		if work += len(name) * len(n); work > most*most*most {
			break // there may be very many names
		}
		if d := editDistance(name, n, distance); d < distance {
			best, distance = n, d
		}
	}
	return best
}

// editDistance returns how many letters must be inserted, removed, replaced or swapped with their neighbours to make one
// name of another; above most it may be any greater number.
func editDistance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var rows [3][65]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
