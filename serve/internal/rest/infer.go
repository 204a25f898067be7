package rest

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// texts are buffers for the JSON of answers. Those that became large are left to the collector.
var texts = sync.Pool{New: func() any { return new([]byte) }}

const keptText = 64 << 10

func (h *handler) infer(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel, err := deadline(r)
	if err != nil {
		return err
	}
	defer cancel()
	l := budget.Of(r.Context())
	body, err := h.body(w, r, l)
	if err != nil {
		return err
	}
	length, binary, err := headerLength(r, len(body))
	if err != nil {
		return err
	}
	var q *request
	model, version := r.PathValue("model"), r.PathValue("version")
	if binary && length == 0 {
		q, err = h.rawRequest(model, version, body)
	} else {
		q, err = parseRequest(body[:length], body[length:], binary, l)
	}
	if err != nil {
		return err
	}
	q.Model, q.Version = model, version
	answer, err := h.service.Infer(ctx, &q.Request)
	if err != nil {
		return err
	}

	buffer := texts.Get().(*[]byte)
	defer texts.Put(buffer)
	text, elements, err := appendResponse((*buffer)[:0], answer, q, l)
	if err != nil {
		return err
	}
	if cap(text) <= keptText {
		*buffer = text
	}
	if len(elements) == 0 {
		send(w, r, http.StatusOK, jsonType, text)
		return nil
	}
	w.Header().Set("Inference-Header-Content-Length", strconv.Itoa(len(text)))
	send(w, r, http.StatusOK, binaryType, append([][]byte{text}, elements...)...)
	return nil
}

// rawRequest makes a request of the elements of the only input of a model, where at most one extent is open. All outputs are binary.
func (h *handler) rawRequest(model, version string, data []byte) (*request, error) {
	m, err := h.service.Model(model, version)
	if err != nil {
		return nil, err
	}
	c, err := h.service.Config(model, version)
	if err != nil {
		return nil, err
	}
	if len(m.Inputs) != 1 {
		return nil, oip.Errorf(oip.InvalidArgument, "the model has %d inputs; a body without JSON is the only input of a model", len(m.Inputs))
	}
	in := m.Inputs[0]
	d, ok := oip.ParseDatatype(in.Datatype)
	if !ok {
		return nil, oip.Errorf(oip.Internal, "the input %s is of the type %s, which the protocol does not have", oip.Quote(in.Name), in.Datatype)
	}
	shape := make(tensor.Shape, len(in.Shape))
	open := -1
	for i, n := range in.Shape {
		switch {
		case i == 0 && c.MaxBatchSize > 0:
			shape[i] = 1 // a batch of one, as the extension says
		case n >= 0:
			shape[i] = int(n)
		case open >= 0:
			return nil, oip.Errorf(oip.InvalidArgument, "the shape of the input %s is %v; a body without JSON decides about one open extent at most",
				oip.Quote(in.Name), in.Shape)
		default:
			open = i
		}
	}
	if open >= 0 {
		shape[open] = 1
		if one := d.Bytes(shape.Len()); one > 0 {
			shape[open] = len(data) / one
		}
	}
	if want := d.Bytes(shape.Len()); want != len(data) {
		return nil, oip.Errorf(oip.InvalidArgument, "the body has %d bytes; the input %s takes %d as %s%v", len(data), oip.Quote(in.Name), want,
			in.Datatype, shape)
	}
	t, err := fromRaw(in.Name, d, shape, data)
	if err != nil {
		return nil, err
	}
	return &request{Request: oip.Request{Inputs: []oip.Tensor{{Name: in.Name, Data: t}}}, binary: true}, nil
}
