package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/webnn"
)

// HostOptions bound what a host gives to its callers. The zero value is the default.
type HostOptions struct {
	// Context is what contexts have beyond the options that createContext gives: threads and limits. All contexts share one
	// [webnn.Memory], of MaxMemory bytes if none is given. Limits.Time is how long a dispatch may take; it holds up those behind it
	// in its context, and only those. With CheckOnly nothing lies beside messages: of buffers there only the places count.
	Context webnn.ContextOptions
	// Limits bounds a message. Limits.Data is at most MaxMemory, if that is given.
	Limits Limits
	// MaxObjects is how many objects may live at a time, those that "release" has not forgotten; 0 stands for 1<<20.
	MaxObjects int
	// MaxPending is how many calls of "lost" may wait for their replies at a time; 0 stands for 1<<17.
	MaxPending int
}

// Host performs the calls of messages on objects that it keeps by their ids. It knows one object from the start: "ml". A
// message is a document of the flat form, or one call of it. Its methods may be called by several goroutines; messages are
// performed one after the other.
//
// Every call is answered by one [Reply]. Those of methods that return promises come when all calls of their message have been
// made, as on a page no promise is settled before a script has ended: a reading is enqueued at its place and answered when the
// tensor has been read. If the context has been destroyed by then, the promise is rejected. The promise "lost" is answered at the
// end of the message by which, or after which, the context is lost.
//
// A call that fails leaves no result and does not hinder the calls behind it.
type Host struct {
	options HostOptions
	ctx     context.Context
	cancel  context.CancelFunc
	network func(*graph.Graph) // takes the graph of each build, which then is not compiled; nil in a host for pages
	shapes  model.Shapes       // of inputs that have others than the calls say

	turn sync.Mutex // held by the message that is performed

	mu      sync.Mutex
	objects map[string]*object
	waiting []*execution // calls of "lost"; for who has the turn
}

// object is what an id names.
type object struct {
	value   any
	iface   string
	context *webnn.Context // that it is, or belongs to; nil if there is none
}

// The ids that every host has: the entry to the interface, and the receiver of calls on the host itself.
const (
	entryID = "ml"
	hostID  = "host"
)

// NewHost returns a host without objects but "ml".
func NewHost(options HostOptions) *Host {
	options.MaxObjects = cmp.Or(options.MaxObjects, limits.HostObjects)
	options.MaxPending = cmp.Or(options.MaxPending, limits.HostPending)
	if most := options.Context.MaxMemory; most > 0 {
		options.Limits.Data = min(options.Limits.orDefault().Data, most)
	}
	if options.Context.Memory == nil {
		options.Context.Memory = webnn.NewMemory(options.Context.MaxMemory)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Host{
		options: options, ctx: ctx, cancel: cancel,
		objects: map[string]*object{entryID: {value: webnn.ML{}, iface: "ML"}},
	}
}

// Close ends what is running, destroys all contexts and forgets all objects. Calls that come later fail. It waits for a message that is performed,
// whose further calls fail, and may be called at any time and twice.
func (h *Host) Close() {
	if h = orZero(h); h.cancel != nil { // in the zero Host, which knows nothing
		h.cancel()
	}
	h.forgetAll()
	h.turn.Lock()
	defer h.turn.Unlock()
	h.forgetAll() // what a message has made meanwhile
	h.answerLost()
}

// forgetAll destroys all contexts and forgets all objects.
func (h *Host) forgetAll() {
	h.mu.Lock()
	objects := h.objects
	h.objects = make(map[string]*object)
	h.mu.Unlock()
	for _, o := range objects {
		if c, ok := o.value.(*webnn.Context); ok {
			c.Destroy()
		}
	}
}

// Reply answers a call. Of Result, Results, Value, Data and Error at most one is set; a method that returns nothing sets
// none. Its JSON is what a page gets.
type Reply struct {
	// Call is the index of the call in its message.
	Call int `json:"call"`
	// ID and IDs are those of the call.
	ID  string   `json:"id,omitempty"`
	IDs []string `json:"ids,omitempty"`
	// Async says that the method returns a promise, which the reply settles.
	Async bool `json:"async,omitempty"`
	// Result describes the object that the call has made, and Results those of a list.
	Result  Description   `json:"result,omitempty"`
	Results []Description `json:"results,omitempty"`
	// Value is what opSupportLimits and attributes yield.
	Value any `json:"value,omitempty"`
	// ByteLength is len(Data) of a reading.
	ByteLength *int `json:"byteLength,omitempty"`
	// Data are the bytes of a tensor that was read. They travel beside the JSON.
	Data []byte `json:"-"`
	// Error is why the call failed.
	Error *ReplyError `json:"error,omitempty"`
}

// Description is an object as its attributes describe it: its "interface", and for operands and tensors "dataType", "shape"
// and so on.
type Description map[string]any

// ReplyError is the error of a call.
type ReplyError struct {
	Name    string `json:"name"`           // as [webnn.ErrorName], "SyntaxError" or "ReferenceError"
	Message string `json:"message"`        // with the operator's label in brackets
	Rule    string `json:"rule,omitempty"` // the step that rejects the call
}

// Error writes name and message.
func (e *ReplyError) Error() string {
	e = cmp.Or(e, new(ReplyError))
	return e.Name + ": " + e.Message
}

// The errors of a message that no page can make, beyond those that the standard names.
const (
	syntaxError    webnn.ErrorName = "SyntaxError"    // a message that is not of the form
	referenceError webnn.ErrorName = "ReferenceError" // an id that names nothing, or something already
)

// Do performs a message and hands the replies to send, one at a time. data are the bytes beside the message. It returns when all calls have
// been answered, but those of "lost" of a context that is not. A message that is not of the form is answered by one reply with a SyntaxError, and
// nothing of it is performed. send must not call the host.
func (h *Host) Do(message, data []byte, send func(Reply)) {
	h = orZero(h)
	h.do(cmp.Or(h.ctx, context.Background()), message, data, send)
}

func (h *Host) do(ctx context.Context, message, data []byte, send func(Reply)) {
	if send == nil {
		send = func(Reply) {} // nobody wants to know
	}
	m := &turn{host: h, ctx: ctx, send: send}
	calls, err := h.decode(message, data)
	if err != nil {
		m.send(Reply{Error: &ReplyError{Name: string(syntaxError), Message: err.Error()}})
		return
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	for i := range calls {
		m.perform(i, &calls[i])
	}
	for _, x := range m.promises {
		err := error(nil)
		if x.wait != nil {
			err = x.wait()
		}
		x.answer(cmp.Or(err, x.checkLost()))
	}
	h.answerLost()
}

// Run performs a message like Do and returns the replies. Promises are rejected when ctx ends.
func (h *Host) Run(ctx context.Context, message, data []byte) (replies []Reply, err error) {
	if ctx == nil {
		return nil, hostError(webnn.TypeError, "ctx", "the context.Context is nil")
	}
	h = orZero(h)
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	if h.ctx != nil {
		defer context.AfterFunc(h.ctx, cancel)()
	}
	h.do(until, message, data, func(r Reply) { replies = append(replies, r) })
	return replies, ctx.Err()
}

// decode reads a document or a single call, which its first member tells.
func (h *Host) decode(message, data []byte) (calls []Call, err error) {
	p := newParser(message, &h.options.Limits)
	if isDocument(message) {
		calls = p.session().Calls
	} else {
		calls = []Call{p.call()}
		p.end()
	}
	if h.options.Context.CheckOnly {
		for _, u := range p.pending {
			u.buffer.elsewhere = u.end - u.offset
		}
		return calls, p.err
	}
	return calls, p.fill(data)
}

// turn is a message that is performed.
type turn struct {
	host     *Host
	ctx      context.Context // of builds and readings
	send     func(Reply)
	promises []*execution // to be settled
}

// perform makes one call and answers it, or sees to it that it will be answered.
func (m *turn) perform(i int, c *Call) {
	x := &execution{turn: m, call: c, reply: &Reply{Call: i, ID: c.ID, IDs: c.IDs}}
	err := x.run()
	switch {
	case err != nil || !x.reply.Async:
		x.answer(err)
	case !x.later:
		m.promises = append(m.promises, x)
	}
}

// answerLost answers the calls of "lost" whose contexts are.
func (h *Host) answerLost() {
	h.waiting = slices.DeleteFunc(h.waiting, func(x *execution) bool {
		info, lost := x.context.LostInfo()
		if lost {
			x.reply.Value = map[string]any{"message": info.Message}
			x.answer(nil)
		}
		return lost
	})
}

// answer sends the reply, with the error if there is one.
func (x *execution) answer(err error) {
	reply := *x.reply
	if err != nil {
		reply.fail(err)
	}
	x.turn.send(reply)
}

func (r *Reply) fail(err error) {
	r.Result, r.Results, r.Value, r.Data, r.ByteLength = nil, nil, nil, nil, nil
	r.Error = &ReplyError{Name: string(webnn.UnknownError), Message: err.Error()}
	var e *webnn.Error
	if errors.As(err, &e) {
		r.Error.Name, r.Error.Rule = string(e.Name), e.Rule
		r.Error.Message = strings.TrimPrefix(e.Error(), string(e.Name)+": ")
	}
}

// object returns what a reference names.
func (h *Host) object(ref Ref) (*object, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o := h.objects[string(ref)]; o != nil {
		return o, nil
	}
	return nil, hostError(referenceError, "id", "no object has the id %q", string(ref))
}

// hostError is an error that no object makes.
func hostError(name webnn.ErrorName, rule, format string, args ...any) error {
	return &webnn.Error{Name: name, Method: "host", Rule: rule, Reason: fmt.Sprintf(format, args...)}
}

// free refuses ids that name something, and those beyond the bound.
func (h *Host) free(ids []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		if id == hostID || h.objects[id] != nil {
			return hostError(referenceError, "id", "the id %q names an object already; release it first, or use another", id)
		}
	}
	if len(h.objects)+len(ids) > h.options.MaxObjects {
		return hostError(webnn.UnknownError, "objects", "there are %d objects; there may be %d, release some", len(h.objects), h.options.MaxObjects)
	}
	return nil
}

// keep gives an id, if it is one, to an object.
func (h *Host) keep(id string, o *object) {
	if id == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.objects[id] = o
}
