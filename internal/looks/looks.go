// Package looks is what pages of Concord share: how they look, and how they show what a model says.
package looks

import (
	_ "embed"
	"strings"
)

// Style is a sheet of styles: one column of cards, two where there is room; dark where the person has it so.
//
//go:embed style.css
var Style string

// Show is a module that exports what shows classes, boxes and tracks as `concord run --json` has them. It needs [Segments].
//
//go:embed show.js.txt
var Show string

// Segments is a module that exports the segments of a track.
//
//go:embed segments.js.txt
var Segments string

// Inlined is a module without its exports, as a part of another one.
func Inlined(module string) string { return strings.ReplaceAll("\n"+module, "\nexport ", "\n")[1:] }
