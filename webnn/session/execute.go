package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/webnn"
)

// execution is one call while it is performed.
type execution struct {
	turn     *turn
	call     *Call
	reply    *Reply
	receiver *object
	method   string       // the interface and the member, such as "MLContext.readTensor"
	wait     func() error // ends with what the promise waits for; may be nil
	later    bool         // another message may answer the call

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
	return x.rejection(webnn.InvalidStateError, "state", "the context was lost before the promise was settled: %s", info.Message)
}

// constructor is the name of a constructor among the members of its interface.
const constructor = "constructor"

func (x *execution) run() error {
	if x.call.On == hostID {
		return x.control()
	}
	x.receiver = &object{iface: x.call.Method}
	name := constructor
	if x.call.On != "" {
		var err error
		if x.receiver, err = x.turn.host.object(Ref(x.call.On)); err != nil {
			return err
		}
		name = x.call.Method
	}
	x.method, x.context = x.receiver.iface+"."+name, x.receiver.context
	m, known := operations[x.method]
	builder, builds := x.receiver.value.(*webnn.GraphBuilder)
	attribute, isAttribute := describe(x.receiver.value)[name]
	if x.reply.Async = m.async; x.call.On != "" && name == constructor || !known && !builds && (!isAttribute || name == "interface") {
		return x.reject("method", "there is no such member of the interface")
	}
	ids := slices.Clone(x.call.IDs)
	if x.call.ID != "" {
		ids = append(ids, x.call.ID)
	}
	if err := x.turn.host.free(ids); err != nil {
		return err
	}
	switch a := (&arguments{execution: x}); {
	case known:
		return m.perform(x, a)
	case builds:
		return x.operator(builder, name)
	}
	x.reply.Value = attribute
	return nil
}

// rejection is the error of a call that never reaches the object.
func (x *execution) rejection(name webnn.ErrorName, rule, format string, args ...any) error {
	_, member, _ := strings.Cut(x.method, ".")
	return &webnn.Error{Name: name, Method: x.method, Label: labelOf(x.call), Rule: member + "." + rule, Reason: fmt.Sprintf(format, args...)}
}

// reject is rejection by a TypeError.
func (x *execution) reject(rule, format string, args ...any) error {
	return x.rejection(webnn.TypeError, rule, format, args...)
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

// operator performs a call of a method that makes operands from operands. A dictionary at the end is the options; package webnn knows the rest.
func (x *execution) operator(b *webnn.GraphBuilder, name string) error {
	var args []any
	var options webnn.Options
	for i, v := range x.call.Args {
		r, err := x.resolve(v)
		if err != nil {
			return err
		}
		if dict, ok := r.(map[string]any); ok && i == len(x.call.Args)-1 {
			options = dict
		} else {
			args = append(args, r)
		}
	}
	out, err := b.Call(name, args, options)
	if err != nil {
		return err
	}
	if !webnn.ReturnsList(name) {
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
		return ids, x.turn.host.free(ids)
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

// control performs the calls on the host itself.
func (x *execution) control() error {
	h := x.turn.host
	if x.method = hostID + "." + x.call.Method; x.call.Method != "release" {
		return x.reject("method", "the host has no such method; it has release")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, v := range x.call.Args {
		id, ok := v.(string)
		if !ok {
			return x.reject("id", "argument %d is %s; it must be an id", i, nameOf(v))
		}
		if id != entryID {
			delete(h.objects, id)
		}
	}
	return nil
}
