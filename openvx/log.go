package openvx

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// LogCallback is told of errors and other entries (vx_log_callback_f). on is the object that the entry is about; it is nil if there is
// none, or it is gone. The message has at most MaxLogMessage bytes.
type LogCallback func(c *Context, on Reference, status Status, message string)

// logger is where a context's log entries go; ctx.mu guards it.
type logger struct {
	callback  LogCallback
	reentrant bool
	waiting   []logEntry // for a callback that is not reentrant
	busy      bool       // some goroutine delivers what waits
}

type logEntry struct {
	on      Reference
	status  Status
	message string
}

// RegisterLogCallback makes cb receive the log (vxRegisterLogCallback): an entry for each call that fails, with the error's text, and
// those of AddLogEntry. It replaces the callback before; nil ends logging. A callback that is not reentrant gets one entry at a time:
// entries that arise while it runs, in other goroutines or by its own calls, are delivered when it returns, by the goroutine that
// called it. No lock is held during a call.
func (c *Context) RegisterLogCallback(cb LogCallback, reentrant bool) {
	locked(c, func() { c.log.callback, c.log.reentrant = cb, reentrant })
}

// AddLogEntry writes to the log (vxAddLogEntry), about an object of the context or nil. Nothing happens if the status is Success or
// DirectiveDisableLogging was given for the object or the context. Messages longer than MaxLogMessage bytes are truncated.
//
//go:noinline // each caller would have a copy of what it does
func (c *Context) AddLogEntry(on Reference, s Status, message string) {
	locked(c, func() {
		l, o := &c.log, baseOf(on)
		if s == Success || l.callback == nil || c.quiet || o != nil && o.quiet {
			return
		}
		entry := logEntry{status: s, message: truncate(message, MaxLogMessage)}
		if o != nil && o.ctx == c && o.alive() {
			entry.on = o.self
		}
		if l.reentrant {
			c.tell(entry)
			return
		}
		if l.waiting = append(l.waiting, entry); l.busy {
			return
		}
		l.busy = true
		defer func() { l.busy = false }() // also if the callback panics
		for l.callback != nil && len(l.waiting) > 0 {
			entry, l.waiting = l.waiting[0], l.waiting[1:]
			c.tell(entry)
		}
		l.waiting = nil
	})
}

// tell calls the callback, without the lock.
func (c *Context) tell(e logEntry) {
	callback := c.log.callback
	_ = c.unlocked(func() error {
		callback(c, e.on, e.status, e.message)
		return nil
	})
}

// truncate shortens a message to limit bytes, without splitting a character.
func truncate(message string, limit int) string {
	if len(message) <= limit {
		return message
	}
	for limit > 0 && !utf8.RuneStart(message[limit]) {
		limit--
	}
	return message[:limit]
}

// placed names a call in messages. One that begins with a dot is a method of the object's type.
func placed(on Reference, call string) string {
	if strings.HasPrefix(call, ".") {
		call = strings.TrimPrefix(fmt.Sprintf("%T", on), "*openvx.") + call
	}
	return call
}

// report says in the error and in the log which call failed.
func (c *Context) report(on Reference, call string, err error) error {
	call = placed(on, call)
	made := &Error{Status: Failure, Call: call, Err: err}
	var e *Error
	if errors.As(err, &e) {
		*made = *e
		made.Call = call
		if e.Call != "" {
			made.Call += ": " + e.Call
		}
	}
	c.AddLogEntry(on, made.Status, made.Error())
	return made
}
