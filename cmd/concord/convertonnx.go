package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
)

// onnxForm is the file of an ONNX model.
var onnxForm = form{name: "ONNX"}

// convertONNX writes a model of any format as an ONNX model.
func (f *convertFlags) convertONNX(src, dst string, out, warnings io.Writer) error {
	if f.to == "cvm" || f.flatten || f.canonical {
		return &codedError{exitUsage, errors.New("--to cvm, --flatten and --canonical do not go with a DST that ends in .onnx")}
	}
	if err := onnxForm.free(dst, f.force); err != nil {
		return err
	}
	m, g, err := f.graph(src)
	if err != nil {
		return err
	}
	defer m.Close()
	model, err := export.New(g, export.Options{Expand: nnef.ExpandBody, Foreign: func(r export.Refusal) {
		fmt.Fprintf(warnings, "warning: %s: only Concord runs this node: %s\n", src, escape.Text(r.String()))
	}})
	if err != nil {
		return placed(src, err)
	}
	if err := proto.WriteFile(dst, model, false); err != nil {
		return fmt.Errorf("%s: %w", dst, err)
	}
	_, err = fmt.Fprintf(out, "written: %s (ONNX, %s)\n", dst, count(int64(len(model.Graph.Node)), "node"))
	return err
}

// writesONNX reports whether the name of a model to be written is that of an ONNX model.
func writesONNX(dst string) bool { return onnx.Recognizes(strings.ToLower(filepath.Ext(dst)), false) }
