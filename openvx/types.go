package openvx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// Enum is a scalar's value of VX_TYPE_ENUM. The enumerations and structures of the standard are generated from the headers of the C library.
type Enum int32

// nameOf returns the name of a member of an enumeration, or the type and the value of what is none: a status as the number that it is,
// others, which the standard puts together of bits, in base 16.
func nameOf[E ~int32 | ~uint32](v E, names map[E]string) string {
	if name, ok := names[v]; ok {
		return name
	}
	format := "%s(%#x)"
	if _, ok := any(v).(Status); ok {
		format = "%s(%d)"
	}
	return fmt.Sprintf(format, strings.TrimPrefix(fmt.Sprintf("%T", v), "openvx."), int64(v))
}

// membersOf returns the names of all members of an enumeration, and whether v is one.
func membersOf[E ~int32 | ~uint32](v E, names map[E]string) (all string, is bool) {
	var list []string
	for _, m := range slices.Sorted(maps.Keys(names)) {
		list = append(list, names[m])
	}
	return strings.Join(list, " or "), names[v] != ""
}

// noun is how messages call an object of the type: "tensor" or "object array".
func (t Type) noun() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(t.String(), "VX_TYPE_"), "_", " "))
}

// Limits of names, in bytes without the terminating zero, of parameters and of ranks.
const (
	MaxKernelName       = limits.VXKernelName
	MaxReferenceName    = limits.VXReferenceName
	MaxLogMessage       = limits.VXLogMessage
	MaxKernelParameters = limits.VXParameters
	MaxTensorDims       = limits.VXDims
)
