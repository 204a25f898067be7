package export

import "github.com/concord-nn/concord/internal/emit/refusal"

// Refusal is one part of a graph that cannot be expressed.
type Refusal = refusal.Refusal

// Error lists all parts of a graph that cannot be expressed in OpenVX.
type Error = refusal.Error

// refuse ends the emission of a node; [refusal.Caught] has the reason.
func refuse(format string, args ...any) { refusal.Stop(format, args...) }
