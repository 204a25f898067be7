package simd

import "unsafe"

// Routine is a routine in assembly with arguments of type A.
type Routine[A any] struct {
	Name string
	asm  func(*A) // nil where there is no amd64
}

// Interpreter runs routines instead of the processor: a test's.
type Interpreter interface {
	// Run runs the routine of a name, with a copy of its Args.
	Run(name string, args unsafe.Pointer, size uintptr)
	// Lends tells of memory that the routines that follow may read: that of a slice of which [At] has given an address.
	Lends(memory []byte)
}

// Interpreting is the interpreter in use, nil where the processor runs routines.
var Interpreting Interpreter

// Run computes what the Args say.
func (r *Routine[A]) Run(a *A) {
	if Interpreting != nil {
		args := *a
		Interpreting.Run(r.Name, unsafe.Pointer(&args), unsafe.Sizeof(args))
		return
	}
	// Through an integer, so that Args may lie on the stack: routines keep no address, and the stack does not move while one runs.
	at := uintptr(unsafe.Pointer(a))
	r.asm(*(**A)(unsafe.Pointer(&at)))
}

// At returns the address of element i of a slice, which may lie before or behind it.
func At[T any](s []T, i int) uintptr {
	var zero T
	first := unsafe.SliceData(s)
	if Interpreting != nil {
		Interpreting.Lends(unsafe.Slice((*byte)(unsafe.Pointer(first)), uintptr(len(s))*unsafe.Sizeof(zero)))
	}
	return uintptr(unsafe.Pointer(first)) + uintptr(i)*unsafe.Sizeof(zero)
}

// Exists reports whether the tier that the routine belongs to has it.
func (r *Routine[A]) Exists() bool { return r.Name != "" }
