// Package session is the flat form of WebNN: a script of calls on the interface as one JSON document, with the bytes of its
// buffers inside or beside it. docs/webnn-session.md describes the form.
//
// A document can be read ([Decode], [Load]) and written ([Session.Encode], [Session.Save]); recorded from a builder ([Record]); turned
// into the graph that its builder makes ([Session.Graph]); and executed by a [Host], which keeps the objects that the calls
// make, so that a page can drive the interface call by call or by a whole script in one message.
package session
