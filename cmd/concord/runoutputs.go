package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// jobReport is what a job has yielded.
type jobReport struct {
	Input   string          `json:"input,omitempty"`
	Outputs []*outputReport `json:"outputs"`
	Files   []string        `json:"files,omitempty"`   // what was written
	Encoded *hexBytes       `json:"encoded,omitempty"` // of a CVM model
	Refusal *cvm.Error      `json:"refusal,omitempty"` // why there are no encoded bytes
	Hashes  []outputHash    `json:"hashes,omitempty"`
}

// outputReport is what one output says, in the form that the manifest gives it.
type outputReport struct {
	Name    string        `json:"name"`
	Type    string        `json:"type"`
	Kind    string        `json:"kind"`
	Classes []media.Class `json:"classes,omitempty"`
	Boxes   []media.Box   `json:"boxes,omitempty"`
	Track   *media.Track  `json:"track,omitempty"`
	Stats   *stats        `json:"statistics,omitempty"`

	scores *tensor.Tensor // the values of classes as int64, where they are integers, which are no probabilities; else nil
}

// run runs a job and makes its report.
func (r *runner) run(ctx context.Context, j *job) (*jobReport, error) {
	if err := r.prepare(j); err != nil {
		return nil, err
	}
	rep := &jobReport{Input: j.source}
	if r.model.CVM() == nil { // what a CVM model keeps, it keeps from run to run, as for its bytes
		r.session.Reset()
	}
	for i := range j.windows {
		r.window, r.count = i, j.windows
		if err := r.answers.Step(ctx, i); err != nil {
			return nil, err
		}
		r.bar.part(r.windows(1))
	}
	if r.encoded.printed() && j.windows == 1 { // which asks for nothing else
		return rep, r.encode(rep)
	}
	return rep, r.report(j, rep)
}

// report completes the report of a job whose outputs are there.
func (r *runner) report(j *job, rep *jobReport) error {
	if err := r.encode(rep); err != nil {
		return err
	}
	if r.flags.hash {
		if rep.Hashes = r.hashes(rep.Encoded); !r.flags.asJSON {
			return nil
		}
	}
	return r.interpret(j, rep)
}

// interpret says what the outputs of the last run mean and writes the files.
func (r *runner) interpret(j *job, rep *jobReport) error {
	answer, err := r.answers.Answer()
	if err != nil {
		return err
	}
	said := make(map[string]*pipeline.Output)
	for i := range answer.Outputs {
		said[answer.Outputs[i].Name] = &answer.Outputs[i]
	}
	var arrays []tensor.Named
	for i, p := range r.results() {
		o, t := said[p.Name], r.session.Output(i)
		if o != nil {
			out, err := r.outputReport(p, o, t)
			if err != nil {
				return err
			}
			rep.Outputs = append(rep.Outputs, out)
		}
		if o != nil && o.Tensor != nil || r.flags.raw {
			arrays = append(arrays, tensor.Named{Name: p.Name, Tensor: t})
		}
	}
	return r.writeFiles(j, rep, arrays)
}

// outputReport is the report of an output that says something.
func (r *runner) outputReport(p engine.Port, o *pipeline.Output, t *tensor.Tensor) (out *outputReport, err error) {
	out = &outputReport{Name: p.Name, Type: p.Type.String(), Classes: o.Classes, Boxes: o.Boxes, Track: o.Track}
	switch spec := r.manifest.Output(p.Name).(type) {
	case *manifest.Classes:
		out.Kind = "classes"
		if t.DType().IsInteger() && !spec.Logits {
			out.scores, err = tensor.Cast(t, tensor.Int64)
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

// outputs are the files that jobs will write.
func (r *runner) outputs(jobs []*job) []output {
	list := files(r.flags.encoded)
	if r.encoded.printed() {
		list = nil
	}
	if r.flags.hash || r.encoded.printed() {
		return list
	}
	var endings []string
	used, plain := r.scores(), r.flags.raw
	for _, p := range r.results() {
		switch r.manifest.Output(p.Name).(type) {
		case *manifest.Classes:
		case *manifest.Boxes:
			if !slices.Contains(endings, boxesEnding) { // all boxes are in one picture
				endings = append(endings, boxesEnding)
			}
		case *manifest.Track:
			endings = append(endings, trackEnding(p.Name))
		default:
			plain = plain || !used[p.Name]
		}
	}
	for _, j := range jobs {
		of := func(name string) output { return output{path: name, of: cmp.Or(j.source, "random inputs")} }
		if !r.keeps(j) {
			continue
		}
		for _, ending := range endings {
			if r.media(j) {
				list = append(list, of(r.beside(j, ending)))
			}
		}
		if plain {
			list = append(list, of(r.beside(j, arraysEnding)))
		}
		if r.saved != nil {
			list = append(list, of(r.beside(j, savedEnding)))
		}
	}
	return list
}

// media reports whether a job's inputs are a picture or a sound, beside which pictures may be written.
func (r *runner) media(j *job) bool {
	for i, p := range r.session.Inputs() {
		kind := r.manifest.Input(p.Name)
		switch own, file := mediaForm(kind), j.files[i]; {
		case own == "" || file == "":
		case file == stdinArg && r.stdin().form(kind) == own, file != stdinArg && formOf(file, kind) == own:
			return true
		}
	}
	return false
}

// reads are the files that jobs read.
func (r *runner) reads(jobs []*job) []string {
	list := []string{r.path, r.flags.manifest}
	for _, j := range jobs {
		list = append(slices.AppendSeq(list, maps.Values(j.files)), j.source)
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" || name == stdinArg })
}

// scores are the outputs that the meaning of another one takes in.
func (r *runner) scores() map[string]bool {
	used := make(map[string]bool)
	for _, o := range r.manifest.Outputs {
		if b, ok := o.Kind.(*manifest.Boxes); ok {
			used[b.Scores] = true
		}
	}
	return used
}

// keeps reports whether anything is written for a job: there is a file beside which they can stand, or a folder for them.
func (r *runner) keeps(j *job) bool {
	return j.source != "" && j.source != stdinArg || r.flags.output != ""
}

// How the names of files end that are written beside inputs.
const (
	boxesEnding  = "-boxes.png"
	arraysEnding = "-outputs.npz"
	savedEnding  = "-saved.npz"
)

func trackEnding(output string) string { return "-" + inFileName(output) + ".png" }

// writeFiles writes what belongs beside the input: the picture with boxes, the curve of a track, the arrays.
func (r *runner) writeFiles(j *job, rep *jobReport, arrays []tensor.Named) error {
	if r.flags.hash || r.encoded.printed() || !r.keeps(j) {
		return nil
	}
	var boxes []media.Box // of all outputs, in one picture
	drawn := false
	for _, o := range rep.Outputs {
		boxes, drawn = append(boxes, o.Boxes...), drawn || o.Kind == "boxes"
	}
	if drawn && j.picture != nil {
		m, err := media.DrawBoxes(j.picture, boxes)
		if err == nil {
			name := r.beside(j, boxesEnding)
			rep.Files = append(rep.Files, name)
			err = media.SavePNG(name, m)
		}
		if err != nil {
			return err
		}
	}
	for _, o := range rep.Outputs {
		if o.Track == nil || !j.sound {
			continue
		}
		m, err := media.DrawTrack(o.Track, 960, 240)
		if err != nil {
			return err
		}
		name := r.beside(j, trackEnding(o.Name))
		rep.Files = append(rep.Files, name)
		if err := media.SavePNG(name, m); err != nil {
			return err
		}
	}
	if saved := r.savedArrays(); len(saved) > 0 {
		if err := r.writeArrays(j, rep, savedEnding, saved); err != nil {
			return err
		}
	}
	if len(arrays) == 0 {
		return nil
	}
	return r.writeArrays(j, rep, arraysEnding, arrays)
}

// writeArrays writes an archive that belongs to the job's input.
func (r *runner) writeArrays(j *job, rep *jobReport, ending string, arrays []tensor.Named) error {
	name := r.beside(j, ending)
	rep.Files = append(rep.Files, name)
	return stage.Write(name, func(w io.Writer) error { return tensor.WriteNPZ(w, arrays, false) })
}

// beside returns the name of a file that belongs to the job's input: its name with another ending, in its folder or in
// that of --output.
func (r *runner) beside(j *job, ending string) string {
	source := j.source
	switch source {
	case "":
		source = "random"
	case stdinArg:
		source = "stdin"
	}
	name := strings.TrimSuffix(source, filepath.Ext(source)) + ending
	if r.flags.output != "" {
		name = filepath.Join(r.flags.output, filepath.Base(name))
	}
	return name
}

// inFileName returns the name of an output, which may be any text, as a part of a file's name that leads to no other folder.
func inFileName(name string) string {
	return strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(escape.Text(name))
}

// write prints the report as text.
func (rep *jobReport) write(w io.Writer, style media.Style, several bool) error {
	var lines []string
	if several {
		lines = append(lines, escape.Text(rep.Input))
	}
	if len(rep.Hashes) > 0 {
		for _, h := range rep.Hashes {
			lines = append(lines, h.String())
		}
		_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
		return err
	}
	for _, o := range rep.Outputs {
		if len(rep.Outputs) > 1 {
			lines = append(lines, escape.Text(o.Name)+": "+o.Type)
		}
		switch o.Kind {
		case "classes":
			lines = append(lines, media.ClassTable(o.Classes, style)...)
		case "boxes":
			if len(o.Boxes) > 0 {
				lines = append(lines, media.BoxTable(o.Boxes, style)...)
			}
			lines = append(lines, fmt.Sprintf("%d found", len(o.Boxes)))
		case "track":
			lines = append(lines, media.TrackTable(o.Track, style)...)
		default:
			if len(rep.Outputs) == 1 {
				lines = append(lines, escape.Text(o.Name)+": "+o.Type)
			}
			lines = append(lines, "  "+o.Stats.String())
		}
	}
	if rep.Encoded != nil {
		lines = append(lines, "encoded: "+rep.Encoded.String())
	}
	for _, f := range rep.Files {
		if quiet {
			break
		}
		lines = append(lines, "written: "+escape.Text(f))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// stats sums up the elements of a tensor.
type stats struct {
	Min       float64 `json:"min"`
	Mean      float64 `json:"mean"`
	Max       float64 `json:"max"`
	NonFinite int     `json:"nonFinite"`
}

func statsOf(t *tensor.Tensor) *stats {
	wide := t
	if t.DType() != tensor.Float32 { // a copy may be as large as the model may be
		var err error
		if wide, err = tensor.Cast(t, tensor.Float32); err != nil {
			return &stats{}
		}
	}
	s := &stats{Min: math.Inf(1), Max: math.Inf(-1)}
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
		return &stats{NonFinite: s.NonFinite}
	}
	s.Mean /= float64(n)
	return s
}

// String writes the numbers in one line.
func (s *stats) String() string {
	text := fmt.Sprintf("from %.6g to %.6g, mean %.6g", s.Min, s.Max, s.Mean)
	if s.NonFinite > 0 {
		text += fmt.Sprintf("; %d not finite", s.NonFinite)
	}
	return text
}
