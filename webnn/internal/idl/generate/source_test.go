package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// A document in Bikeshed's form: headings with anchors in braces, blocks of WebIDL in script elements, tables in HTML.

var (
	block   = regexp.MustCompile(`(?s)\{#([\w-]+)\}|<script type="?idl"?>(.*?)</script>`)
	table   = regexp.MustCompile(`(?s)<table id=["']?tensor-limits-[^>]*?link-for="([^"]*)">(.*?)</table>`)
	methods = regexp.MustCompile(`MLGraphBuilder/(\w+)\(`)
	row     = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	cell    = regexp.MustCompile(`(?s)<td>(.*?)</td>`)
	link    = regexp.MustCompile(`\{\{(?:\w+/)?"?([\w ]+?)"?\}\}|\[=/?(?:[^\]|]*\|)?([^\]]*?)=\]`)
	remark  = regexp.MustCompile(`'s list/items| if .*|\*`)
	item    = regexp.MustCompile(`\boutputs\[(\d)\]$`) // which the dictionary of the method's limits calls output0 and so on
)

// parse reads the source of the standard, its file index.bs: the blocks of WebIDL and the tables "Tensor limits". What is
// neither is ignored; a mistake in one of them is an error, which names the section or the methods of the table.
func parse(source string) (*idl.Document, error) {
	var b strings.Builder
	at := ""
	for _, m := range block.FindAllStringSubmatch(source, -1) {
		if m[1] != "" {
			at = m[1]
		} else {
			b.WriteString("# " + at + "\n" + m[2] + "\n")
		}
	}
	for _, m := range table.FindAllStringSubmatch(source, -1) {
		var of []string
		for _, m := range methods.FindAllStringSubmatch(m[1], -1) {
			of = append(of, m[1])
		}
		b.WriteString("# limits of " + strings.Join(of, ", ") + "\n")
		for _, r := range row.FindAllStringSubmatch(m[2], -1) {
			var cells []string
			for _, c := range cell.FindAllStringSubmatch(r[1], -1) {
				text := strings.Join(strings.Fields(link.ReplaceAllString(c[1], "$1$2")), " ")
				cells = append(cells, item.ReplaceAllString(strings.TrimSpace(remark.ReplaceAllString(text, "")), "output$1"))
			}
			for line := range slices.Chunk(cells, 5) { // a row of the source may hold the cells of two
				b.WriteString(strings.Join(line, " | ") + "\n")
			}
		}
	}
	return idl.Parse(b.String())
}

// sections writes an interface in the form that [idl.Parse] reads.
func sections(d *idl.Document) string {
	var b strings.Builder
	at := ""
	definition := func(anchor, extended, head string, members []string) {
		if anchor != at {
			at = anchor
			b.WriteString("\n# " + at + "\n")
		}
		b.WriteString(extended + head)
		if members != nil {
			b.WriteString(" {\n\t" + strings.Join(members, ";\n\t") + ";\n}")
		}
		b.WriteString(";\n")
	}
	for _, t := range d.Typedefs {
		definition(t.Anchor, "", "typedef "+t.Type.String()+" "+t.Name, nil)
	}
	for _, e := range d.Enums {
		definition(e.Anchor, "", fmt.Sprintf(`enum %s { "%s" }`, e.Name, strings.Join(e.Values, `", "`)), nil)
	}
	for _, i := range d.Interfaces {
		head, members := "interface "+i.Name, []string{}
		if i.Mixin {
			head = "interface mixin " + i.Name
		}
		for _, a := range i.Attributes {
			members = append(members, extended(a.Extended)+"readonly attribute "+a.Type.String()+" "+a.Name)
		}
		declared, attributes := i.Anchor, extended(i.Extended)
		for _, o := range i.Operations {
			if o.Anchor != declared {
				definition(declared, attributes, head, members)
				declared, attributes, head, members = o.Anchor, "", "partial interface "+i.Name, nil
			}
			members = append(members, o.String())
		}
		definition(declared, attributes, head, members)
		for _, by := range i.IncludedBy {
			definition(i.Anchor, "", by+" includes "+i.Name, nil)
		}
	}
	for _, x := range d.Dictionaries {
		head, members := "dictionary "+x.Name, []string{}
		if x.Parent != "" {
			head += " : " + x.Parent
		}
		for _, m := range x.Members {
			members = append(members, m.String())
		}
		definition(x.Anchor, "", head, members)
	}
	for _, l := range d.Limits {
		b.WriteString("\n# limits of " + strings.Join(l.Methods, ", ") + "\n")
		for _, r := range l.Rows {
			types, ranks := strings.Join(r.Types, ", "), r.Ranks.String()
			if r.SameType != "" {
				types = "same as " + r.SameType
			}
			if r.SameRank != "" {
				ranks = "same as " + r.SameRank
			}
			b.WriteString(strings.Join([]string{r.Operand, types, strings.Join(r.RequiredTypes, ", "), ranks, r.RequiredRanks.String()}, " | ") + "\n")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// extended writes extended attributes, with a blank behind them.
func extended(attributes []string) string {
	if attributes == nil {
		return ""
	}
	return "[" + strings.Join(attributes, ", ") + "] "
}
