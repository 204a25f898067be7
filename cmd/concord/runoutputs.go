package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// run runs a job and makes its report.
func (r *runner) run(ctx context.Context, j *job) (*report.Report, error) {
	if err := r.prepare(ctx, j); err != nil {
		return nil, err
	}
	rep := &report.Report{Input: j.Source}
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
func (r *runner) report(j *job, rep *report.Report) error {
	if err := r.encode(rep); err != nil {
		return err
	}
	if r.flags.hash {
		if rep.Hashes = report.Hashes(r.session, r.results(), rep.Encoded); !r.flags.asJSON {
			return nil
		}
	}
	return r.interpret(j, rep)
}

// interpret says what the outputs of the last run mean and writes the files.
func (r *runner) interpret(j *job, rep *report.Report) error {
	if err := rep.Interpret(r.manifest, r.results(), r.answers); err != nil {
		return err
	}
	var arrays []tensor.Named
	for i, p := range r.results() {
		if r.flags.raw || slices.ContainsFunc(rep.Outputs, func(o *report.Output) bool { return o.Name == p.Name && o.Kind == "tensor" }) {
			arrays = append(arrays, tensor.Named{Name: p.Name, Tensor: r.session.Output(i)})
		}
	}
	return r.writeFiles(j, rep, arrays)
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
			if !slices.Contains(endings, feed.BoxesEnding) { // all boxes are in one picture
				endings = append(endings, feed.BoxesEnding)
			}
		case *manifest.Track:
			endings = append(endings, trackEnding(p.Name))
		default:
			plain = plain || !used[p.Name]
		}
	}
	for _, j := range jobs {
		of := func(name string) output { return output{path: name, of: cmp.Or(j.Source, "random inputs")} }
		if !r.keeps(j) {
			continue
		}
		for _, ending := range endings {
			if r.feeder.Media(j.Job) {
				list = append(list, of(r.beside(j, ending)))
			}
		}
		if plain {
			list = append(list, of(r.beside(j, feed.ArraysEnding)))
		}
		if r.saved != nil {
			list = append(list, of(r.beside(j, feed.SavedEnding)))
		}
	}
	return list
}

// reads are the files that jobs read.
func (r *runner) reads(jobs []*job) []string {
	list := []string{r.flags.manifest}
	for _, j := range jobs {
		list = append(slices.AppendSeq(list, maps.Values(j.Files)), j.Source)
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" || name == feed.Stdin })
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
	return j.Source != "" && j.Source != feed.Stdin || r.flags.output != ""
}

func trackEnding(output string) string { return "-" + inFileName(output) + ".png" }

// writeFiles writes what belongs beside the input: the picture with boxes, the curve of a track, the arrays.
func (r *runner) writeFiles(j *job, rep *report.Report, arrays []tensor.Named) error {
	if r.flags.hash || r.encoded.printed() || !r.keeps(j) {
		return nil
	}
	var boxes []media.Box // of all outputs, in one picture
	drawn := false
	for _, o := range rep.Outputs {
		boxes, drawn = append(boxes, o.Boxes...), drawn || o.Kind == "boxes"
	}
	if drawn && j.Picture != nil {
		m, err := media.DrawBoxes(j.Picture, boxes)
		if err == nil {
			name := r.beside(j, feed.BoxesEnding)
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
		if err := r.writeArrays(j, rep, feed.SavedEnding, saved); err != nil {
			return err
		}
	}
	if len(arrays) == 0 {
		return nil
	}
	return r.writeArrays(j, rep, feed.ArraysEnding, arrays)
}

// writeArrays writes an archive that belongs to the job's input.
func (r *runner) writeArrays(j *job, rep *report.Report, ending string, arrays []tensor.Named) error {
	name := r.beside(j, ending)
	rep.Files = append(rep.Files, name)
	return stage.Write(name, func(w io.Writer) error { return tensor.WriteNPZ(w, arrays, false) })
}

// beside returns the name of a file that belongs to the job's input: its name with another ending, in its folder or in
// that of --output.
func (r *runner) beside(j *job, ending string) string {
	source := j.Source
	switch source {
	case "":
		source = "random"
	case feed.Stdin:
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

// writeReport prints the report as text.
func writeReport(w io.Writer, rep *report.Report, style media.Style, several bool) error {
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
