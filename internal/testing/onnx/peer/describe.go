package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Describe writes a graph: inputs with their elements, what is stored, and nodes, each in a line that begins with "\n\t".
func Describe(g *proto.Graph, inputs map[string]*tensor.Tensor) string {
	var b strings.Builder
	for _, v := range g.Input {
		if x := inputs[v.Name]; x != nil {
			fmt.Fprintf(&b, "\n\t%s: %v = %s", v.Name, x.Describe(), short(x))
		}
	}
	for _, p := range g.Initializer {
		if x, err := p.Value(nil); err == nil {
			fmt.Fprintf(&b, "\n\t%s: %v = stored %s", p.Name, x.Describe(), short(x))
		}
	}
	for _, n := range g.Node {
		fmt.Fprintf(&b, "\n\t%s = %s(%s)", strings.Join(n.Output, ", "), n.OpType, strings.Join(n.Input, ", "))
		for _, a := range n.Attribute {
			fmt.Fprintf(&b, " %s=%s", a.Name, attribute(a))
		}
	}
	return b.String()
}

func attribute(a *proto.Attribute) string {
	switch a.Type {
	case proto.AttributeInt:
		return strconv.FormatInt(a.I, 10)
	case proto.AttributeFloat:
		return fmt.Sprint(a.F)
	case proto.AttributeString:
		return a.S
	case proto.AttributeInts:
		return fmt.Sprint(a.Ints)
	case proto.AttributeFloats:
		return fmt.Sprint(a.Floats)
	case proto.AttributeStrings:
		return fmt.Sprint(a.Strings)
	case proto.AttributeTensor:
		x, err := a.T.Value(nil)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%v%s", x.Describe(), short(x))
	case proto.AttributeGraph:
		return "{" + Describe(a.G, nil) + "}"
	}
	return "?"
}

func short(x *tensor.Tensor) string {
	if x.DType().IsInteger() || x.DType() == tensor.Bool {
		return fmt.Sprint(clip(integers(x)))
	}
	return fmt.Sprint(clip(floats(x)))
}

// Keep writes a case as one of the standard's: a folder with model.onnx and test_data_set_0, in which there are the inputs, as outputs
// what ONNX Runtime makes of them, and beside these ours. Outputs that are not there are left out.
func Keep(dir string, c Case, ours, theirs map[string]*tensor.Tensor) error {
	set := filepath.Join(dir, "test_data_set_0")
	if err := os.MkdirAll(set, 0o700); err != nil {
		return err
	}
	b, err := proto.Encode(c.Model)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "model.onnx"), b, 0o600)
	}
	if err != nil {
		return err
	}
	for _, list := range []struct {
		prefix   string
		declared []*proto.ValueInfo
		values   map[string]*tensor.Tensor
	}{
		{"input", c.Model.Graph.Input, c.Inputs},
		{"output", c.Model.Graph.Output, theirs},
		{"ours", c.Model.Graph.Output, ours},
	} {
		n := 0
		for _, v := range list.declared {
			if x := list.values[v.Name]; x != nil {
				if err := keepTensor(filepath.Join(set, fmt.Sprintf("%s_%d.pb", list.prefix, n)), v.Name, x); err != nil {
					return err
				}
			}
			if list.prefix != "input" || list.values[v.Name] != nil { // initializers among the inputs are none of a case
				n++
			}
		}
	}
	return nil
}

func keepTensor(path, name string, x *tensor.Tensor) error {
	p, err := proto.NewTensor(name, x)
	if err != nil {
		return err
	}
	b, err := proto.EncodeTensor(p)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
