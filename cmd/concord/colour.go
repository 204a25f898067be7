package main

import (
	"strings"

	"github.com/concord-nn/concord/internal/pattern"
)

// The renditions of text on a terminal.
const (
	bold    = "1"
	red     = "1;31"
	yellow  = "1;33"
	green   = "1;32"
	cyan    = "36"
	dimText = "2"
)

func rendered(code, text string) string {
	if text == "" {
		return ""
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The lines of a diagnostic: where and what, the line of the document, the carets below it, and the hint.
var (
	headLine   = pattern.Of(`^(\s*)(\S.*?:\d+:\d+: )((?:\w+ )?)(error|warning)( \[\w+\])?(: .*)$`)
	plainLine  = pattern.Of(`^(error|warning)(: .*)$`)
	sourceLine = pattern.Of(`^(\s*\d+ \| )(.*)$`)
	caretLine  = pattern.Of(`^(\s*\| \s*)(\^+)(.*)$`)
	hintLine   = pattern.Of(`^(\s*hint: )(.*)$`)
)

// inColours colours diagnostics, which are text without control characters.
func inColours(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = colouredLine(line)
	}
	return strings.Join(lines, "\n")
}

func colouredLine(line string) string {
	severity := func(word string) string {
		if word == "warning" {
			return yellow
		}
		return red
	}
	if m := headLine.Get().FindStringSubmatch(line); m != nil {
		return m[1] + rendered(bold, m[2]) + rendered(severity(m[4]), m[3]+m[4]) + rendered(dimText, m[5]) + rendered(bold, m[6])
	}
	if m := plainLine.Get().FindStringSubmatch(line); m != nil {
		return rendered(severity(m[1]), m[1]) + rendered(bold, m[2])
	}
	if m := sourceLine.Get().FindStringSubmatch(line); m != nil {
		return rendered(dimText, m[1]) + m[2]
	}
	if m := caretLine.Get().FindStringSubmatch(line); m != nil {
		return rendered(dimText, m[1]) + rendered(green, m[2]) + m[3]
	}
	if m := hintLine.Get().FindStringSubmatch(line); m != nil {
		return rendered(cyan, m[1]) + m[2]
	}
	return line
}
