package idl

import (
	"fmt"
	"regexp"
	"strings"
)

// A document in Bikeshed's form: headings with anchors in braces, blocks of WebIDL in script elements, tables in HTML.

var (
	block   = regexp.MustCompile(`(?s)\{#([\w-]+)\}|<script type="?idl"?>(.*?)</script>`)
	table   = regexp.MustCompile(`(?s)<table id=["']?tensor-limits-[^>]*?link-for="([^"]*)">(.*?)</table>`)
	methods = regexp.MustCompile(`MLGraphBuilder/(\w+)\(`)
	row     = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	cell    = regexp.MustCompile(`(?s)<td>(.*?)</td>`)
	link    = regexp.MustCompile(`\{\{(?:\w+/)?"?([\w ]+?)"?\}\}|\[=/?(?:[^\]|]*\|)?([^\]]*?)=\]`)
)

// Parse reads the source of the standard, its file index.bs: the blocks of WebIDL and the tables "Tensor limits". What is
// neither is ignored; a mistake in one of them is an error, which names the section or the methods of the table.
func Parse(source string) (*Document, error) {
	p, err := newParser("")
	if err != nil {
		return nil, err
	}
	for _, m := range block.FindAllStringSubmatch(source, -1) {
		if m[1] != "" {
			p.at = m[1]
			continue
		}
		p.src = m[2]
		p.next()
		p.definitions()
		if p.err != nil {
			return nil, p.err
		}
	}
	for _, m := range table.FindAllStringSubmatch(source, -1) {
		l, err := parseLimits(m[1], m[2])
		if err != nil {
			return nil, err
		}
		p.doc.Limits = append(p.doc.Limits, l)
	}
	return p.doc, nil
}

// columns of a table: operand, allowed types, required types, allowed ranks, required ranks.
const columns = 5

func parseLimits(linkFor, body string) (Limits, error) {
	var l Limits
	for _, m := range methods.FindAllStringSubmatch(linkFor, -1) {
		l.Methods = append(l.Methods, m[1])
	}
	for _, r := range row.FindAllStringSubmatch(body, -1) {
		var cells []string
		for _, c := range cell.FindAllStringSubmatch(r[1], -1) {
			cells = append(cells, strings.Join(strings.Fields(link.ReplaceAllString(c[1], "$1$2")), " "))
		}
		// A row of the source may hold the cells of two.
		for ; len(cells) >= columns; cells = cells[columns:] {
			read, err := parseRow([columns]string(cells))
			if err != nil {
				return l, fmt.Errorf("limits of %v: %w", l.Methods, err)
			}
			l.Rows = append(l.Rows, read)
		}
		if len(cells) != 0 {
			return l, fmt.Errorf("limits of %v: a row has %d cells too many", l.Methods, len(cells))
		}
	}
	return l, nil
}

func parseRow(cells [columns]string) (Row, error) {
	r := Row{Operand: operandName(cells[0]), RequiredTypes: strings.Split(cells[2], ", ")}
	if same, ok := strings.CutPrefix(cells[1], "same as "); ok {
		r.SameType = operandName(same)
	} else {
		r.Types = strings.Split(cells[1], ", ")
	}
	if same, ok := strings.CutPrefix(cells[3], "same as "); ok {
		r.SameRank = operandName(same)
	} else if err := r.Ranks.UnmarshalText([]byte(cells[3])); err != nil {
		return r, err
	}
	return r, r.RequiredRanks.UnmarshalText([]byte(cells[4]))
}

var (
	remark = regexp.MustCompile(`'s list/items| if .*|\*`)
	item   = regexp.MustCompile(`^outputs\[(\d)\]$`)
)

// operandName returns the name that the dictionary of the method's limits gives to an operand of the table.
func operandName(s string) string {
	return item.ReplaceAllString(strings.TrimSpace(remark.ReplaceAllString(s, "")), "output$1")
}
