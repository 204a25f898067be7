package feed

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/concord-nn/concord/manifest"
)

// Form is what a file holds that an input is made from.
type Form string

// The forms.
const (
	Array   Form = "array"   // .npy
	Archive Form = "archive" // .npz
	Raw     Form = "raw"     // .bin
	Picture Form = "picture"
	Sound   Form = "sound"
)

// fileEndings are those of the files of a form, in lower case.
var fileEndings = map[Form][]string{
	Array: {".npy"}, Archive: {".npz"}, Raw: {".bin"},
	Picture: {".png", ".jpg", ".jpeg", ".gif"}, Sound: {".wav"},
}

// MediaForm returns what the manifest makes an input from besides arrays; "" for nothing.
func MediaForm(kind manifest.InputKind) Form {
	switch kind.(type) {
	case *manifest.Image:
		return Picture
	case *manifest.Audio:
		return Sound
	}
	return ""
}

// FormOf returns the form of a file for an input of a kind: that of its ending, or what the manifest says; "" if it does not.
func FormOf(file string, kind manifest.InputKind) Form {
	for _, f := range []Form{Array, Archive, Raw} {
		if slices.Contains(fileEndings[f], ext(file)) {
			return f
		}
	}
	return MediaForm(kind)
}

// FormOfName returns the form of the files whose names end alike; "" if there is none.
func FormOfName(name string) Form {
	for form, endings := range fileEndings {
		if slices.Contains(endings, ext(name)) {
			return form
		}
	}
	return ""
}

// Media reports whether an input of a job is made from a picture or a sound.
func (f *Feeder) Media(j *Job) bool {
	for i, p := range f.Inputs {
		kind := f.Manifest.Input(p.Name)
		if own, file := MediaForm(kind), j.Files[i]; own != "" && file != "" && f.formOf(file, kind) == own {
			return true
		}
	}
	return false
}

// isPattern reports whether an argument is a pattern, and no file of that name.
func isPattern(arg string) bool { return strings.ContainsAny(arg, "*?[") && !exists(arg) }

// StandsFor returns the files that an argument stands for, and whether it is a folder or a pattern, which may stand for any number of them.
// Of a folder these are the files of the best form that the inputs take, media first; of a pattern, all of a form that they take. They are sorted by name, and do
// not include what earlier runs have written beside their inputs.
func StandsFor(arg string, takes []Form) (files []string, several bool, err error) {
	switch info, err := os.Stat(arg); {
	case arg == Stdin:
		return []string{arg}, false, nil
	case err == nil && info.IsDir():
		files, err = inFolder(arg, takes)
		return files, true, err
	case isPattern(arg):
		files, err = matching(arg, takes)
		return files, true, err
	}
	return []string{arg}, false, nil
}

// inFolder returns the files in a folder that inputs are made from.
func inFolder(folder string, takes []Form) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		all = append(all, filepath.Join(folder, e.Name()))
	}
	for _, f := range takes {
		if files := ofForms(all, f); len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s: the folder has no files for the inputs, which end in %s", folder, strings.Join(endingsOf(takes), ", "))
}

// matching returns the files that a pattern matches and inputs are made from.
func matching(pattern string, takes []Form) ([]string, error) {
	all, err := filepath.Glob(pattern)
	if err != nil {
		return nil, &UsageError{fmt.Errorf("%s: this is no pattern: it has a [ without a ], or nothing between them", pattern)}
	}
	sort.Strings(all)
	files := ofForms(all, takes...)
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s: %w", pattern, &noMatch{})
	case len(files) == 0:
		return nil, fmt.Errorf("%s: it matches %d names, but no files for the inputs, which end in %s", pattern, len(all), strings.Join(endingsOf(takes), ", "))
	}
	return files, nil
}

// noMatch is the error of a pattern that matches nothing.
type noMatch struct{}

func (*noMatch) Error() string        { return "no file matches the pattern" }
func (*noMatch) Is(target error) bool { return target == fs.ErrNotExist }

// ofForms returns the regular files of some forms, without those that a run has written beside another one. A link to nowhere is one of them, so that
// whoever opens it says so.
func ofForms(names []string, forms ...Form) []string {
	allowed := endingsOf(forms)
	folders := make(map[string]map[string]bool)
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() || !slices.Contains(allowed, ext(name)) {
			continue
		}
		folder, base := filepath.Split(name)
		if folders[folder] == nil {
			folders[folder] = stemsIn(folder)
		}
		if at := strings.LastIndex(base, "-"); at >= 0 && slices.Contains(written, base[at:]) && folders[folder][base[:at]] {
			continue
		}
		files = append(files, name)
	}
	return files
}

// written are the ends that a run puts behind the name of an input, for files beside it.
var written = []string{BoxesEnding, ArraysEnding, SavedEnding}

// How the names of files end that a run writes beside inputs.
const (
	BoxesEnding  = "-boxes.png"
	ArraysEnding = "-outputs.npz"
	SavedEnding  = "-saved.npz"
)

// stemsIn returns the names in a folder that an input may have, without their endings.
func stemsIn(folder string) map[string]bool {
	entries, _ := os.ReadDir(filepath.Clean(folder))
	stems, known := make(map[string]bool, len(entries)), endingsOf(slices.Collect(maps.Keys(fileEndings)))
	for _, e := range entries {
		if slices.Contains(known, ext(e.Name())) {
			stems[strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))] = true
		}
	}
	return stems
}

func endingsOf(forms []Form) []string {
	var all []string
	for _, f := range forms {
		all = append(all, fileEndings[f]...)
	}
	return all
}
