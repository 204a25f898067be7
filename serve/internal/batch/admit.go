package batch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// complete returns the shapes of all inputs, of which some are given. What neither they nor the model decide is as the manifest says.
func (s *Scheduler) complete(given model.Shapes) (model.Shapes, error) {
	shapes, err := s.model.Complete(given)
	if open := (*model.OpenError)(nil); !errors.As(err, &open) {
		return shapes, err
	}
	all := pipeline.Shapes(s.model.Inputs(), s.opts.Manifest)
	maps.Copy(all, given)
	return s.model.Complete(all)
}

// admit checks the inputs of a request, adds those that the manifest knows, and counts the samples. It returns the shapes of one sample or, if
// requests run alone, of the request.
func (s *Scheduler) admit(r *request) (model.Shapes, error) {
	inputs := s.model.Inputs()
	given := make(model.Shapes, len(r.Inputs))
	for name, t := range r.Inputs {
		if t == nil {
			return nil, oip.Errorf(oip.InvalidArgument, "input %q has no tensor", name)
		}
		given[name] = t.Shape()
	}
	r.samples = 1
	elements := 0 // of the samples
	for _, in := range inputs {
		if err := s.declared(in, r.Inputs[in.Name]); err != nil {
			return nil, err
		}
		if r.Inputs[in.Name] == nil && !in.Optional && !in.Sequence && !s.known(in) {
			return nil, oip.Errorf(oip.InvalidArgument, "the input %s is missing", describe(in))
		}
		if s.apart == nil && given[in.Name] != nil && s.count.Of(in) {
			r.samples = given[in.Name][0]
			elements = max(elements, r.Inputs[in.Name].Len())
		}
	}
	shapes, err := s.complete(given)
	if err != nil {
		return nil, oip.Errorf(oip.InvalidArgument, "%v", err)
	}
	if r.samples < 1 {
		return nil, oip.Errorf(oip.InvalidArgument, "the request has no samples: the first extent of its inputs is 0")
	}
	if r.samples > 1 && elements == 0 { // of which a short request could have any number
		return nil, oip.Errorf(oip.InvalidArgument, "the %d samples have no elements; such samples are asked about one by one", r.samples)
	}
	r.own = r.Inputs
	for _, in := range inputs {
		if r.Inputs[in.Name] != nil || in.Optional || in.Sequence {
			continue
		}
		if err := r.lease.Take((graph.Type{DType: in.DType, Shape: shapes[in.Name]}).Bytes()); err != nil { // as extents are the client's
			return nil, err
		}
		t, err := s.missing(in, shapes[in.Name])
		if err != nil {
			return nil, err
		}
		if len(r.Inputs) == len(r.own) { // it is the first one
			r.Inputs = make(model.Values, len(inputs))
			maps.Copy(r.Inputs, r.own)
		}
		r.Inputs[in.Name] = t
	}
	if s.apart == nil {
		for _, in := range inputs {
			if shape := shapes[in.Name]; shape != nil && s.count.Of(in) {
				shapes[in.Name] = slices.Concat(tensor.Shape{1}, shape[1:])
			}
		}
	}
	return shapes, nil
}

// declared holds a tensor against what the model declares. Extents that it fixes have no other value here,
// but for that of samples.
func (s *Scheduler) declared(in model.Input, t *tensor.Tensor) error {
	if t == nil {
		return nil
	}
	ok := in.DType == t.DType() && (in.Unranked || len(in.Shape) == t.Rank())
	for k := 0; ok && !in.Unranked && k < len(in.Shape); k++ {
		ok = in.Shape[k].Symbol != "" || in.Shape[k].Extent == t.Shape()[k] || k == 0 && s.apart == nil && s.count.Of(in)
	}
	if !ok {
		return oip.Errorf(oip.InvalidArgument, "the input %s is given as %s%v", describe(in), oip.Datatype(t.DType()), t.Shape())
	}
	return nil
}

// describe writes an input with the protocol's name of its type.
func describe(in model.Input) string {
	shape := in.Shape.String()
	if in.Unranked {
		shape = "[?]"
	}
	return fmt.Sprintf("%q (%s%s)", in.Name, oip.Datatype(in.DType), shape)
}

// known reports whether the manifest says what an input is that a request does not give.
func (s *Scheduler) known(in model.Input) bool {
	switch k := s.opts.Manifest.Input(in.Name).(type) {
	case *manifest.State:
		return true
	case *manifest.Tensor:
		return k.Value != nil
	}
	return false
}

// missing returns an input that only the manifest knows: zeros for a state.
func (s *Scheduler) missing(in model.Input, shape tensor.Shape) (t *tensor.Tensor, err error) {
	if k, ok := s.opts.Manifest.Input(in.Name).(*manifest.Tensor); ok {
		t, err = media.Value(k, manifest.Type{Name: in.Name, DType: in.DType, Shape: shape})
	} else {
		t, err = tensor.New(in.DType, shape)
	}
	if err != nil {
		return nil, oip.Errorf(oip.InvalidArgument, "%v", err)
	}
	return t, nil
}
