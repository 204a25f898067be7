// Package grpc carries messages over HTTP/2 as gRPC does: frames, deadlines, compression, statuses in trailers. It rests on net/http and knows no
// message by its contents.
//
// [Handler] serves methods, [Listen] makes the connections of net/http cheap for it.
package grpc
