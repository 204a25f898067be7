package main

import (
	"context"
	"image"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// segments is what the network says about each pixel, row by row.
type segments struct {
	classes       []int32
	probabilities []float32 // of each class in turn
}

// certainty returns the mean probability of a class where it is found.
func (s *segments) certainty(class int) float64 {
	sum, n := 0.0, 0
	for i, c := range s.classes {
		if int(c) == class {
			sum += float64(s.probabilities[i*classes+class])
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// segment runs the network on a picture.
func segment(ctx context.Context, m *image.NRGBA) (*segments, error) {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		return nil, err
	}
	defer c.Destroy()
	g, err := build(ctx, c)
	if err != nil {
		return nil, err
	}
	tensors := make(map[string]*webnn.Tensor)
	for name, d := range map[string]webnn.OperandDescriptor{
		"picture":       {DataType: tensor.Uint8, Shape: tensor.Shape{1, side, side, 4}},
		"classes":       {DataType: tensor.Int32, Shape: tensor.Shape{1, side, side}},
		"probabilities": floats(1, side, side, classes),
	} {
		tensors[name], err = c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true, Writable: true})
		if err != nil {
			return nil, err
		}
	}
	if err := c.WriteTensor(tensors["picture"], m.Pix); err != nil {
		return nil, err
	}
	outputs := webnn.NamedTensors{"classes": tensors["classes"], "probabilities": tensors["probabilities"]}
	if err := c.Dispatch(g, webnn.NamedTensors{"picture": tensors["picture"]}, outputs); err != nil {
		return nil, err
	}
	s := &segments{make([]int32, side*side), make([]float32, side*side*classes)}
	if err := c.ReadTensorInto(ctx, tensors["classes"], s.classes); err != nil {
		return nil, err
	}
	return s, c.ReadTensorInto(ctx, tensors["probabilities"], s.probabilities)
}

func floats(shape ...int) webnn.OperandDescriptor {
	return webnn.OperandDescriptor{DataType: tensor.Float32, Shape: shape}
}

// network is a builder whose calls are nested; the first error ends the building.
type network struct {
	*webnn.GraphBuilder
	*webnn.Must
}

func (n *network) constant(data []float32, shape ...int) *webnn.Operand {
	return n.One(n.Constant(floats(shape...), data))
}

// conv adds a convolution that keeps height and width. Its filter is (output channels, height, width, input channels per group).
func (n *network) conv(x *webnn.Operand, f filter, label string) *webnn.Operand {
	reach := (f.size - 1) / 2 * f.dilation
	options := &webnn.Conv2dOptions{
		Label: label, InputLayout: webnn.LayoutNHWC, FilterLayout: webnn.FilterOHWI, Bias: n.constant(f.bias, f.out),
		Padding: []int{reach, reach, reach, reach}, Dilations: []int{f.dilation, f.dilation}, Groups: new(f.groups),
	}
	if f.groups > 1 { // a depthwise filter has its channels last
		options.FilterLayout = webnn.FilterIHWO
		return n.One(n.Conv2d(x, n.constant(f.data, 1, f.size, f.size, f.out), options))
	}
	return n.One(n.Conv2d(x, n.constant(f.data, f.out, f.size, f.size, f.in), options))
}

func (n *network) relu(x *webnn.Operand) *webnn.Operand { return n.One(n.Relu(x, nil)) }

// halve options describe a window of 2×2 that moves by 2.
var halve = &webnn.Pool2dOptions{WindowDimensions: []int{2, 2}, Strides: []int{2, 2}, Layout: webnn.LayoutNHWC}

// join enlarges the coarse channels to the size of the fine ones and puts both together.
func (n *network) join(coarse, fine *webnn.Operand) *webnn.Operand {
	large := n.One(n.Resample2d(coarse, &webnn.Resample2dOptions{
		Mode: webnn.InterpolationLinear, Sizes: []int(fine.Shape()[1:3]), Axes: []int{1, 2}}))
	return n.One(n.Concat([]*webnn.Operand{large, fine}, 3, nil))
}

// build makes the graph: from a picture of RGBA bytes to the class of each pixel, and the probabilities of all classes.
func build(ctx context.Context, c *webnn.Context) (*webnn.Graph, error) {
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		return nil, err
	}
	outputs := webnn.NamedOperands{}
	if err := webnn.Try(func(must *webnn.Must) { define(&network{b, must}, outputs) }); err != nil {
		return nil, err
	}
	return b.Build(ctx, outputs)
}

// define adds the layers and names their outputs.
func define(n *network, outputs webnn.NamedOperands) {
	x := n.One(n.Input("picture", webnn.OperandDescriptor{DataType: tensor.Uint8, Shape: tensor.Shape{1, side, side, 4}}))
	x = n.One(n.Slice(x, []int{0, 0, 0, 0}, []int{1, side, side, 3}, nil)) // without alpha
	x = n.One(n.Linear(n.One(n.Cast(x, tensor.Float32, nil)), &webnn.LinearOptions{Alpha: new(1. / 255)}))

	// The encoder: evidence for each class, over wider and wider surroundings.
	x = n.relu(n.conv(x, colourFilter(), "colour"))
	x = n.conv(x, blurFilter(), "blur")
	mean, variance, scale, bias := contrast()
	x = n.One(n.BatchNormalization(x, n.constant(mean, channels), n.constant(variance, channels), &webnn.BatchNormalizationOptions{
		Axis: new(3), Scale: n.constant(scale, channels), Bias: n.constant(bias, channels)}))
	fine := n.relu(x)
	half := n.relu(n.conv(n.One(n.MaxPool2d(fine, halve)), contestFilter(1), "contest"))
	quarter := n.relu(n.conv(n.One(n.AveragePool2d(half, halve)), contestFilter(2), "surroundings"))

	// The decoder: back to every pixel, with what the encoder saw at each size.
	x = n.relu(n.conv(n.join(quarter, half), mixFilter(channels, 0.5, 0.5), "join halves"))
	scores := n.conv(n.join(x, fine), mixFilter(classes, 6, 6), "scores")
	outputs["probabilities"] = n.One(n.Softmax(scores, 3, nil))
	outputs["classes"] = n.One(n.ArgMax(outputs["probabilities"], 3, nil))
}
