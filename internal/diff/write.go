package diff

import (
	"fmt"
	"io"
	"strings"
)

// Write writes the differences for people, one below the other, no more than most of them; 0 is no limit.
func (r *Report) Write(w io.Writer, most int) error {
	var b strings.Builder
	for i := range r.Differences {
		if i == most && most > 0 {
			fmt.Fprintf(&b, "… and %d more\n", len(r.Differences)-i)
			break
		}
		r.Differences[i].write(&b)
	}
	b.WriteString(r.Summary())
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary counts the differences in one line.
func (r *Report) Summary() string {
	if r.Equal() {
		return fmt.Sprintf("the graphs are equal: %s", count(r.Operators[0], "operator"))
	}
	return fmt.Sprintf("%s; %d of %s in A and %d in B are alike",
		count(r.Count(), "difference"), r.Alike, count(r.Operators[0], "operator"), r.Operators[1])
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// String writes the difference for people, on one or several lines.
func (d *Difference) String() string {
	var b strings.Builder
	d.write(&b)
	return strings.TrimSuffix(b.String(), "\n")
}

func (d *Difference) write(b *strings.Builder) {
	word := string(d.Kind)
	single := d.Kind == Added || d.Kind == Removed
	switch {
	case d.Follows:
		fmt.Fprintf(b, "  %s %s follows: %s in A, %s in B\n", word, d.A.Name, d.Changes[0].A, d.Changes[0].B)
		return
	case d.B == nil:
		fmt.Fprintf(b, "- %s  %s%s\n", only(single, word, "A"), d.A.Text, places(d.A, nil))
	case d.A == nil:
		fmt.Fprintf(b, "+ %s  %s%s\n", only(single, word, "B"), d.B.Text, places(nil, d.B))
	case d.Kind == Replaced:
		fmt.Fprintf(b, "~ replaced  %s%s\n        by  %s%s\n", d.A.Text, places(d.A, nil), d.B.Text, places(nil, d.B))
	case d.Kind == Input || d.Kind == Output:
		fmt.Fprintf(b, "~ %s  %s\n", word, d.A.Name)
	case d.A.Text == d.B.Text:
		fmt.Fprintf(b, "~ %s  %s%s\n", word, d.A.Text, places(d.A, d.B))
	default:
		indent := strings.Repeat(" ", max(0, len("~ ")+len(word)-len("in B")))
		fmt.Fprintf(b, "~ %s  %s%s\n%sin B  %s%s\n", word, d.A.Text, places(d.A, nil), indent, d.B.Text, places(nil, d.B))
	}
	for _, c := range d.Changes {
		fmt.Fprintf(b, "    %s: %s → %s\n", c.Name, shortened(c.A), shortened(c.B))
	}
	if d.Delta != nil {
		fmt.Fprintf(b, "    %s\n", d.Delta.summary())
	}
}

// only names what only one side has: an operator by the kind of the difference, others by what they are.
func only(operator bool, word, side string) string {
	if operator {
		return word
	}
	return word + " only in " + side + ":"
}

// places names where something stands on either side, as far as that is known.
func places(a, b *Item) string {
	var list []string
	for i, it := range []*Item{a, b} {
		if it != nil && it.Place != "" {
			list = append(list, sideName[i]+": "+it.Place)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "   (" + strings.Join(list, ", ") + ")"
}

// shownText is how much of an argument's text is shown.
const shownText = 120

// shortened returns a text such as it fits on a line, and "none" for an empty one.
func shortened(s string) string {
	if s == "" {
		return "none"
	}
	if runes := []rune(s); len(runes) > shownText {
		return string(runes[:shownText]) + "…"
	}
	return s
}
