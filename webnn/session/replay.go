package session

import (
	"cmp"
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// CallError is a call of a session that failed.
type CallError struct {
	Call   int    // the index
	Method string // the method that was called
	Err    error  // a [*webnn.Error] in most cases
}

// Error writes the place and the reason.
func (e *CallError) Error() string {
	e = cmp.Or(e, new(CallError))
	return fmt.Sprintf("webnn session: call %d, %s: %v", e.Call, escape.Text(e.Method), e.Err)
}

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return cmp.Or(e, new(CallError)).Err }

// Graph performs the calls of a session up to its call of build, and returns the graph, which is not compiled. The session
// may create contexts, one builder and constant tensors, and call the builder; everything else is refused. The builder may be
// one of a context that the session does not create. options bound the context; nil is the default. Every error is a
// [*CallError]. The graph shares the memory of the session's buffers, which must not change any more.
func (s *Session) Graph(options *webnn.ContextOptions) (*graph.Graph, error) {
	return s.graph(*orZero(options), nil)
}

// graph is Graph with other shapes of inputs.
func (s *Session) graph(options webnn.ContextOptions, shapes model.Shapes) (*graph.Graph, error) {
	s = orZero(s)
	h := NewHost(HostOptions{Context: options})
	defer h.Close()
	h.shapes = shapes
	var built *graph.Graph
	h.network = func(g *graph.Graph) { built = g }
	m := &turn{host: h, ctx: h.ctx, send: func(Reply) {}}
	builder := ""
	for i := range s.Calls {
		c := &s.Calls[i]
		fail := func(err error) (*graph.Graph, error) { return nil, &CallError{i, c.Method, err} }
		switch {
		case c.Method == "createContext" && c.On == entryID, c.Method == "createConstantTensor":
		case c.Method == "MLGraphBuilder" && c.On == "":
			if builder != "" {
				return fail(fmt.Errorf("the session has two builders; there must be one"))
			}
			if builder = c.ID; builder == "" {
				return fail(fmt.Errorf("the builder has no id"))
			}
			if err := h.lend(c); err != nil {
				return fail(err)
			}
		case c.On != builder:
			return fail(fmt.Errorf("the call is on %q; up to build all calls must be on the builder", c.On))
		}
		x := &execution{turn: m, call: c, reply: &Reply{Call: i}}
		if err := x.run(); err != nil {
			return fail(err)
		}
		if built != nil {
			return built, nil
		}
	}
	return nil, &CallError{len(s.Calls), "build", fmt.Errorf("the session ends without this call")}
}

// lend gives the builder of a session a context, if the session refers to one that it does not create.
func (h *Host) lend(c *Call) error {
	if len(c.Args) == 0 {
		return nil
	}
	ref, ok := c.Args[0].(Ref)
	if _, err := h.object(ref); !ok || err == nil {
		return nil
	}
	context, err := webnn.ML{}.CreateContext(&h.options.Context)
	if err == nil {
		h.keep(string(ref), &object{value: context, iface: "MLContext", context: context})
	}
	return err
}

// Network returns the graph of the session as a function of the shapes of its inputs: its calls are made with those in the place of its own.
func (s *Session) Network() *model.Model {
	s = orZero(s)
	var inputs []model.Input
	for _, c := range s.Calls {
		if c.Method != "input" || len(c.Args) < 2 {
			continue
		}
		name, named := c.Args[0].(string)
		d, ok := c.Args[1].(Dict)
		if !named || !ok {
			continue // what is wrong with it the call will say
		}
		in := model.Input{Name: name}
		if text, ok := d["dataType"].(string); ok {
			in.DType, _ = tensor.ParseDType(text)
		}
		list, _ := d["shape"].([]Value)
		for _, x := range list {
			n, _ := x.(float64)
			in.Shape = append(in.Shape, model.Dim{Extent: int(min(max(n, 0), tensor.MaxElements))})
		}
		inputs = append(inputs, in)
	}
	return model.New(inputs, func(shapes model.Shapes) (*graph.Graph, error) { return s.graph(webnn.ContextOptions{}, shapes) })
}
