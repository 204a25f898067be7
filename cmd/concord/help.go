package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how many columns the text of help has at most.
const helpWidth = 100

// fitHelp makes help as wide as the terminal; in a pipe it stays as it is written. It does without the templates of package cobra, by which the linker
// would have to keep every method of the program.
func fitHelp(root *cobra.Command) {
	width := terminalWidth(os.Stdout)
	if width == 0 {
		return
	}
	usual := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		var b strings.Builder
		out := c.OutOrStderr()
		c.SetOut(&b)
		err := usual(c)
		c.SetOut(out)
		text := b.String()
		for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			if written := strings.TrimSpace(flags.FlagUsages()); written != "" {
				text = strings.Replace(text, written, strings.TrimSpace(flags.FlagUsagesWrapped(min(width, helpWidth+20))), 1)
			}
		}
		fmt.Fprint(out, text)
		return err
	})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if text := strings.TrimSpace(cmp.Or(c.Long, c.Short)); text != "" {
			fmt.Fprintf(c.OutOrStdout(), "%s\n\n", reflowed(text, min(width, helpWidth)))
		}
		fmt.Fprint(c.OutOrStdout(), c.UsageString())
	})
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
