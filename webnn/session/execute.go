package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// execution is one call while it is performed.
type execution struct {
	turn  *turn
	call  *Call
	reply *Reply
	op    *operation
	later bool // the reply is sent by a function in the background

	context *webnn.Context // that a promise depends on; nil if there is none
}

// checkLost is the error of a promise whose context was lost before it was settled.
func (x *execution) checkLost() error {
	if x.context == nil {
		return nil
	}
	info, lost := x.context.LostInfo()
	if !lost {
		return nil
	}
	return x.rejection(webnn.InvalidStateError, x.op.method(), "state",
		"the context was lost before the promise was settled: %s", info.Message)
}

func (x *execution) run() error {
	h := x.turn.host
	if x.call.On == hostID {
		return x.control()
	}
	receiver, iface, err := h.receiver(x.call)
	if err != nil {
		return err
	}
	name := x.call.Method
	if x.call.On == "" {
		iface, name = name, constructor
	}
	x.op = operations()[[2]string{iface, name}]
	if x.op == nil || x.call.On != "" && name == constructor {
		return x.rejection(webnn.TypeError, iface+"."+name, "method", noMember)
	}
	x.reply.Async = x.op.async
	x.context = h.contextOf(x.call.On, receiver)
	ids := slices.Clone(x.call.IDs)
	if x.call.ID != "" {
		ids = append(ids, x.call.ID)
	}
	if err := h.free(ids, x.op.makes); err != nil {
		return err
	}
	args, err := x.convert()
	if err != nil {
		return err
	}
	if x.op.attribute && !x.op.async {
		x.reply.Value = describe(receiver)[name]
		return nil
	}
	if perform := handlers[x.op.method()]; perform != nil {
		return perform(x, receiver, args)
	}
	return x.operator(receiver, args)
}

const noMember = "there is no such member of the interface"

// rejection is the error of a call that never reaches the object.
func (x *execution) rejection(name webnn.ErrorName, method, rule, format string, args ...any) error {
	_, member, _ := strings.Cut(method, ".")
	return &webnn.Error{Name: name, Method: method, Label: labelOf(x.call), Rule: member + "." + rule, Reason: fmt.Sprintf(format, args...)}
}

// reject is rejection by a TypeError for a call whose operation is known.
func (x *execution) reject(rule, format string, args ...any) error {
	return x.rejection(webnn.TypeError, x.op.method(), rule, format, args...)
}

// labelOf returns the option "label" of a call, which a page expects in messages.
func labelOf(c *Call) string {
	if len(c.Args) == 0 {
		return ""
	}
	options, _ := c.Args[len(c.Args)-1].(Dict)
	label, _ := options["label"].(string)
	return label
}

// convert chooses the overload and converts the arguments to its parameters. Optional ones that are not given are nil.
func (x *execution) convert() ([]any, error) {
	given, objects := x.arguments(), lookup(x.turn.host.lookup)
	longest := 0
	for _, o := range x.op.overloads {
		longest = max(longest, len(o))
	}
	n := min(len(given), longest)
	fits := slices.DeleteFunc(slices.Clone(x.op.overloads), func(o []idl.Argument) bool {
		return n > len(o) || slices.ContainsFunc(o[n:], func(a idl.Argument) bool { return !a.Optional })
	})
	if len(fits) == 0 {
		return nil, x.reject("arguments", "arguments given: %d; the call takes %s", len(given), x.op.usage())
	}
	params := fits[0]
	if len(fits) > 1 && n > 0 {
		if i := slices.IndexFunc(fits, func(o []idl.Argument) bool { return objects.accepts(o[0].Type, given[0]) }); i >= 0 {
			params = fits[i]
		}
	}
	out := make([]any, len(params))
	for i, p := range params[:n] {
		v, err := objects.convert(p.Type, given[i])
		if err != nil {
			return nil, x.reject(p.Name+".conversion", "%s: %v", p.Name, err)
		}
		out[i] = v
	}
	return out, nil
}

// arguments returns the arguments of the call, those of softmax in today's form: without the axis, which an older form of the
// interface left out for operands of rank 2, it is the last.
func (x *execution) arguments() []Value {
	given := x.call.Args
	if x.op.method() != "MLGraphBuilder.softmax" || len(given) == 0 {
		return given
	}
	if len(given) > 1 {
		if _, options := given[1].(Dict); !options {
			return given
		}
	}
	ref, _ := given[0].(Ref)
	operand, _, _ := x.turn.host.lookup(ref)
	if o, ok := operand.(*webnn.Operand); !ok || len(o.Shape()) != 2 {
		return given
	}
	return slices.Insert(slices.Clone(given), 1, Value(1.0))
}

// usage writes the parameters of all overloads.
func (o *operation) usage() string {
	return strings.Join(values(o.overloads, func(params []idl.Argument) string {
		return "(" + strings.Join(values(params, func(a idl.Argument) string {
			if a.Optional {
				return a.Name + "?"
			}
			return a.Name
		}), ", ") + ")"
	}), " or ")
}

// control performs the calls on the host itself.
func (x *execution) control() error {
	h, method := x.turn.host, hostID+"."+x.call.Method
	ids := make([]string, len(x.call.Args))
	for i, v := range x.call.Args {
		id, ok := v.(string)
		if !ok {
			return x.rejection(webnn.TypeError, method, "id", "argument %d is %s; it must be an id", i, nameOf(v))
		}
		ids[i] = id
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch x.call.Method {
	case "release":
		for _, id := range ids {
			if id != entryID {
				delete(h.objects, id)
			}
		}
		return nil
	case "detach":
		for _, id := range ids {
			if r := h.readings[id]; r != nil {
				r.detached = true
			}
		}
		return nil
	}
	return x.rejection(webnn.TypeError, method, "method", "the host has no such method; it has release and detach")
}
