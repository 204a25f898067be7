package openvx

import (
	"fmt"
	"reflect"
)

// Reference is any object of a context (vx_reference). Only types of this package implement it.
type Reference interface {
	// Context returns the context that the object belongs to; the context itself for a context.
	Context() *Context
	// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
	Type() Type
	// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
	Name() string
	// SetName names the object in messages (vxSetReferenceName). Names need not be unique; they have at most MaxReferenceName bytes,
	// else the error is ErrorInvalidParameters. The empty name takes the name away.
	SetName(name string) error
	// Count returns the number of the application's references (VX_REFERENCE_COUNT): 1 after creation. It is 0 for an object that is
	// gone and for one that lives only because another object uses it.
	Count() int
	// Retain adds a reference of the application (vxRetainReference).
	Retain() error
	// Release takes one back (vxReleaseReference). The object goes when neither the application nor another object refers to it.
	// Without a reference of the application the error is ErrorInvalidReference.
	Release() error
	base() *object
}

// object is what all references have in common; ctx.mu guards it.
type object struct {
	ctx      *Context
	self     Reference
	kind     Type
	name     string
	external int          // references of the application
	internal int          // references of other objects: nodes, graphs, views, delays
	dead     bool         // both counts have been 0
	scope    *Graph       // of a virtual object: the graph that it belongs to
	quiet    bool         // DirectiveDisableLogging was given for it
	delayed  bool         // it is, or is part of, a slot of a delay
	array    *ObjectArray // that it is an item of
}

func (o *object) base() *object { return o }

// baseOf returns the base of r, or nil if r is nil or a nil pointer.
func baseOf(r Reference) *object {
	if r == nil {
		return nil
	}
	if v := reflect.ValueOf(r); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return r.base()
}

// do runs f under the context's lock and reports its error. It is how every method that the application calls works: nothing of the
// application, such as a callback, is called under the lock; f leaves that to later. The object on must be alive.
func do(on Reference, call string, f func()) error {
	o := baseOf(on)
	if o == nil || o.ctx == nil {
		return &Error{Status: ErrorInvalidReference, Call: placed(on, call), Msg: "the object is nil or has no context: NewContext makes one, and the others are made by it"}
	}
	c := o.ctx
	c.mu.Lock()
	err := guard(on, f)
	c.unlock()
	if err == nil {
		return nil
	}
	return c.report(on, call, err)
}

// guard runs f for a living object and makes an error of a panic, which would otherwise leave the lock locked.
func guard(on Reference, f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failed(Failure, "internal error: %v", r)
		}
	}()
	return try(func() {
		on.base().check()
		f()
	})
}

// refusal is the panic of refuse, stop and must.
type refusal struct{ err error }

// refuse ends a call with an error, from however deep in it: do reports it, unless a try in between takes it.
func refuse(s Status, format string, args ...any) { stop(failed(s, format, args...)) }

// because is refuse with an error of another package as the cause, if there is one.
func because(err error, s Status, format string, args ...any) {
	if err != nil {
		stop(&Error{Status: s, Msg: fmt.Sprintf(format, args...), Err: err})
	}
}

// stop ends a call with an error, if there is one.
func stop(err error) {
	if err != nil {
		panic(refusal{err})
	}
}

// must returns a result, or ends the call with the error.
func must[T any](x T, err error) T {
	stop(err)
	return x
}

// try runs f and returns the error with which refuse, stop or must has ended it.
func try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = r.err
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// undoing runs f and, if that does not end, undo before the refusal goes on.
func undoing(undo, f func()) {
	done := false
	defer func() {
		if !done {
			undo()
		}
	}()
	f()
	done = true
}

// create runs f like do and returns what it creates or finds, or the zero value.
func create[T any](on Reference, call string, f func() T) (made T, err error) {
	err = do(on, call, func() { made = f() })
	return made, err
}

// locked runs f under the lock, but not for an object that is nil, gone, or has never been made.
func locked(on Reference, f func()) {
	o := baseOf(on)
	if o == nil || o.ctx == nil {
		return
	}
	o.ctx.mu.Lock()
	defer o.ctx.unlock()
	if o.alive() {
		f()
	}
}

// query returns what f finds of an object under the lock, and the zero value where locked does not run it.
func query[T any](on Reference, f func() T) (found T) {
	locked(on, func() { found = f() })
	return found
}

// fact returns what f finds of an object without the lock, as it never changes, and the zero value of nil.
func fact[T any](on Reference, f func() T) (found T) {
	if baseOf(on) != nil {
		found = f()
	}
	return found
}

// unlock releases the lock and then does what was left for that moment.
func (c *Context) unlock() {
	after := c.after
	c.after = nil
	c.mu.Unlock()
	for _, f := range after {
		f()
	}
}

// unlocked runs f without the lock, and takes the lock again whatever becomes of f. The caller holds it.
func (c *Context) unlocked(f func() error) error {
	defer c.mu.Lock()
	c.unlock()
	return f()
}

// later leaves f to the moment when the lock is released. The caller holds the lock.
func (c *Context) later(f func()) { c.after = append(c.after, f) }

// register makes o, the base of self, a live object with one reference of the application, of the scope that it has. The caller holds the lock.
func (c *Context) register(o *object, self Reference, kind Type) {
	*o = object{ctx: c, self: self, kind: kind, external: 1, scope: o.scope}
	c.references++
}

// alive says whether o can be used.
func (o *object) alive() bool { return !o.dead && !o.ctx.dead }

// check refuses if o is gone.
func (o *object) check() {
	if !o.alive() {
		refuse(ErrorInvalidReference, "the %s has been released", o.kind.noun())
	}
}

// check returns the base of an argument if it is a living object of the context. what names the argument in the message.
func (c *Context) check(r Reference, what string) *object {
	o := baseOf(r)
	switch {
	case o == nil:
		refuse(ErrorInvalidReference, "%s is nil", what)
	case o.ctx != c:
		refuse(ErrorInvalidReference, "%s belongs to another context", what)
	case !o.alive():
		refuse(ErrorInvalidReference, "%s is a %s that has been released", what, o.kind.noun())
	}
	return o
}

// hold adds a reference by another object, and drop takes it back. The caller holds the lock.
func (o *object) hold() { o.internal++ }

func (o *object) drop() {
	o.internal--
	o.bury()
}

// intern turns the application's reference of a new object into one of another object.
func (o *object) intern() {
	o.external--
	o.internal++
}

// bury ends the life of an object that nobody refers to.
func (o *object) bury() {
	if o.external > 0 || o.internal > 0 || o.dead {
		return
	}
	if o.kind == TypeContext {
		o.ctx.close()
		return
	}
	o.dead = true
	o.ctx.references--
	if d, ok := o.self.(destroyer); ok {
		d.destroy()
	}
	o.ctx.gone(o.self)
}

// destroyer is an object that holds others or owns something. destroy is called under the lock.
type destroyer interface{ destroy() }

// setName is SetName, and release Release, with the lock held.
func (o *object) setName(name string) {
	checkName("a reference", name, MaxReferenceName)
	o.name = name
}

func (o *object) release() {
	if o.external == 0 {
		refuse(ErrorInvalidReference, "the application has no reference to this %s that it could release", o.kind.noun())
	}
	o.external--
	o.bury()
}

// checkName refuses if a name is longer than limit or contains a zero byte, which C could not represent.
func checkName(of, name string, limit int) {
	if len(name) > limit {
		refuse(ErrorInvalidParameters, "the name of %s has %d bytes: at most %d are allowed", of, len(name), limit)
	}
	for i := range len(name) {
		if name[i] == 0 {
			refuse(ErrorInvalidParameters, "the name of %s contains a zero byte at %d", of, i)
		}
	}
}

// failed makes an error without a place; do adds it.
func failed(s Status, format string, args ...any) error {
	return &Error{Status: s, Msg: fmt.Sprintf(format, args...)}
}
