package main

import (
	_ "embed"
	"regexp"
	"strings"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

// words has what the interface does not say, by the keys of words.txt.
type words struct{ texts, names map[string]string }

var (
	entry    = regexp.MustCompile(`(?m)^([@.\w-]+)(?: = (\w+))?:(.*(?:\n+ .*)*)$`)
	unbroken = regexp.MustCompile(`\[[\d, ]+\]|\S+`) // what a line of a comment does not break: words and lists of numbers
	macro    = regexp.MustCompile(`@\w+`)
)

// readWords reads words.txt. A second entry for a method is that of its second form, by whose name it is kept.
func readWords(source string) words {
	w := words{make(map[string]string), make(map[string]string)}
	above := ""
	for _, m := range entry.FindAllStringSubmatch(source, -1) {
		key, name, text := m[1], m[2], strings.TrimPrefix(m[3], " ")
		switch {
		case strings.HasPrefix(key, "."):
			key = above + key
			w.names[key] = name
		case name != "":
			w.names[key], key = name, name
		default:
			above = key
		}
		w.texts[key] = macro.ReplaceAllStringFunc(text, func(use string) string { return w.texts[use] })
	}
	return w
}

// lineWidth is how many characters a line of a comment has at most.
const lineWidth = 122

// comment writes text as a comment: paragraphs, and lines of code that begin with four spaces.
func comment(indent, text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString(indent + "//\n")
		}
		if code, ok := strings.CutPrefix(paragraph, "    "); ok {
			b.WriteString(indent + "//\t" + code + "\n")
			continue
		}
		line := indent + "//"
		for _, word := range unbroken.FindAllString(paragraph, -1) {
			if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > lineWidth {
				b.WriteString(line + "\n")
				line = indent + "//"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
