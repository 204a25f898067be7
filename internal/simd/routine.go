package simd

import "unsafe"

// Routine is a routine in assembly with arguments of type A.
type Routine[A any] struct {
	Name string
	asm  func(*A) // nil where there is no amd64
}

// Interpreter, if it is not nil, runs routines instead of the processor: a test's. It is given the routine's name and a copy of its Args.
var Interpreter func(name string, args unsafe.Pointer, size uintptr)

// Run computes what the Args say.
func (r *Routine[A]) Run(a *A) {
	if Interpreter != nil {
		args := *a
		Interpreter(r.Name, unsafe.Pointer(&args), unsafe.Sizeof(args))
		return
	}
	// Through an integer, so that Args may lie on the stack: routines keep no address, and the stack does not move while one runs.
	at := uintptr(unsafe.Pointer(a))
	r.asm(*(**A)(unsafe.Pointer(&at)))
}

// At returns the address of element i of a slice, which may lie before or behind it.
func At[T any](s []T, i int) uintptr {
	var zero T
	return uintptr(unsafe.Pointer(unsafe.SliceData(s))) + uintptr(i)*unsafe.Sizeof(zero)
}

// Exists reports whether the tier that the routine belongs to has it.
func (r *Routine[A]) Exists() bool { return r.Name != "" }
