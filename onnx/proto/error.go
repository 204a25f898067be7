package proto

import "github.com/concord-nn/concord/internal/wire"

// Error is a mistake at a byte of what is decoded. Its Path is a field, such as graph.node[17].attribute[2].t.dims.
type Error = wire.Error

// The causes of errors.
var (
	ErrWireType = wire.ErrType  // a field is not encoded as its type
	ErrLimit    = wire.ErrLimit // the message may be well-formed but takes more than is allowed
)
