package serve

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/metrics"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/serve/internal/rest"
	"github.com/concord-nn/concord/tensor"
)

// answer says what a model says of a picture, a sound or numbers, as concord run --json does: POST /models/MODEL/answer, or
// /models/MODEL/versions/VERSION/answer, with the file as the body, or a JSON object with numbers by the names of inputs. The manifest says how that
// becomes inputs, and what outputs mean.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	text, err := s.say(w, r)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // nobody can be told
}

func (s *Server) say(w http.ResponseWriter, r *http.Request) (text []byte, err error) {
	name, number := r.PathValue("model"), r.PathValue("version")
	defer func() {
		err = failure(err)
		asked(r.Context(), name, number, err)
		s.metrics.Infer(metrics.Page, name, number, err)
	}()
	if err := s.origin.Check(r); err != nil {
		return nil, oip.Errorf(oip.PermissionDenied, "%v: a page may only ask the server that it comes from", err)
	}
	body, free, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	v, of, release, err := acquire(r.Context(), s.models, name, number)
	if err != nil {
		free()
		return nil, err
	}
	defer release()
	number = of.Version
	in, err := s.decode(r.Context(), v, body)
	free() // while the model runs, others can be read and decoded, which may run together with it
	if err != nil {
		return nil, err
	}
	rep, err := v.report(r.Context(), in)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = escape.WriteJSON(&b, rep)
	return b.Bytes(), err
}

// decode makes inputs of a body. Only some are decoded at the same time, as that takes all processors.
func (s *Server) decode(ctx context.Context, v *version, body []byte) (in pipeline.Inputs, err error) {
	done, err := take(ctx, s.decoding)
	if err != nil {
		return in, err
	}
	defer done()
	l := budget.Of(ctx)
	if err := l.Take(v.mediaBytes(body)); err != nil {
		return in, err
	}
	in, err = v.mediaOf(body, l)
	if err != nil && !errors.As(err, new(*oip.Error)) {
		err = oip.Errorf(oip.InvalidArgument, "%v", err)
	}
	return in, err
}

// body reads the body of a request. Only some are in memory at the same time.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, free func(), err error) {
	if free, err = take(r.Context(), s.bodies); err != nil {
		return nil, nil, err
	}
	body, err = budget.Of(r.Context()).ReadAll(http.MaxBytesReader(w, r.Body, limits.ServeAnswer), r.ContentLength, limits.ServeAnswer)
	if err != nil && !errors.As(err, new(*oip.Error)) {
		err = rest.BodyError(err, limits.ServeAnswer)
	} else if isJSON(body) && len(body) > limits.ServeNumbers {
		err = oip.Errorf(oip.TooLarge, "the body is JSON of more than %d bytes; the protocol's infer takes more", limits.ServeNumbers)
	}
	if err != nil {
		free()
	}
	return body, free, err
}

// take takes one of the places that a channel has, and returns what gives it back.
func take(ctx context.Context, places chan struct{}) (free func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func isJSON(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) }

// mediaBytes returns how many bytes a picture or a sound takes at most beside the body, until it is the inputs that the manifest says.
func (v *version) mediaBytes(body []byte) int64 {
	if !isSound(body) {
		return media.PictureBytes(body)
	}
	var spec *manifest.Audio
	if v.manifest != nil {
		for _, in := range v.manifest.Inputs {
			if k, ok := in.Kind.(*manifest.Audio); ok {
				spec = k
			}
		}
	}
	return media.SoundBytes(body, spec)
}

func isSound(body []byte) bool { return bytes.HasPrefix(body, []byte("RIFF")) }

// mediaOf returns the inputs that a body is: a JSON object, a sound, or a picture.
func (v *version) mediaOf(body []byte, l *budget.Lease) (in pipeline.Inputs, err error) {
	switch {
	case len(body) == 0:
		return in, errors.New("the body is empty; it must be a picture, a sound, or a JSON object with numbers by the names of inputs")
	case isSound(body):
		in.Sound, err = media.DecodeWAV(body)
	case isJSON(body):
		in.Tensors, err = v.numbers(body, l)
	default:
		in.Picture, err = media.DecodePicture(body)
	}
	return in, err
}

// report runs the model through its queue, like any request, and says what its outputs mean.
func (v *version) report(ctx context.Context, in pipeline.Inputs) (*report.Report, error) {
	outputs := make([]string, len(v.outputs))
	for i, p := range v.outputs {
		outputs[i] = p.name
	}
	next := batch.Request{}
	if v.carries && in.Sound != nil { // its windows belong together
		next.Sequence, next.Start = random(16), true
	}
	p, err := pipeline.Through(v.model, v.manifest, outputs, func(ctx context.Context, inputs model.Values) (model.Values, error) {
		request := next
		request.Inputs, next.Start = inputs, false
		if next.Sequence != "" { // which keeps all states; else the pipeline gives those that are inputs
			request.Inputs = maps.Clone(inputs)
			maps.DeleteFunc(request.Inputs, func(name string, _ *tensor.Tensor) bool { return v.keeps(name) })
		}
		result, err := v.scheduler.Run(ctx, request)
		if err != nil {
			return nil, err
		}
		return result.Outputs, nil
	})
	if err != nil {
		return nil, err
	}
	answer, err := p.Run(ctx, in)
	if known := (*oip.Error)(nil); err != nil && !errors.As(err, &known) && ctx.Err() == nil {
		err = oip.Errorf(oip.InvalidArgument, "%v", err) // of what was given, as the model has not failed
	}
	if err != nil {
		return nil, err
	}
	rep, ports := &report.Report{}, make([]engine.Port, 0, len(answer.Outputs))
	for _, o := range answer.Outputs {
		t := answer.Tensors[o.Name]
		ports = append(ports, engine.Port{Name: o.Name, Type: graph.Type{DType: t.DType(), Shape: t.Shape()}})
	}
	said := v.manifest
	if said == nil {
		said = &manifest.Manifest{}
	}
	if err := rep.Add(said, ports, answer); err != nil {
		return nil, err
	}
	return rep, rep.Encode(v.model, func(i int) *tensor.Tensor { return answer.Tensors[v.outputs[i].name] })
}

// numbers reads tensors by the names of inputs.
func (v *version) numbers(body []byte, l *budget.Lease) (map[string]*tensor.Tensor, error) {
	return rest.Numbers(body, l, func(name string) (tensor.DType, tensor.Shape, error) {
		i := slices.IndexFunc(v.inputs, func(p port) bool { return p.name == name })
		if i < 0 {
			return tensor.Invalid, nil, v.noInput(name)
		}
		return v.inputs[i].dtype, v.sample[name], nil
	})
}
