package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
)

// flagValues are what flags take that take one of a few words: of all commands, or of the one whose name stands in front.
var flagValues = map[string][]string{
	"color": colourings, "format": formats, "bulk format": {string(bulk.JSONLines), string(bulk.NPZ), string(bulk.Parquet)}, "layout": manifest.Layouts, "to": {"nnef", "cvm"}, "type": {"q78", "float32"},
	"colour":  {string(manifest.RGB), string(manifest.BGR), string(manifest.Gray)},
	"resize":  {string(manifest.Stretch), string(manifest.Fit), string(manifest.Fill)},
	"filter":  {string(manifest.Bilinear), string(manifest.Area)},
	"crop":    {string(manifest.CropNone), string(manifest.CropContent)},
	"metrics": {"own", "triton", "off"}, "model-control": {"poll", "explicit", "none"}, "log-level": {"debug", "info", "warn", "error"}, "on-error": {"stop", "skip"},
	"tier": simd.Names, "engine": conformEngines(), "versions": {"latest", "all"},
}

// flagNames are what flags take that is read from the model on the command line, as an end of what is typed, or NAME= before it.
var flagNames = map[string]func(c *cobra.Command, path string) []string{
	"save": valueNames, "shape": shapeNames, "set": inputsOf,
}

// takingInputs are the commands whose arguments are models, so many, and then inputs.
var takingInputs = map[string]int{"run": 1, "bench": 1, "profile": 1, "export": 1, "diff": 2}

// addCompletion makes the values of flags and the names in models complete in shells. Only command lines by which shells ask need it: it takes longer than
// making the commands, and cobra keeps the flags of all that it was called for until the process ends.
func addCompletion(root *cobra.Command) {
	complete := func(c *cobra.Command, flag string, f cobra.CompletionFunc) {
		if c.Flag(flag) != nil && (c.Name() != "conform" || flag != "filter") {
			_ = c.RegisterFlagCompletionFunc(flag, f) // it fails for flags that there are not, or that have one
		}
	}
	complete(root, "color", among(colourings))
	for _, c := range below(root) {
		for flag, values := range flagValues {
			if own := flagValues[c.Name()+" "+flag]; own != nil {
				values = own
			}
			complete(c, flag, among(values))
		}
		for flag, names := range flagNames {
			complete(c, flag, func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
				return namesInModel(c, args, typed, names, flag != "save")
			})
		}
		complete(c, "manifest", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt))
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name == "folder" {
				_ = c.MarkFlagDirname(f.Name)
			}
		})
		if models := takingInputs[c.Name()]; models > 0 {
			c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
				if len(args) < models || strings.ContainsRune(typed, '=') {
					return nil, cobra.ShellCompDirectiveDefault
				}
				names, _ := namesInModel(c, args, typed, inputsOf, true)
				return names, cobra.ShellCompDirectiveNoSpace
			}
		}
		complete(c, "engines", func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return among(enginePairs())(c, args, typed)
		})
	}
}

// below returns the commands of a command, and theirs.
func below(c *cobra.Command) []*cobra.Command {
	list := slices.Clone(c.Commands())
	for _, sub := range c.Commands() {
		list = append(list, below(sub)...)
	}
	return list
}

// among completes one of some words.
func among(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, typed) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesInModel completes names of the first argument's model, with a = behind them if a value follows. Nothing is known of a model that cannot be read.
func namesInModel(c *cobra.Command, args []string, typed string, names func(*cobra.Command, string) []string, assigned bool) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 || assigned && strings.ContainsRune(typed, '=') {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list []string
	for _, name := range names(c, args[0]) {
		if !sayable(name) {
			continue
		}
		if assigned {
			name += "="
		}
		if strings.HasPrefix(name, typed) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if assigned {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return list, directive
}

// sayable reports whether a shell takes a name from a model for nothing but a word, and a terminal shows it as it is.
func sayable(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_./-:+,@%=", r)
	})
}

// opened calls f with a model, if it can be read.
func opened(path string, f func(*concord.Model) []string) []string {
	m, err := concord.Open(path)
	if err != nil {
		return nil
	}
	defer m.Close()
	return f(m)
}

func inputsOf(_ *cobra.Command, path string) []string {
	return opened(path, func(m *concord.Model) []string { return inputNames(m.Inputs()) })
}

// shapeNames are the inputs of a model, and the symbols in their shapes.
func shapeNames(_ *cobra.Command, path string) []string {
	return opened(path, func(m *concord.Model) []string {
		names := inputNames(m.Inputs())
		for _, in := range m.Inputs() {
			for _, d := range in.Shape {
				if d.Symbol != "" {
					names = append(names, d.Symbol)
				}
			}
		}
		return names
	})
}

// valueNames are the values of a model with the shapes that the command line gives, and else with 1 for what the model leaves open.
func valueNames(c *cobra.Command, path string) []string {
	given := *c.Flags().Lookup("shape").Value.(*texts)
	shapes, err := parseShapes(given)
	if err != nil {
		return nil
	}
	return opened(path, func(m *concord.Model) []string {
		for _, in := range m.Inputs() {
			if s := anyShape(in); s != nil && shapes[in.Name] == nil && len(given) == 0 {
				shapes[in.Name] = s
			}
		}
		g, err := m.Graph(shapes)
		if err != nil {
			return nil
		}
		var names []string
		for v := range g.Values() {
			if v.Const == nil {
				names = append(names, v.Name)
			}
		}
		return names
	})
}

// anyShape is a shape that an input may have.
func anyShape(in model.Input) []int {
	if _, fixed := in.Shape.Extents(); fixed || in.Unranked {
		return nil
	}
	shape := make([]int, len(in.Shape))
	for i, d := range in.Shape {
		if shape[i] = d.Extent; d.Symbol != "" {
			shape[i] = 1
		}
	}
	return shape
}

func conformEngines() []string {
	var names []string
	for _, e := range conform.Engines {
		names = append(names, e.Name)
	}
	return names
}

func enginePairs() []string {
	var names []string
	for _, a := range evaluate.Engines {
		for _, b := range evaluate.Engines {
			if a.Name != b.Name {
				names = append(names, a.Name+","+b.Name)
			}
		}
	}
	return names
}
