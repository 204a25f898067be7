// Command generate writes the page of ONNX's operators to the file that it is given. Run it by "go generate ./onnx".
package main

import (
	"fmt"
	"os"

	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(page(texts(onnx.Operators(), func(*onnx.Operator, *proto.Model) {}))), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
