// Package serve puts the models of a folder behind the Open Inference Protocol, version 2, by REST and gRPC, with Triton's calls for repositories
// and statistics. docs/serve.md says what the folder looks like and what clients can ask.
//
//	s, err := serve.New(serve.Options{Dir: "models"})
//	…
//	listener, err := net.Listen("tcp", "localhost:8080")
//	…
//	err = s.Serve(ctx, listener) // until ctx ends and what runs has finished
//
// The command concord serve is this package with flags. Batching, the number of threads and the machine change no bit of an answer.
package serve
