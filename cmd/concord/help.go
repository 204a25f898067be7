package main

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how many columns the text of help has at most.
const helpWidth = 100

// fitHelp makes help as wide as the terminal; in a pipe it stays as it is written.
func fitHelp(root *cobra.Command) {
	width := terminalWidth(os.Stdout)
	if width == 0 {
		return
	}
	cobra.AddTemplateFunc("flagsFitted", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(min(width, helpWidth+20)) })
	cobra.AddTemplateFunc("textFitted", func(text string) string { return reflowed(text, min(width, helpWidth)) })
	root.SetUsageTemplate(strings.NewReplacer(".LocalFlags.FlagUsages", "flagsFitted .LocalFlags", ".InheritedFlags.FlagUsages", "flagsFitted .InheritedFlags").Replace(root.UsageTemplate()))
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. | trimTrailingWhitespaces}}", "{{. | textFitted | trimTrailingWhitespaces}}", 1))
}

// reflowed breaks the lines of paragraphs anew, but for those with lines that are indented.
func reflowed(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if strings.HasPrefix(p, " ") || strings.Contains(p, "\n ") {
			continue
		}
		var b strings.Builder
		column := 0
		for _, word := range strings.Fields(p) {
			n := utf8.RuneCountInString(word)
			switch {
			case column == 0:
			case column+1+n > width:
				b.WriteByte('\n')
				column = 0
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += n
		}
		paragraphs[i] = b.String()
	}
	return strings.Join(paragraphs, "\n\n")
}
