package media

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// Box is an object found in a picture. Its corners are in pixels of the picture, measured at the pixels' edges, and may
// lie outside of it.
type Box struct {
	Class  int     `json:"class"`
	Label  string  `json:"label"`
	Score  float32 `json:"score"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
}

// Boxes reads the objects of a pair of outputs, boxes [1,N,4] and scores [1,N,C], the best first. View is what
// PrepareImage returned for the picture. Each class is suppressed by itself.
func Boxes(spec *manifest.Boxes, view View, boxes, scores *tensor.Tensor) ([]Box, error) {
	if spec == nil || missing(boxes) || missing(scores) {
		return nil, errMissing
	}
	spec, err := spec.Resolved()
	if err != nil {
		return nil, err
	}
	var e eval
	c := e.candidatesOf(spec, view, boxes, scores)
	if e.err != nil {
		return nil, e.err
	}
	var found []Box
	at := tensor.Data[float32](c.corners)
	for k, class := range c.classes {
		values := tensor.Data[float32](c.scores[k])
		for _, i := range tensor.Data[int64](c.kept[k]) {
			if i < 0 {
				break
			}
			if box, ok := view.place(at[4*i:]); ok {
				box.Class, box.Label, box.Score = class, spec.Label(class), values[i]
				found = append(found, box)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	if spec.Limit > 0 && spec.Limit < len(found) {
		found = found[:spec.Limit]
	}
	return found, nil
}

// candidates are the boxes that a detector tells, float32 [1,N,4], as shares of the model's input, and for each class their scores, [1,N], and which are
// kept, the best first, and then -1.
type candidates struct {
	corners      *tensor.Tensor
	classes      []int
	scores, kept []*tensor.Tensor
}

func (e *eval) candidatesOf(spec *manifest.Boxes, view View, boxes, scores *tensor.Tensor) (c candidates) {
	b, s := e.rows(boxes), e.rows(scores)
	if e.err != nil {
		return c
	}
	if b.Shape()[2] != 4 || b.Shape()[1] != s.Shape()[1] {
		e.keep(nil, fmt.Errorf("boxes %v and scores %v do not go together; they must be [1,N,4] and [1,N,C]", boxes.Describe(), scores.Describe()))
		return c
	}
	c.corners = e.corners(spec, view, b)
	thresholds := graph.AttrsOf("iou_threshold", spec.IoUThreshold, "score_threshold", spec.ScoreThreshold)
	for class := range s.Shape()[2] {
		if class == spec.Background {
			continue
		}
		score := e.reshape(e.columns(s, class, class+1), 1, s.Shape()[1])
		c.classes, c.scores = append(c.classes, class), append(c.scores, score)
		c.kept = append(c.kept, e.op("box_suppression", thresholds, c.corners, score))
	}
	return c
}

// rows returns an output with one row for each candidate as float32 [1,N,C].
func (e *eval) rows(t *tensor.Tensor) *tensor.Tensor {
	s := t.Shape()
	if len(s) == 3 && s[0] == 1 {
		s = s[1:]
	}
	if len(s) != 2 {
		return e.keep(nil, fmt.Errorf("the output is %v; for boxes it must be [1,N,C]", t.Describe()))
	}
	return e.reshape(e.cast(t, tensor.Float32), 1, s[0], s[1])
}

// corners returns left, top, right and bottom of each box as shares of the model's input.
func (e *eval) corners(spec *manifest.Boxes, view View, b *tensor.Tensor) *tensor.Tensor {
	unit := []float64{float64(view.Columns), float64(view.Rows)}
	switch spec.Format {
	case manifest.Corners:
		if spec.Units == manifest.Pixels {
			b = e.op("div", nil, b, e.constant(slices.Concat(unit, unit), 1, 1, 4))
		}
		return e.reshape(b, b.Shape()...)
	case manifest.Deltas:
		return e.around(e.decode(spec.Priors, view, b))
	}
	centre, size := e.columns(b, 0, 2), e.columns(b, 2, 4)
	if spec.Units == manifest.Pixels {
		scale := e.constant(unit, 1, 1, 2)
		centre, size = e.op("div", nil, centre, scale), e.op("div", nil, size, scale)
	}
	return e.around(centre, size)
}

// around returns the corners of boxes with the given centres and sizes.
func (e *eval) around(centre, size *tensor.Tensor) *tensor.Tensor {
	half := e.op("mul", nil, size, e.constant([]float64{0.5}, 1, 1, 1))
	return e.op("concat", attrs("axis", 2), e.op("sub", nil, centre, half), e.op("add", nil, centre, half))
}

// decode returns the centres and sizes that differences to the priors mean.
func (e *eval) decode(p *manifest.Priors, view View, b *tensor.Tensor) (centre, size *tensor.Tensor) {
	n := p.Len()
	if b.Shape()[1] != n {
		e.keep(nil, fmt.Errorf("there are %d boxes for %d priors", b.Shape()[1], n))
		return nil, nil
	}
	centres, sizes := priors(p, view)
	centre, size = e.constant(centres, 1, n, 2), e.constant(sizes, 1, n, 2)
	variance := func(i int) *tensor.Tensor { return e.constant(p.Variance[i:i+1], 1, 1, 1) }
	shift := e.op("mul", nil, e.op("mul", nil, e.columns(b, 0, 2), variance(0)), size)
	grow := e.op("exp", nil, e.op("mul", nil, e.columns(b, 2, 4), variance(1)))
	return e.op("add", nil, centre, shift), e.op("mul", nil, size, grow)
}

// priors returns the centres and sizes of all priors, x and y interleaved.
func priors(p *manifest.Priors, view View) (centres, sizes []float64) {
	width, height := float64(p.Width), float64(p.Height)
	if p.Width == 0 {
		width, height = float64(view.Columns), float64(view.Rows)
	}
	limit := func(x float64) float64 {
		if p.Clamp {
			return max(0, min(x, 1))
		}
		return x
	}
	for _, m := range p.Maps {
		for row := range m.Rows {
			for column := range m.Columns {
				for _, box := range m.Boxes {
					centres = append(centres, limit((float64(column)+0.5)/float64(m.Columns)), limit((float64(row)+0.5)/float64(m.Rows)))
					sizes = append(sizes, limit(box[0]/width), limit(box[1]/height))
				}
			}
		}
	}
	return centres, sizes
}

// place converts corners from shares of the model's input to pixels of the picture; false if one is not finite.
func (v View) place(corners []float32) (Box, bool) {
	var at [4]float64
	for i := range at {
		x := float64(corners[i])
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Box{}, false
		}
		if i%2 == 0 {
			at[i] = v.X + float64(x*v.Width)
		} else {
			at[i] = v.Y + float64(x*v.Height)
		}
	}
	return Box{Left: at[0], Top: at[1], Right: at[2], Bottom: at[3]}, true
}
