// Package grpc carries messages over HTTP/2 as gRPC does: frames, deadlines, compression, statuses in trailers. It rests on net/http's handlers and
// knows no message by its contents.
package grpc
