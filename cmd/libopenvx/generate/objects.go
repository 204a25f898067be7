package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed objects.txt
var objects string

// A method in objects.txt: its name and parameters, its result, a sign and what stands behind it, and the comment.
var methodText = regexp.MustCompile(`(?m)^    (\w+)(\(.*?\)) (\S+) ([=:!]) (.+)((?:\n        .+)+)`)

// ask is what a method does for an object, by its sign: with its name, its result and what stands behind the sign.
var ask = map[string]string{
	"=": "query(%[1]s, func() %[3]s { return %[4]s })",
	":": "fact(%[1]s, func() %[3]s { return %[4]s })",
	"!": "do(%[1]s, \".%[2]s\", func() { %[4]s })",
}

// methodsOfObjects returns the source of the methods of package openvx that objects.txt declares.
func methodsOfObjects() string {
	var b strings.Builder
	b.WriteString(strings.Replace(generatedGo, "the headers of the C library", "objects.txt", 1) + "package openvx\n\nimport \"slices\"\n")
	_, text, _ := strings.Cut(objects, "\nReference r\n")
	common, kinds, _ := strings.Cut(text, "\n\n")
	for text := range strings.SplitSeq(kinds, "\n\n") {
		head, own, _ := strings.Cut(text, "\n")
		kind, object, _ := strings.Cut(head, " ")
		all := regexp.MustCompile(`\br\b\.`).ReplaceAllString(common, object+".") + "\n" + own
		for _, m := range methodText.FindAllStringSubmatch(all, -1) {
			b.WriteString("\n" + comment(m[1]+" "+strings.Join(strings.Fields(m[6]), " ")))
			fmt.Fprintf(&b, "func (%s *%s) %s%s %s { return ", object, kind, m[1], m[2], m[3])
			fmt.Fprintf(&b, ask[m[4]]+" }\n", object, m[1], m[3], m[5])
		}
	}
	return b.String()
}
