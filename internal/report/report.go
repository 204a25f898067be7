package report

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// Report is what a job has yielded.
type Report struct {
	Input   string     `json:"input,omitempty"`
	Outputs []*Output  `json:"outputs"`
	Files   []string   `json:"files,omitempty"`   // what was written
	Encoded *HexBytes  `json:"encoded,omitempty"` // of a CVM model
	Refusal *cvm.Error `json:"refusal,omitempty"` // why there are no encoded bytes
	Hashes  []Hash     `json:"hashes,omitempty"`
}

// Output is what one output says, in the form that the manifest gives it.
type Output struct {
	Name    string        `json:"name"`
	Type    string        `json:"type"`
	Kind    string        `json:"kind"`
	Classes []media.Class `json:"classes,omitempty"`
	Boxes   []media.Box   `json:"boxes,omitempty"`
	Track   *media.Track  `json:"track,omitempty"`
	Stats   *Stats        `json:"statistics,omitempty"`

	Scores *tensor.Tensor `json:"-"` // the values of classes as int64, where they are integers, which are no probabilities; else nil
}

// Line returns the report as an object on a line.
func (r *Report) Line() ([]byte, error) {
	var text, line bytes.Buffer
	if err := escape.WriteJSON(&text, r); err != nil {
		return nil, err
	}
	if err := json.Compact(&line, text.Bytes()); err != nil {
		return nil, err
	}
	line.WriteByte('\n')
	return line.Bytes(), nil
}

// Interpret adds what outputs of a session's last run mean. The answers are those of the session and the manifest.
func (r *Report) Interpret(d *manifest.Manifest, outputs []engine.Port, answers *pipeline.Session) error {
	answer, err := answers.Answer()
	if err != nil {
		return err
	}
	return r.Add(d, outputs, answer)
}

// Add adds what outputs of a model say, by their names in an answer.
func (r *Report) Add(d *manifest.Manifest, outputs []engine.Port, answer *pipeline.Answer) error {
	said := make(map[string]*pipeline.Output)
	for i := range answer.Outputs {
		said[answer.Outputs[i].Name] = &answer.Outputs[i]
	}
	for _, p := range outputs {
		if o := said[p.Name]; o != nil {
			out, err := outputOf(d, p, o, answer.Tensors[p.Name])
			if err != nil {
				return err
			}
			r.Outputs = append(r.Outputs, out)
		}
	}
	return nil
}

// outputOf is the report of an output, whose elements are t.
func outputOf(d *manifest.Manifest, p engine.Port, o *pipeline.Output, t *tensor.Tensor) (out *Output, err error) {
	out = &Output{Name: p.Name, Type: p.Type.String(), Classes: o.Classes, Boxes: o.Boxes, Track: o.Track}
	switch spec := d.Output(p.Name).(type) {
	case *manifest.Classes:
		out.Kind = "classes"
		if t.DType().IsInteger() && !spec.Logits {
			out.Scores, err = tensor.Cast(t, tensor.Int64)
		}
	case *manifest.Boxes:
		out.Kind = "boxes"
	default:
		if out.Kind = "track"; o.Tensor != nil {
			out.Kind, out.Stats = "tensor", statsOf(t)
		}
	}
	return out, err
}

// Encode adds the encoded outputs of a CVM model's run, given by their places in the network, or, of one whose outputs cannot be encoded, though they can
// be shown, why not. Of other models it does nothing.
func (r *Report) Encode(m *concord.Model, output func(i int) *tensor.Tensor) error {
	if m.CVM() == nil {
		return nil
	}
	heads := make([]*tensor.Tensor, len(m.CVM().Graph().Outputs)) // the session may have others behind them
	for i := range heads {
		heads[i] = output(i)
	}
	out, err := m.CVM().Encode(heads)
	if errors.As(err, &r.Refusal) && r.Refusal.Class == fault.Logic {
		return nil
	}
	if r.Refusal = nil; err == nil {
		r.Encoded = (*HexBytes)(&out)
	}
	return err
}

// Stats sums up the elements of a tensor.
type Stats struct {
	Min       float64 `json:"min"`
	Mean      float64 `json:"mean"`
	Max       float64 `json:"max"`
	NonFinite int     `json:"nonFinite"`
}

func statsOf(t *tensor.Tensor) *Stats {
	wide := t
	if t.DType() != tensor.Float32 { // a copy may be as large as the model may be
		var err error
		if wide, err = tensor.Cast(t, tensor.Float32); err != nil {
			return &Stats{}
		}
	}
	s := &Stats{Min: math.Inf(1), Max: math.Inf(-1)}
	n := 0
	for _, v := range tensor.Data[float32](wide) {
		x := float64(v)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			s.NonFinite++
			continue
		}
		n++
		s.Min, s.Max, s.Mean = min(s.Min, x), max(s.Max, x), s.Mean+x
	}
	if n == 0 {
		return &Stats{NonFinite: s.NonFinite}
	}
	s.Mean /= float64(n)
	return s
}

// String writes the numbers in one line.
func (s *Stats) String() string {
	text := fmt.Sprintf("from %.6g to %.6g, mean %.6g", s.Min, s.Max, s.Mean)
	if s.NonFinite > 0 {
		text += fmt.Sprintf("; %d not finite", s.NonFinite)
	}
	return text
}

// HexBytes are the bytes of a CVM model's encoded outputs.
type HexBytes []byte

// MarshalJSON writes all bytes in hexadecimal.
func (b HexBytes) MarshalJSON() ([]byte, error) { return json.Marshal(hex.EncodeToString(b)) }

// String says how many bytes there are, and the first of them.
func (b HexBytes) String() string {
	const most = 32
	if len(b) > most {
		return fmt.Sprintf("%d bytes, %x…", len(b), []byte(b[:most]))
	}
	return fmt.Sprintf("%d bytes, %x", len(b), []byte(b))
}
