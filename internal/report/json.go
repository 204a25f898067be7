package report

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// finite is a number of a model's output. JSON has no NaN and no infinities: null stands for them.
type finite[T float32 | float64] struct{ value T }

// MarshalJSON writes the number, or null.
func (r finite[T]) MarshalJSON() ([]byte, error) {
	if x := float64(r.value); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(r.value)
}

// The following types are those of package media with numbers that JSON can always say; their own fields hide the
// embedded ones of the same name.
type (
	jsonClass struct {
		media.Class
		Probability *finite[float32] `json:"probability,omitempty"`
		Score       *int64           `json:"score,omitempty"` // in its place, where values are integers
	}
	jsonBox struct {
		media.Box
		Score  finite[float32] `json:"score"`
		Left   finite[float64] `json:"left"`
		Top    finite[float64] `json:"top"`
		Right  finite[float64] `json:"right"`
		Bottom finite[float64] `json:"bottom"`
	}
	jsonTrack struct {
		*media.Track
		Values []finite[float32] `json:"values"`
	}
)

// MarshalJSON writes the report of one output.
func (o *Output) MarshalJSON() ([]byte, error) {
	type plain Output // without this method
	out := struct {
		*plain
		Classes []jsonClass `json:"classes,omitempty"`
		Boxes   []jsonBox   `json:"boxes,omitempty"`
		Track   *jsonTrack  `json:"track,omitempty"`
	}{plain: (*plain)(o)}
	for _, c := range o.Classes {
		class := jsonClass{Class: c}
		if o.Scores != nil {
			class.Score = &tensor.Data[int64](o.Scores)[c.Index]
		} else {
			class.Probability = &finite[float32]{c.Probability}
		}
		out.Classes = append(out.Classes, class)
	}
	for _, b := range o.Boxes {
		out.Boxes = append(out.Boxes, jsonBox{b, finite[float32]{b.Score},
			finite[float64]{b.Left}, finite[float64]{b.Top}, finite[float64]{b.Right}, finite[float64]{b.Bottom}})
	}
	if o.Track != nil {
		out.Track = &jsonTrack{Track: o.Track}
		for _, v := range o.Track.Values {
			out.Track.Values = append(out.Track.Values, finite[float32]{v})
		}
	}
	var text bytes.Buffer
	err := escape.WriteJSON(&text, out) // as json.Marshal writes it, with < and > as they are
	return text.Bytes(), err
}
