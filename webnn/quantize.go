package webnn

import "github.com/concord-nn/concord/graph"

// fewerDimensions has the methods some of whose operands may have fewer dimensions than the one whose rank the text gives
// them: web-platform-tests and browsers accept that.
var fewerDimensions = map[string]bool{"quantizeLinear": true, "dequantizeLinear": true}

// quantization binds https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear or
// https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear. A scale of fewer dimensions than the input gets extents of
// 1 in front.
func quantization(name, op string) method {
	return method{name, list(operand("input"), operand("scale"), operand("zeroPoint")), nil, func(l *lowering) []*graph.Value {
		x, scale, zero := l.operand("input"), l.operand("scale"), l.operand("zeroPoint")
		in, small := x.Type.Shape, scale.Type.Shape
		if !zero.Type.Shape.Equal(small) {
			l.reject("zeroPoint.shape", "the shape of zeroPoint is %v; it must be %v, that of scale", zero.Type.Shape, small)
		}
		for i, n := range small {
			if d := len(in) - len(small) + i; in[d]%n != 0 {
				l.reject("scale.blocks", "the extent %d of dimension %d of scale %v does not divide %d, that of the input %v",
					n, i, small, in[d], in)
			}
		}
		return one(l.Node(op, nil, x, l.unsqueezeTo(scale, len(in)), l.unsqueezeTo(zero, len(in))))
	}}
}
