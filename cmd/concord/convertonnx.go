package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
)

// onnxForm is the file of an ONNX model.
var onnxForm = form{name: "ONNX"}

// dataEnding stands behind the name of an ONNX model in that of its large constants.
const dataEnding = ".data"

// convertONNX writes a model of any format as an ONNX model.
func (f *convertFlags) convertONNX(src, dst string, out, warnings io.Writer) error {
	if f.flatten || f.canonical {
		return refused("--flatten and --canonical do not go with a DST that ends in .onnx")
	}
	targets := []string{dst}
	if f.external {
		targets = append(targets, dst+dataEnding)
	}
	for _, target := range targets {
		if err := onnxForm.free(target, inputs{model: src}, f.force); err != nil {
			return err
		}
	}
	m, g, err := f.graph(src)
	if err != nil {
		return err
	}
	defer m.Close()
	beside, text, err := f.besideManifest(src, dst, f.force, portsOf(g), func(string) bool { return false })
	if err != nil {
		return err
	}
	var foreign []export.Refusal
	model, err := export.New(g, export.Options{Foreign: func(r export.Refusal) { foreign = append(foreign, r) }})
	if err != nil {
		return f.placed(src, err)
	}
	writeForeign(warnings, src, foreign)
	switch err := proto.WriteFile(dst, model, f.external); {
	case errors.Is(err, proto.ErrTooLarge) && !f.external:
		return fmt.Errorf("%w; give --external", err)
	case err != nil:
		return err
	}
	if text != nil {
		if err := stage.WriteData(beside, text); err != nil {
			return err
		}
	}
	if err := note(out, "written: %s (ONNX, %s)\n", dst, count(int64(len(model.Graph.Node)), "node")); err != nil {
		return err
	}
	if info, err := os.Stat(dst + dataEnding); err == nil && f.external {
		if err := note(out, "written: %s (%s)\n", dst+dataEnding, size(info.Size())); err != nil {
			return err
		}
	} else if err == nil { // it may be anybody's
		if err := note(out, "left: %s, which %s does not read\n", dst+dataEnding, dst); err != nil {
			return err
		}
	}
	if text == nil {
		return nil
	}
	return note(out, "written: %s (%s)\n", beside, size(int64(len(text))))
}

// writeForeign says which nodes no other runtime can run.
func writeForeign(w io.Writer, src string, list []export.Refusal) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: only Concord runs these nodes, as ONNX's operators do not say them, %d:\n", src, len(list))
	for i := range list {
		if i == mostNotes {
			fmt.Fprintf(w, "  and %d more\n", len(list)-mostNotes)
			break
		}
		fmt.Fprintf(w, "  %s\n", escape.Text(list[i].String()))
	}
}

// writesONNX reports whether the name of a model to be written is that of an ONNX model.
func writesONNX(dst string) bool { return onnx.Recognizes(strings.ToLower(filepath.Ext(dst)), false) }
