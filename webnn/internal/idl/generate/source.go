package main

import (
	"fmt"
	"regexp"
	"strconv"
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
)

// parse reads the source of the standard, its file index.bs: the blocks of WebIDL and the tables "Tensor limits". What is
// neither is ignored; a mistake in one of them is an error, which names the section or the methods of the table.
func parse(source string) (*idl.Document, error) {
	p := &webidl{}
	for _, m := range block.FindAllStringSubmatch(source, -1) {
		if m[1] != "" {
			p.at = m[1]
		} else if p.block(m[2]); p.err != nil {
			return nil, p.err
		}
	}
	for _, m := range table.FindAllStringSubmatch(source, -1) {
		l, err := parseLimits(m[1], m[2])
		if err != nil {
			return nil, fmt.Errorf("limits of %v: %w", l.Methods, err)
		}
		p.doc.Limits = append(p.doc.Limits, l)
	}
	return &p.doc, nil
}

// columns of a table: operand, allowed types, required types, allowed ranks, required ranks.
const columns = 5

func parseLimits(linkFor, body string) (l idl.Limits, err error) {
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
				return l, err
			}
			l.Rows = append(l.Rows, read)
		}
		if len(cells) != 0 {
			return l, fmt.Errorf("a row has %d cells too many", len(cells))
		}
	}
	return l, nil
}

func parseRow(cells [columns]string) (r idl.Row, err error) {
	r = idl.Row{Operand: operandName(cells[0]), RequiredTypes: strings.Split(cells[2], ", ")}
	if same, ok := strings.CutPrefix(cells[1], "same as "); ok {
		r.SameType = operandName(same)
	} else {
		r.Types = strings.Split(cells[1], ", ")
	}
	if same, ok := strings.CutPrefix(cells[3], "same as "); ok {
		r.SameRank = operandName(same)
	} else if r.Ranks, err = parseRanks(cells[3]); err != nil {
		return r, err
	}
	r.RequiredRanks, err = parseRanks(cells[4])
	return r, err
}

// parseRanks reads what Ranks.String writes.
func parseRanks(text string) (idl.Ranks, error) {
	low, high, ranged := strings.Cut(text, " to ")
	if text == "N" {
		low, high = "0", "N"
	} else if !ranged {
		high = low
	}
	r := idl.Ranks{Max: idl.AnyRank}
	var err, err2 error
	r.Min, err = strconv.Atoi(low)
	if high != "N" {
		r.Max, err2 = strconv.Atoi(high)
	}
	if err != nil || err2 != nil || r.Min < 0 || high != "N" && r.Max < r.Min {
		return r, fmt.Errorf("%q is no range of ranks", text)
	}
	return r, nil
}

var (
	remark = regexp.MustCompile(`'s list/items| if .*|\*`)
	item   = regexp.MustCompile(`^outputs\[(\d)\]$`)
)

// operandName returns the name that the dictionary of the method's limits gives to an operand of the table.
func operandName(s string) string {
	return item.ReplaceAllString(strings.TrimSpace(remark.ReplaceAllString(s, "")), "output$1")
}
