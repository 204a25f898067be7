package operators

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
)

//go:embed operators.txt
var text string

// The lines of the text that are neither sentences nor comments.
var (
	operatorLine  = regexp.MustCompile(`^(\w+)\((.*)\)((?: or \S+)*)( in place)?$`)
	attributeLine = regexp.MustCompile(`^    (\w+): (\w+)(?: (-?\d+)…(-?\d+)| (\S+\|\S+))?(?: = (.+?))? {2,}(.+)$`)
)

var kinds = map[string]*Kind{"int": Int, "bool": Bool, "tuple": Tuple, "optional": OptionalInt, "enum": Enum, "string": String}

// declarations reads what the text says of each operator.
func declarations() map[string]*declaration {
	all := map[string]*declaration{}
	var d *declaration
	var doc *string // the sentence that the next line may continue
	for line := range strings.SplitSeq(text, "\n") {
		switch m := operatorLine.FindStringSubmatch(line); {
		case line == "" || line[0] == '#':
		case m != nil:
			d = &declaration{Operands: m[2], Aliases: strings.Fields(strings.ReplaceAll(m[3], " or ", " ")), InPlace: m[4] != ""}
			all[m[1]], doc = d, &d.Doc
		case d.Doc == "":
			d.Doc = line[4:]
		case strings.HasPrefix(line, "        "):
			*doc += line[7:]
		default:
			d.Attrs = append(d.Attrs, attribute(attributeLine.FindStringSubmatch(line)))
			doc = &d.Attrs[len(d.Attrs)-1].Doc
		}
	}
	return all
}

// attribute makes an attribute of the parts of its line.
func attribute(m []string) Attr {
	a := Attr{Name: m[1], Kind: kinds[m[2]], Doc: m[7]}
	if m[3] != "" {
		a.Min, _ = strconv.Atoi(m[3])
		a.Max, _ = strconv.Atoi(m[4])
	}
	if m[5] != "" {
		a.Enum = strings.Split(m[5], "|")
	}
	if m[6] != "" {
		a.Default, _ = a.Kind.parse(&a, m[6])
	}
	return a
}
