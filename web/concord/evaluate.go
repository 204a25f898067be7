//go:build js && wasm

package main

import (
	"bytes"
	"fmt"
	"syscall/js"

	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/op"
)

// The program has no references: web/build cuts them. What constants decide is computed by those of package wasm.
func init() { op.Evaluate = evaluate }

func evaluate(d *op.Def, c *op.Call, pieces int) (err error) {
	m, err := wasm.Evaluation(d, c, pieces)
	if err != nil {
		return err
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case js.Error: // of a module that the page refuses, or whose run ends with a trap
			err = fmt.Errorf("it cannot be computed beforehand: %w", e)
		default:
			panic(e)
		}
	}()
	engine, arrays := js.Global().Get("WebAssembly"), js.Global().Get("Uint8Array")
	code := arrays.New(len(m.Code))
	js.CopyBytesToJS(code, m.Code)
	exports := engine.Get("Instance").New(engine.Get("Module").New(code)).Get("exports")
	memory := arrays.New(exports.Get("memory").Get("buffer"))
	var weights bytes.Buffer
	if err := m.WriteWeights(&weights); err != nil {
		return err
	}
	js.CopyBytesToJS(memory.Call("subarray", m.WeightsAt), weights.Bytes())
	exports.Call("run")
	for i, p := range m.Outputs {
		js.CopyBytesToGo(c.Out[i].Bytes(), memory.Call("subarray", p.At))
	}
	return nil
}
