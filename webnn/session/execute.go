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
	turn     *turn
	call     *Call
	reply    *Reply
	receiver *object
	op       *operation
	later    bool // the reply is sent by a function in the background

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
	x.receiver = &object{iface: x.call.Method}
	name := constructor
	if x.call.On != "" {
		var err error
		if x.receiver, err = h.object(Ref(x.call.On)); err != nil {
			return err
		}
		name = x.call.Method
	}
	x.op = operations()[[2]string{x.receiver.iface, name}]
	if x.op == nil || x.call.On != "" && name == constructor {
		return x.rejection(webnn.TypeError, x.receiver.iface+"."+name, "method", noMember)
	}
	x.reply.Async, x.context = x.op.async, x.receiver.context
	ids := slices.Clone(x.call.IDs)
	if x.call.ID != "" {
		ids = append(ids, x.call.ID)
	}
	if err := h.free(ids, x.op.makes); err != nil {
		return err
	}
	perform := handlers[x.op.method()]
	if perform == nil && !x.op.attribute {
		return x.operator()
	}
	args, err := x.arguments()
	if err != nil {
		return err
	}
	if perform == nil {
		x.reply.Value = describe(x.receiver.value)[name]
		return nil
	}
	return perform(x, x.receiver.value, args)
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

// arguments chooses the overload and converts the arguments to its parameters. Optional ones that are not given are nil.
func (x *execution) arguments() ([]any, error) {
	given, objects := x.call.Args, lookup(x.turn.host.object)
	longest := slices.MaxFunc(x.op.overloads, func(a, b []idl.Argument) int { return len(a) - len(b) })
	given = given[:min(len(given), len(longest))]
	fits := slices.DeleteFunc(slices.Clone(x.op.overloads), func(o []idl.Argument) bool {
		return len(given) > len(o) || slices.ContainsFunc(o[len(given):], func(a idl.Argument) bool { return !a.Optional })
	})
	if len(fits) == 0 {
		return nil, x.reject("arguments", "arguments given: %d; the call takes %s", len(given), x.op.usage())
	}
	params := fits[0]
	if len(fits) > 1 && len(given) > 0 {
		if i := slices.IndexFunc(fits, func(o []idl.Argument) bool { return objects.accepts(o[0].Type, given[0]) }); i >= 0 {
			params = fits[i]
		}
	}
	out, err := x.convert(params, given)
	return append(out, make([]any, len(params)-len(out))...), err
}

// convert converts arguments to parameters.
func (x *execution) convert(params []idl.Argument, given []Value) ([]any, error) {
	out := make([]any, len(given))
	for i, v := range given {
		var err error
		if out[i], err = lookup(x.turn.host.object).convert(params[i].Type, v); err != nil {
			return nil, x.reject(params[i].Name+".conversion", "%s: %v", params[i].Name, err)
		}
	}
	return out, nil
}

// operator performs a call of a method that makes operands from operands. The first dictionary is the options: which arguments may be
// left out in front of them is the method's business.
func (x *execution) operator() error {
	params, given := x.op.overloads[0], x.call.Args
	last := len(params) - 1
	n := min(len(given), last)
	if i := slices.IndexFunc(given, func(v Value) bool { _, is := v.(Dict); return is }); i >= 0 {
		n = min(n, i)
	}
	args, err := x.convert(params[:n], given[:n])
	if err != nil {
		return err
	}
	var options webnn.Options
	if n < len(given) {
		converted, err := x.convert(params[last:], given[n:n+1])
		if err != nil {
			return err
		}
		options = converted[0].(map[string]any)
	}
	out, err := x.receiver.value.(*webnn.GraphBuilder).Call(x.op.name, args, options)
	if err != nil {
		return err
	}
	if !x.op.list {
		return x.result(out[0], nil)
	}
	ids, err := x.listIDs(len(out))
	if err != nil {
		return err
	}
	x.reply.IDs = ids
	for i, o := range out {
		x.reply.Results = append(x.reply.Results, describe(o))
		if ids != nil {
			x.turn.host.keep(ids[i], x.object(o))
		}
	}
	return nil
}

// listIDs returns the ids of n results: those of the call, or the call's one id with a dot and the index, for callers that do
// not know how many there will be.
func (x *execution) listIDs(n int) ([]string, error) {
	ids := x.call.IDs
	if ids != nil && len(ids) != n {
		return nil, x.reject("ids", "%d ids are given for %d results", len(ids), n)
	}
	if ids == nil && x.call.ID != "" {
		for i := range n {
			ids = append(ids, fmt.Sprintf("%s.%d", x.call.ID, i))
		}
		return ids, x.turn.host.free(ids, true)
	}
	return ids, nil
}

// object returns what the call has made, as what an id may name.
func (x *execution) object(value any) *object {
	o := &object{value: value, iface: describe(value)["interface"].(string), context: x.context}
	if c, ok := value.(*webnn.Context); ok {
		o.context = c
	}
	return o
}

// result makes an object the result of the call.
func (x *execution) result(object any, err error) error {
	if err != nil {
		return err
	}
	x.reply.Result = describe(object)
	x.turn.host.keep(x.call.ID, x.object(object))
	return nil
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
	if x.call.Method != "release" {
		return x.rejection(webnn.TypeError, method, "method", "the host has no such method; it has release")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, v := range x.call.Args {
		id, err := kindOf[string](v, "an id")
		if err != nil {
			return x.rejection(webnn.TypeError, method, "id", "argument %d: %v", i, err)
		}
		if id != entryID {
			delete(h.objects, id)
		}
	}
	return nil
}
