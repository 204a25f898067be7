package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	only := flag.String("only", "", "try guards whose place, file:line, matches a regular expression")
	prefix := flag.String("exec", "", "run test binaries by a command")
	verbose := flag.Bool("v", false, "print every guard, and what misses it")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutate [FLAGS] PACKAGE... [-- JUDGE...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	survived, err := mutate(os.Stdout, flag.Args(), *only, strings.Fields(*prefix), *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if err != nil || survived > 0 {
		os.Exit(1)
	}
}

// mutate tries the guards of packages, and returns how many neither a test nor a reason needs. Behind "--" are packages whose tests judge, too.
func mutate(w io.Writer, patterns []string, only string, prefix []string, verbose bool) (survived int, err error) {
	in := &instrumented{replace: map[string]string{}}
	if in.only, err = regexp.Compile(only); err != nil {
		return 0, err
	}
	if in.folder, err = os.MkdirTemp("", "mutate"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(in.folder)
	packages := patterns
	if i := slices.Index(patterns, "--"); i >= 0 {
		packages, patterns = patterns[:i], slices.Delete(slices.Clone(patterns), i, i+1)
	}
	if err := in.add(packages); err != nil {
		return 0, err
	}
	overlay := filepath.Join(in.folder, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": in.replace})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return 0, err
	}
	judges, err := compile(in, overlay, patterns, prefix)
	if err != nil {
		return 0, err
	}
	for _, j := range judges {
		if err := j.record(in); err != nil {
			return 0, err
		}
		var left []int
		for n, g := range in.guards {
			if g.missed == "" {
				left = append(left, n)
			}
		}
		each(left, func(n int) { j.try(n, in.guards[n]) })
	}
	missed, reasons := 0, 0
	for _, g := range in.guards {
		says, told := "", true
		switch {
		case g.missed != "" && g.reasoned:
			missed++
			says = "a reason stands beside what is missed by " + g.missed
		case g.missed != "":
			missed++
			says, told = "missed by "+g.missed, verbose
		case g.reasoned:
			reasons++
			says, told = "has a reason", verbose
		case g.held == 0:
			survived++
			says = "holds in no test"
		default:
			survived++
			says = fmt.Sprintf("holds in %d tests, of which none misses it", g.held)
		}
		if told {
			fmt.Fprintf(w, "%s: %s: %s\n", g.place, g.text, says)
		}
	}
	fmt.Fprintf(w, "%d guards: %d are missed, %d have reasons, %d neither\n", len(in.guards), missed, reasons, survived)
	return survived, nil
}
