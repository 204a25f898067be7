package export

import (
	_ "embed" // the parts of the generated code
	"regexp"
	"strings"
)

//go:embed runtime.c.txt
var runtime string

// helper is a part of the generated code, as runtime.c.txt has it behind a line with its name and those of other parts that use it.
type helper struct {
	names []string // "always" for what is always there
	text  string
}

// helpers are the parts, each behind those that it uses; the last one has the functions that the header declares.
var helpers = func() []helper {
	var list []helper
	for part := range strings.SplitSeq(runtime[strings.Index(runtime, "////"):], "//// ") {
		if names, text, ok := strings.Cut(part, "\n"); ok {
			list = append(list, helper{strings.Fields(names), text})
		}
	}
	return list
}()

// in reports whether code uses the helper.
func (h *helper) in(code string) bool {
	for _, name := range h.names {
		if name == "always" || regexp.MustCompile(`\b`+name+`\(`).MatchString(code) {
			return true
		}
	}
	return false
}
