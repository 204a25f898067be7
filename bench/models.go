package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// entry is what the manifest of a folder of models says of one.
type entry struct {
	File    string   `json:"file"`
	Inputs  []array  `json:"inputs"`
	Outputs []string `json:"outputs"`
}

// readManifest reads what models a folder has; those of other files of it are relative to the folder.
func readManifest(folder string) (map[string]*entry, error) {
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return make(map[string]*entry), nil
	}
	var all map[string]*entry
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	for _, e := range all {
		e.File = filepath.Join(folder, e.File)
		for i := range e.Inputs {
			e.Inputs[i].File = filepath.Join(folder, e.Inputs[i].File)
		}
	}
	return all, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// step is a command that makes some of the models: which must be there before, and how it is run.
type step []string

// generation lists how the generator's scripts make a folder of models; {models} and {ort} stand for that folder and the one with ONNX Runtime.
var generation = []step{
	{"/usr/bin/python3", "gen_models.py", "{models}"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "resnet50", "calib"},
	{"node", "qdq_ranges.js", "{models}", "resnet50"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "resnet50", "quant"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "mobilenetv2", "calib"},
	{"node", "qdq_ranges.js", "{models}", "mobilenetv2"},
	{"/usr/bin/python3", "make_qdq.py", "{models}", "mobilenetv2", "quant"},
	{"/usr/bin/python3", "strip_inputs.py", "{models}", "ultraface_rfb320", "ultraface_slim320"},
}

// originals are the files of others that the generator makes inputs for, from the folder of models beside it.
var originals = map[string]string{
	"ultraface/*.onnx":          "",
	"ultraface/photos/2.jpg":    "photo.jpg",
	"silero-vad/*.onnx":         "",
	"silero-vad/speech-20s.wav": "test.wav",
}

// generate makes the models by the scripts of the generator. What is missing is said, and is no error: other networks can be measured.
func generate(generator, models, ort string, say io.Writer) error {
	if !exists(filepath.Join(generator, "gen_models.py")) {
		fmt.Fprintf(say, "there is no generator of networks in %s: only products are measured; --models names a folder with networks\n", generator)
		return nil
	}
	if err := os.MkdirAll(models, 0o755); err != nil {
		return err
	}
	for pattern, name := range originals {
		files, err := filepath.Glob(filepath.Join(generator, "..", "models", pattern))
		if err != nil {
			return err
		}
		for _, f := range files {
			to := filepath.Join(models, filepath.Base(f))
			if name != "" {
				to = filepath.Join(models, name)
			}
			text, err := os.ReadFile(f)
			if err == nil {
				err = os.WriteFile(to, text, 0o600)
			}
			if err != nil {
				return err
			}
		}
	}
	generator, err := filepath.Abs(generator)
	if err != nil {
		return err
	}
	for _, s := range generation {
		args := []string{s[0], filepath.Join(generator, s[1])}
		for _, a := range s[2:] {
			if a == "{models}" {
				a = models
			}
			args = append(args, a)
		}
		c := exec.Command(args[0], args[1:]...)
		c.Dir = ort // with node_modules
		if out, err := c.CombinedOutput(); err != nil {
			fmt.Fprintf(say, "%s %v: %v\n%s\nwhat is there is measured; without %s all is made again\n", s[1], s[2:], err, out, models)
		}
	}
	return nil
}

// installORT puts ONNX Runtime into a folder, unless it is there.
func installORT(folder string, say io.Writer) error {
	if exists(filepath.Join(folder, "node_modules", "onnxruntime-node")) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(say, "installing onnxruntime-node into %s\n", folder)
	c := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "onnxruntime-node@1.30")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install onnxruntime-node: %w\n%s", err, out)
	}
	return nil
}

// makeProduct writes the model of a product with its inputs into a folder.
func makeProduct(folder string, n *network) (*entry, error) {
	e := &entry{File: filepath.Join(folder, n.name+".onnx"), Outputs: []string{"y"}}
	rng, extents := op.NewRand(uint64(n.product), 1), []int{n.product, n.product}
	typed := func(name string, shape []int) *proto.ValueInfo {
		dims := make([]*proto.Dim, len(shape))
		for i, extent := range shape {
			dims[i] = &proto.Dim{Known: true, Value: int64(extent)}
		}
		return &proto.ValueInfo{Name: name, Type: &proto.Type{Tensor: &proto.TensorType{ElemType: proto.Float, Shape: &proto.Shape{Dim: dims}}}}
	}
	result := extents
	if n.rows > 0 {
		result = []int{n.rows, n.product}
	}
	left, right := rng.Uniform(tensor.Float32, result, -1, 1), rng.Uniform(tensor.Float32, extents, -1, 1)
	node := &proto.Node{OpType: "MatMul", Input: []string{"a", "b"}, Output: []string{"y"}}
	g := &proto.Graph{Name: n.name, Input: []*proto.ValueInfo{typed("a", result)}, Output: []*proto.ValueInfo{typed("y", result)}, Node: []*proto.Node{node}}
	inputs := []tensor.Named{{Name: "a", Tensor: left}}
	opsets := []*proto.OperatorSet{{Version: 17}}
	var weights []tensor.Named
	switch {
	case n.rows > 0:
		const block = 32
		node.OpType, node.Domain, node.Input = "MatMulNBits", "com.microsoft", append(node.Input, "scales")
		integer := func(name string, value int) *proto.Attribute {
			return &proto.Attribute{Name: name, Type: proto.AttributeInt, I: int64(value)}
		}
		node.Attribute = []*proto.Attribute{integer("K", n.product), integer("N", n.product), integer("bits", 4), integer("block_size", block)}
		opsets = append(opsets, &proto.OperatorSet{Domain: node.Domain, Version: 1})
		weights = []tensor.Named{{Name: "b", Tensor: rng.Tensor(tensor.Uint8, []int{n.product, n.product / block, block / 2})},
			{Name: "scales", Tensor: rng.Uniform(tensor.Float32, []int{n.product * n.product / block}, 0, 0.1)}}
	case n.constant:
		weights = []tensor.Named{{Name: "b", Tensor: right}}
	default:
		g.Input = append(g.Input, typed("b", extents))
		inputs = append(inputs, tensor.Named{Name: "b", Tensor: right})
	}
	for _, w := range weights {
		stored, err := proto.NewTensor(w.Name, w.Tensor)
		if err != nil {
			return nil, err
		}
		g.Initializer = append(g.Initializer, stored)
	}
	for _, in := range inputs {
		file := filepath.Join(folder, n.name+"."+in.Name+".bin")
		e.Inputs = append(e.Inputs, array{in.Name, "float32", in.Tensor.Shape(), file})
		if err := os.WriteFile(file, tensor.AppendRaw(nil, in.Tensor), 0o600); err != nil {
			return nil, err
		}
	}
	return e, proto.WriteFile(e.File, &proto.Model{IRVersion: 8, OpsetImport: opsets, Graph: g}, false)
}
