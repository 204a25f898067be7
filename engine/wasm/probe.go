package wasm

import "github.com/concord-nn/concord/internal/wasmobj"

// Probe returns a module of a few bytes whose function fused returns 1 if the multiply-add of relaxed SIMD has one rounding. An engine that does not
// know the instruction refuses the module.
func Probe() []byte {
	o := &wasmobj.Object{}
	t := wasmobj.FuncType{Results: []wasmobj.ValType{wasmobj.I32}}
	f := &function{Code: wasmobj.NewCode(t)}
	// (1 + 2⁻²³)² - (1 + 2⁻²²) is 2⁻⁴⁶; with two roundings it is 0.
	f.vector(1 + 0x1p-23)
	f.vector(1 + 0x1p-23)
	f.vector(-(1 + 0x1p-22))
	f.SIMD(f32x4Madd)
	f.vector(0x1p-46)
	f.SIMD(f32x4Eq)
	f.SIMD(i32x4AllTrue)
	l := wasmobj.NewLinker(o, firstAddress)
	l.Exports = []wasmobj.Export{{Name: "fused", Func: o.AddFunc(t, f.Code)}}
	return l.Module()
}
