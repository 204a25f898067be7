package webnn_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// large builds graphs of n calls.
var large = []struct {
	name string
	add  func(m *webnn.Must, b *webnn.GraphBuilder, x *webnn.Operand, n int) *webnn.Operand
}{
	{"chain", func(m *webnn.Must, b *webnn.GraphBuilder, x *webnn.Operand, n int) *webnn.Operand {
		y := x
		for range n {
			y = m.One(b.Add(y, x, nil))
		}
		return y
	}},
	{"diamonds", func(m *webnn.Must, b *webnn.GraphBuilder, x *webnn.Operand, n int) *webnn.Operand {
		for range n / 3 {
			x = m.One(b.Add(m.One(b.Neg(x, nil)), m.One(b.Abs(x, nil)), nil))
		}
		return x
	}},
	{"failing", func(m *webnn.Must, b *webnn.GraphBuilder, x *webnn.Operand, n int) *webnn.Operand {
		for range n / 2 {
			y := m.One(b.Neg(x, nil))
			if _, err := b.Reshape(y, []int{5}, nil); err == nil {
				m.One(nil, errors.New("a reshape to another size"))
			}
			x = y
		}
		return x
	}},
	{"wide", func(m *webnn.Must, b *webnn.GraphBuilder, x *webnn.Operand, n int) *webnn.Operand {
		list := make([]*webnn.Operand, min(n, 8192))
		for i := range list {
			list[i] = m.One(b.Neg(x, nil))
		}
		y := m.One(b.Concat(list, 0, nil))
		parts := m.All(b.Split(y, len(list), nil))
		for i := range parts {
			parts[i] = m.One(b.Neg(parts[i], nil))
		}
		return m.One(b.Concat(parts, 0, nil))
	}},
}

// BenchmarkCall reports the time of one call in graphs of several sizes, which must not depend on the size.
func BenchmarkCall(b *testing.B) {
	for _, l := range large {
		for _, n := range []int{2000, 20000, 60000} {
			b.Run(fmt.Sprintf("%s/%d", l.name, n), func(b *testing.B) {
				for b.Loop() {
					_, _ = define(b, n, l.add)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
			})
		}
	}
}

// BenchmarkBuild reports the time that Build takes for a call.
func BenchmarkBuild(b *testing.B) {
	for _, l := range large {
		for _, n := range []int{2000, 20000, 60000} {
			b.Run(fmt.Sprintf("%s/%d", l.name, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					builder, y := define(b, n, l.add)
					b.StartTimer()
					g, err := builder.Build(b.Context(), webnn.NamedOperands{"y": y})
					if err != nil {
						b.Fatal(err)
					}
					g.Destroy()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
			})
		}
	}
}

func define(tb testing.TB, n int, add func(*webnn.Must, *webnn.GraphBuilder, *webnn.Operand, int) *webnn.Operand) (b *webnn.GraphBuilder, y *webnn.Operand) {
	tb.Helper()
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		tb.Fatal(err)
	}
	if b, err = webnn.NewGraphBuilder(c); err != nil {
		tb.Fatal(err)
	}
	if err := webnn.Try(func(m *webnn.Must) {
		x := m.One(b.Input("x", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{4}}))
		y = add(m, b, x, n)
	}); err != nil {
		tb.Fatal(err)
	}
	return b, y
}
