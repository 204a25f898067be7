// Package wasmobj writes WebAssembly: functions and data that refer to one another by symbols ([Object]), and modules of those that are
// reached from given ones ([Linker]), as the specification's binary format has them (WebAssembly Core, 5).
//
// It knows nothing of operators: internal/wasmobj/gen compiles the references of package op into an object, and engine/wasm adds to it what
// a graph needs.
package wasmobj
