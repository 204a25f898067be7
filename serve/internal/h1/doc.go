// Package h1 saves time with small requests of HTTP/1.1 in front of net/http: what has come whole is answered by the goroutine that reads the connection,
// with one write of the system. net/http starts another one for each request, which looks whether the client goes away, and stops it again.
//
// [Configure] makes the lane of a server, and [Lane.Listener] wraps its listeners. net/http sees a request first, and all that is not simple: the first
// one of a connection, methods but POST, bodies in chunks, what has not come whole or is followed by more, what expects, upgrades or closes, and
// what is wrong. Handlers see the same requests, parsed by net/http, and clients the same answers.
package h1
