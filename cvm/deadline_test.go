package cvm

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/tensor"
)

// heavy are models of one operator whose work is a single piece, or few. The parameter w of one element is a great count.
func heavy() map[string]*sketch {
	const row = 1 << 22
	models := map[string]*sketch{}
	add := func(name string, precision int, shape []int, operator, attrs string, out []int, more ...[]int) {
		s := newSketch()
		in := []int{s.variable(DataName, precision, shape...)}
		for _, other := range more {
			w := make([]int32, tensor.Shape(other).Len())
			if w[0] = 1; len(w) == 1 {
				w[0] = 1<<19 - 1
			}
			in = append(in, s.parameter("w", max(precision, 20*(2-len(other))), other, w))
		}
		models[name] = s.head(s.apply(operator, attrs, out, in...))
	}
	add("boxes", 8, []int{1, 1 << 17, 6}, "non_max_suppression", `{"iou_threshold":"200"}`, []int{1, 1 << 17, 6}, []int{1})
	add("best boxes", 8, []int{1, 1 << 20, 6}, "non_max_suppression", `{"top_k":"10"}`, []int{1, 1 << 20, 6}, []int{1})
	add("long rows", 8, []int{1, 1, 1, row}, "conv2d", `{"channels":"1","kernel_size":"(1, 4096)","use_bias":"0","dilation":"(1, 512)"}`,
		[]int{1, 1, 1, row - 512*4095}, []int{1, 1, 1, 4096})
	add("large kernel", 2, []int{1, 1, 2048, 2048}, "conv2d", `{"channels":"1","kernel_size":"(2048, 2048)","use_bias":"0"}`,
		[]int{1, 1, 1, 1}, []int{1, 1, 2048, 2048})
	add("large window", 8, []int{1, 1, 1, row}, "max_pool2d", `{"pool_size":"(1, 100000)"}`, []int{1, 1, 1, row - 99999})
	add("maximum", 8, []int{4, row}, "max", `{}`, []int{1})
	add("tile", 8, []int{4096}, "tile", `{"reps":"4096"}`, []int{row * 4})
	return models
}

// TestDeadlines holds that a run ends with its context within every operator, however few pieces its work has. How late is logged: without
// looking at the context some of these take minutes.
func TestDeadlines(t *testing.T) {
	for name, s := range heavy() {
		t.Run(name, func(t *testing.T) {
			m := load(t, s.files(t), Options{Engine: engine.Options{Threads: 1}})
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			input := make([]byte, m.Admission().InputLength)
			_, err := m.Run(ctx, input)
			if at, ok := ctx.Deadline(); ok {
				t.Logf("%v late: %v", time.Since(at), err)
			}
			if err != nil {
				isFault(t, err, fault.Runtime, fault.Run)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
		})
	}
}
