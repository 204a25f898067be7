package wpt

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// varying is what differs between messages of one cause.
var varying = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?|"[^"]*"|'[^']*'`)

// Causes writes the results that are no passes, those with similar messages together, the most frequent first.
func Causes(w io.Writer, results []Result) {
	type cause struct {
		message string
		tests   []string
	}
	causes := map[string]*cause{}
	note := func(status, where, message string) {
		k := status + " " + varying.ReplaceAllString(message, "…")
		if causes[k] == nil {
			causes[k] = &cause{message: status + ": " + message}
		}
		causes[k].tests = append(causes[k].tests, where)
	}
	for _, r := range results {
		if r.Status != "OK" {
			note("page "+r.Status, r.URL, r.Message)
		}
		for _, t := range r.Subtests {
			if t.Status != "PASS" {
				note(t.Status, fmt.Sprintf("%s %q", r.URL, t.Name), t.Message)
			}
		}
	}
	list := make([]*cause, 0, len(causes))
	for _, c := range causes {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *cause) int {
		return cmp.Or(cmp.Compare(len(b.tests), len(a.tests)), cmp.Compare(a.message, b.message))
	})
	for _, c := range list {
		fmt.Fprintf(w, "%d × %s\n", len(c.tests), c.message)
		for i, t := range c.tests {
			if i == 20 {
				fmt.Fprintf(w, "    and %d more\n", len(c.tests)-i)
				break
			}
			fmt.Fprintf(w, "    %s\n", t)
		}
	}
}
