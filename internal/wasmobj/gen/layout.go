package main

import (
	"fmt"
	"go/types"

	"github.com/concord-nn/concord/internal/wasmobj"
)

// sizes are those of a machine with addresses of 32 bits, as WebAssembly's are: int has 32 bits, too, as on Go's other 32-bit ports.
var sizes = &types.StdSizes{WordSize: 4, MaxAlign: 8}

func sizeof(t types.Type) int  { return int(sizes.Sizeof(t)) }
func alignof(t types.Type) int { return max(1, int(sizes.Alignof(t))) }

// fieldAt returns the offset of a field.
func fieldAt(s *types.Struct, i int) int {
	fields := make([]*types.Var, s.NumFields())
	for k := range fields {
		fields[k] = s.Field(k)
	}
	return int(sizes.Offsetsof(fields)[i])
}

// part is a scalar that a value of Go has: where it lies in memory, and its type.
type part struct {
	at    int
	as    wasmobj.ValType
	width int // bytes in memory
	sign  bool
}

// word is an address, a length or an int.
func word(at int) part { return part{at, wasmobj.I32, 4, true} }

// isAggregate reports whether values are kept in memory, and passed by their address.
func isAggregate(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// parts returns the scalars of a value that is not an aggregate.
func parts(t types.Type) []part {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.UntypedBool, types.Uint8:
			return []part{{0, wasmobj.I32, 1, false}}
		case types.Int8:
			return []part{{0, wasmobj.I32, 1, true}}
		case types.Int16:
			return []part{{0, wasmobj.I32, 2, true}}
		case types.Uint16:
			return []part{{0, wasmobj.I32, 2, false}}
		case types.Int32, types.Int, types.UntypedInt, types.UntypedRune:
			return []part{{0, wasmobj.I32, 4, true}}
		case types.Uint32, types.Uint, types.Uintptr, types.UnsafePointer, types.UntypedNil:
			return []part{{0, wasmobj.I32, 4, false}}
		case types.Int64:
			return []part{{0, wasmobj.I64, 8, true}}
		case types.Uint64:
			return []part{{0, wasmobj.I64, 8, false}}
		case types.Float32:
			return []part{{0, wasmobj.F32, 4, true}}
		case types.Float64, types.UntypedFloat:
			return []part{{0, wasmobj.F64, 8, true}}
		case types.String, types.UntypedString:
			return []part{word(0), word(4)}
		}
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return []part{word(0)}
	case *types.Slice:
		return []part{word(0), word(4), word(8)}
	case *types.Interface:
		return []part{word(0), word(4)}
	case *types.Struct, *types.Array:
		return []part{word(0)}
	case *types.Tuple:
		var list []part
		for v := range u.Variables() {
			list = append(list, parts(v.Type())...)
		}
		return list
	}
	fail("type %v", t)
	return nil
}

// unsupported is what compiling a function ends with, if it has what kernels have not.
type unsupported string

func fail(format string, args ...any) { panic(unsupported(fmt.Sprintf(format, args...))) }

func valTypes(list []part) []wasmobj.ValType {
	out := make([]wasmobj.ValType, len(list))
	for i, p := range list {
		out[i] = p.as
	}
	return out
}

// signature returns the type of a function: its parameters, the addresses of results that are aggregates, and for one that is called by its value
// its closure; and the results that are none.
func signature(s *types.Signature, closure bool) wasmobj.FuncType {
	var t wasmobj.FuncType
	if r := s.Recv(); r != nil {
		t.Params = append(t.Params, valTypes(parts(r.Type()))...)
	}
	for v := range s.Params().Variables() {
		t.Params = append(t.Params, valTypes(parts(v.Type()))...)
	}
	for v := range s.Results().Variables() {
		if isAggregate(v.Type()) {
			t.Params = append(t.Params, wasmobj.I32)
		} else {
			t.Results = append(t.Results, valTypes(parts(v.Type()))...)
		}
	}
	if closure {
		t.Params = append(t.Params, wasmobj.I32)
	}
	return t
}
