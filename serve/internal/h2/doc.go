// Package h2 is the server's end of HTTP/2, in the place of that of net/http: [Configure] gives it to a server. It hands requests to the handler as
// net/http does and adds no more than time: a small call costs one read and one write of the system, and waits for no other goroutine.
//
// What makes that so: requests that have come whole are answered by the goroutine that read them, while another one goes on reading; the header of an
// answer, its data and its trailers are written at once, by whoever has an answer when nobody else writes. Frames and their compression are those of
// golang.org/x/net.
//
// Answers have trailers by [http.TrailerPrefix] alone, and requests none that handlers see. There is no CONNECT, no push and no priority.
package h2
