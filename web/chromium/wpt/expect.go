package wpt

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Result is what one page yields.
type Result struct {
	URL      string    `json:"url"`
	Status   string    `json:"status"` // of the harness: OK, ERROR, TIMEOUT, PRECONDITION_FAILED; or CRASH
	Message  string    `json:"message"`
	Subtests []Subtest `json:"subtests"`
}

// A Subtest is one test of a page.
type Subtest struct {
	Name    string `json:"name"`
	Status  string `json:"status"` // PASS, FAIL, TIMEOUT, NOTRUN, PRECONDITION_FAILED
	Message string `json:"message"`
}

// An Expectation is a result that is not a pass, and why it is none.
type Expectation struct {
	Status string
	Page   string // without a query it holds for all variants
	Test   string // empty for the page itself
	Reason string
}

// key is what an expectation is found by.
type key struct{ page, test string }

// Expectations are a list of results that are no passes.
type Expectations struct{ list []Expectation }

// ReadExpectations reads a list: a status, a page, a quoted name (or - for the page itself), and after a # the reason in each line.
// A file that does not exist is an empty list.
func ReadExpectations(name string) (*Expectations, error) {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return &Expectations{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &Expectations{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		x, err := parseExpectation(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		e.list = append(e.list, x)
	}
	return e, lines.Err()
}

func parseExpectation(line string) (Expectation, error) {
	var x Expectation
	var rest string
	x.Status, rest, _ = strings.Cut(line, " ")
	x.Page, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
	rest = strings.TrimSpace(rest)
	if after, is := strings.CutPrefix(rest, "-"); is {
		rest = after
	} else {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return x, fmt.Errorf("a status, a page, a quoted name and a reason are wanted: %q", line)
		}
		x.Test, _ = strconv.Unquote(quoted)
		rest = rest[len(quoted):]
	}
	reason, is := strings.CutPrefix(strings.TrimSpace(rest), "#")
	x.Reason = strings.TrimSpace(reason)
	if !is || x.Reason == "" {
		return x, fmt.Errorf("no reason is given after a #: %q", line)
	}
	return x, nil
}

func (e Expectation) String() string {
	name := "-"
	if e.Test != "" {
		name = strconv.QuoteToASCII(e.Test)
	}
	return fmt.Sprintf("%s %s %s # %s", e.Status, e.Page, name, e.Reason)
}

// find returns the expectation for a test of a page, nil if that shall pass.
func (e *Expectations) find(url, test string) *Expectation {
	page, _, _ := strings.Cut(url, "?")
	for i := range e.list {
		if x := &e.list[i]; x.Test == test && (x.Page == url || x.Page == page) {
			return x
		}
	}
	return nil
}

// A Difference is a result that is not as expected.
type Difference struct {
	URL, Test, Want, Got, Message string
}

func (d Difference) String() string {
	s := fmt.Sprintf("%s: %s; want %s", d.URL, d.Got, d.Want)
	if d.Test != "" {
		s = fmt.Sprintf("%s: %q: %s; want %s", d.URL, d.Test, d.Got, d.Want)
	}
	if d.Message != "" {
		s += ": " + d.Message
	}
	return s
}

// Compare lists what is not as expected, unexpected passes and expectations of tests that the pages do not have as well.
func (e *Expectations) Compare(results []Result) []Difference {
	var differences []Difference
	used := map[*Expectation]bool{}
	check := func(url, test, good, got, message string) {
		want := good
		if x := e.find(url, test); x != nil {
			want, used[x] = x.Status, true
		}
		if want != got {
			differences = append(differences, Difference{url, test, want, got, message})
		}
	}
	ran := map[string]bool{}
	for _, r := range results {
		page, _, _ := strings.Cut(r.URL, "?")
		ran[r.URL], ran[page] = true, true
		check(r.URL, "", "OK", r.Status, r.Message)
		for _, t := range r.Subtests {
			check(r.URL, t.Name, "PASS", t.Status, t.Message)
		}
	}
	for i := range e.list {
		if x := &e.list[i]; ran[x.Page] && !used[x] {
			differences = append(differences, Difference{x.Page, x.Test, x.Status, "no such test", ""})
		}
	}
	return differences
}

// Unknown is the reason of a line that Update adds: a person has to give one.
const Unknown = "unknown"

// Update makes the list that the results meet. Pages that did not run keep their lines, and lines their reasons.
func (e *Expectations) Update(results []Result) {
	ran, variants := map[string]bool{}, map[string]int{}
	for _, r := range results {
		page, _, _ := strings.Cut(r.URL, "?")
		ran[r.URL], ran[page] = true, true
		variants[page]++
	}
	kept := slices.DeleteFunc(slices.Clone(e.list), func(x Expectation) bool { return ran[x.Page] })
	// What all variants of a page have in common is one line.
	count := map[Expectation]int{}
	var found []Expectation
	note := func(url, test, status string) {
		x := Expectation{Status: status, Page: url, Test: test, Reason: Unknown}
		if old := e.find(url, test); old != nil {
			x.Reason = old.Reason
		}
		found = append(found, x)
		x.Page, _, _ = strings.Cut(url, "?")
		count[x]++
	}
	for _, r := range results {
		if r.Status != "OK" {
			note(r.URL, "", r.Status)
		}
		for _, t := range r.Subtests {
			if t.Status != "PASS" {
				note(r.URL, t.Name, t.Status)
			}
		}
	}
	seen := map[key]bool{}
	for _, x := range found {
		common := x
		common.Page, _, _ = strings.Cut(x.Page, "?")
		if count[common] == variants[common.Page] {
			x = common
		}
		if k := (key{x.Page, x.Test}); !seen[k] {
			seen[k] = true
			kept = append(kept, x)
		}
	}
	slices.SortFunc(kept, func(a, b Expectation) int { return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Test, b.Test)) })
	e.list = kept
}

// Reasonless counts the lines for which a reason is missing.
func (e *Expectations) Reasonless() int {
	n := 0
	for _, x := range e.list {
		if x.Reason == Unknown {
			n++
		}
	}
	return n
}

// WriteTo writes the list in the form that ReadExpectations reads.
func (e *Expectations) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	b.WriteString("# Results of web-platform-tests that are no passes: status, page (without ?variant for all of its variants), name of the test or -,\n" +
		"# and the reason. All else passes. go run . wpt -checkout DIR -update makes the lines; the reasons are written by hand.\n")
	for _, x := range e.list {
		fmt.Fprintln(&b, x)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
