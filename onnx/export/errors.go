package export

import "github.com/concord-nn/concord/internal/emit/refusal"

// Refusal is one part of a graph that cannot be expressed.
type Refusal = refusal.Refusal

// Error lists all parts of a graph that cannot be expressed in ONNX.
type Error = refusal.Error

// refuse ends the emission of a node; [refusal.Caught] has the reason.
func refuse(format string, args ...any) { refusal.Stop(format, args...) }

// must returns a result, or ends the emission of a node.
func must[T any](x T, err error) T {
	if err != nil {
		refuse("%v", err)
	}
	return x
}
