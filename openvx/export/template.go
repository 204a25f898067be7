package export

import (
	_ "embed" // the parts of the generated code
	"regexp"
	"slices"
	"strings"
)

//go:embed runtime.c.txt
var runtime string

// part is a part of the generated code, as runtime.c.txt has it behind a line with its name and those of other parts that use it.
type part struct {
	names []string // "always" for what is always there
	text  string
}

// parts are all of them, each behind those that it uses.
var parts = func() []part {
	var list []part
	for text := range strings.SplitSeq(runtime[strings.Index(runtime, "////"):], "//// ") {
		if names, text, ok := strings.Cut(text, "\n"); ok {
			list = append(list, part{strings.Fields(names), text})
		}
	}
	return list
}()

// in reports whether code uses the part.
func (p *part) in(code string) bool {
	return slices.ContainsFunc(p.names, func(name string) bool {
		return name == "always" || regexp.MustCompile(`\b`+name+`\(`).MatchString(code)
	})
}

// named returns the part of a name that no code calls.
func named(name string) string {
	return parts[slices.IndexFunc(parts, func(p part) bool { return p.names[0] == name })].text
}
