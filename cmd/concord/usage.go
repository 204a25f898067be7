package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/internal/naming"
)

// forPeople gives the parts that package cobra makes errors and texts of its own: whatever is wrong in a command line is one of exitUsage, and says what would be right.
func forPeople(root *cobra.Command) {
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range below(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.HasSuffix(f.Value.Type(), "Slice") {
				f.Value, f.DefValue = &once{Value: f.Value}, "" // else help would say that the default is []
			}
		})
	}
	for _, c := range root.Commands() {
		c.Args = usage(c.Args)
		if c.Name() == "completion" {
			completionOf(c)
		}
	}
}

// noCommand finds arguments of the program itself, which are the names of commands that there are not.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("there is no command %q", args[0])
	if c == c.Root() && formatOf(args[0]) != "" {
		err = fmt.Errorf("%w; it is a model, which concord run takes", err)
	} else if names := c.SuggestionsFor(args[0]); len(names) > 0 {
		err = fmt.Errorf("%w; do you mean %s?", err, strings.Join(names, ", "))
	}
	return &codedError{exitUsage, err}
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Print what a command does, with its flags and examples",
		Example: "  concord help run",
		ValidArgsFunction: func(c *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, other := range c.Root().Commands() {
				if len(args) == 0 && other.IsAvailableCommand() && strings.HasPrefix(other.Name(), start) {
					names = append(names, cobra.CompletionWithDesc(other.Name(), other.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err == nil && about == c.Root() {
				err = noCommand(about, args)
			}
			if err == nil && len(rest) > 0 && about != c.Root() {
				err = refused("%s has no command %q", about.CommandPath(), rest[0])
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			about.SetOut(c.OutOrStdout())
			return about.Help()
		},
	}
}

// completionOf makes an unknown shell an error.
func completionOf(c *cobra.Command) {
	var shells []string
	for _, shell := range c.Commands() {
		shell.Args = usage(shell.Args)
		shells = append(shells, shell.Name())
	}
	c.Args = nil
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return refused("there is no completion for %q; the shells are %s", args[0], strings.Join(shells, ", "))
	}
}

// usage gives errors in the number of arguments the exit code of a wrong command line.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		err := check(c, args)
		if err == nil {
			return nil
		}
		what := "an argument is missing"
		if own := !strings.Contains(err.Error(), "arg(s)") && !strings.Contains(err.Error(), "unknown command"); own { // and not of package cobra
			what = err.Error()
		} else if len(args) > 0 && !slices.ContainsFunc([]int{1, 2, 3}, func(more int) bool { return check(c, append(slices.Clone(args), make([]string, more)...)) == nil }) {
			what = fmt.Sprintf("there is an argument too many, %q", args[len(args)-1])
		}
		return refused("%s\nusage: %s", what, c.UseLine())
	}
}

// fileNamed adds to the error of a flag that there is a file of its name.
func fileNamed(flag string) string {
	if !there(flag) {
		return ""
	}
	return "; the file is ./" + flag
}

// flagError says what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	if c == c.Root() { // which has few flags: there is no such command
		if err := noCommand(c, c.Flags().Args()); err != nil {
			return err
		}
	}
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	what := err.Error()
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		what = "there is no flag -" + unknown.GetSpecifiedName() + fileNamed("-"+unknown.GetSpecifiedShortnames())
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		what = "there is no flag --" + name + fileNamed("--"+name)
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		if best := naming.Near(name, flags); best != "" {
			what += "; do you mean --" + best + "?"
		}
	case errors.As(err, &empty):
		what = fmt.Sprintf("--%s: its value is missing", empty.GetFlag().Name)
	case errors.As(err, &value):
		f := value.GetFlag()
		what = fmt.Sprintf("--%s %s: %s", f.Name, quoted(value.GetValue()), cannotBe(f, err))
	}
	return refused("%s\nsee: %s --help", what, c.CommandPath())
}

// cannotBe says what the value of a flag must be.
func cannotBe(f *pflag.Flag, err error) string {
	if errors.Is(err, errTwice) {
		return errTwice.Error()
	}
	if errors.Is(err, strconv.ErrRange) {
		return "it is too large"
	}
	if own, ok := f.Value.(interface{ must() string }); ok {
		return "it must be " + own.must()
	}
	kinds := map[string]string{
		"bool": "true or false", "duration": "a time such as 30s or 1m30s", "float64": "a number", "float64Slice": "numbers with commas between them",
		"int": "a whole number", "intSlice": "whole numbers with commas between them", "uint64": "a whole number of 0 or more",
	}
	if kind := kinds[f.Value.Type()]; kind != "" {
		return "it must be " + kind
	}
	return "it does not fit"
}

// quoted writes what was typed, in quotes where it would not be seen as one word.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n") {
		return strconv.Quote(s)
	}
	return s
}

// once is a flag with a list as its value. What is given a second time would be added to it.
type once struct {
	pflag.Value
	given bool
}

var errTwice = errors.New("it is given already; all of the list is one value")

func (o *once) Set(text string) error {
	if o.given {
		return errTwice
	}
	o.given = true
	return o.Value.Set(text)
}

// What flags do nothing without another one, or with it, by the commands in front of them.
var (
	needs    = map[string]string{"export type": "openvx", "export check": "openvx", "export page": "wasm", "run seed": "random", "diff seed": "random"}
	excludes = map[string]string{"bench seconds": "runs", "profile seconds": "runs", "convert flatten": "canonical"}
)

// effective finds arguments, and files and folders of flags, that are empty, as of a shell's variable without a value, and flags that are given and do nothing.
func effective(c *cobra.Command, args []string) (err error) {
	if i := slices.Index(args, ""); i >= 0 && !c.DisableFlagParsing { // as of what shells ask to complete
		return refused("argument %d of %d is empty", i+1, len(args))
	}
	on := func(flag string) bool { f := c.Flag(flag); return f != nil && f.Changed && f.Value.String() != "false" }
	c.Flags().Visit(func(f *pflag.Flag) {
		if name, _ := pflag.UnquoteUsage(f); (name == "file" || name == "folder") && f.Value.String() == "" {
			err = refused("--%s: its value is empty", f.Name)
		}
		of := c.Name() + " " + f.Name
		if other := needs[of]; other != "" && on(f.Name) && !on(other) {
			err = refused("--%s goes with --%s", f.Name, other)
		}
		if other := excludes[of]; other != "" && on(f.Name) && on(other) {
			err = refused("--%s and --%s exclude each other", f.Name, other)
		}
	})
	return err
}

// texts is a flag that may be repeated. That of package pflag sets up a writer of CSV to say that there is none yet.
type texts []string

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func (t *texts) String() string { return strings.Join(*t, ",") }

func (t *texts) Type() string { return "stringArray" }
