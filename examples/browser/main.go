//go:build js && wasm

// Browser gives the WebNN of Concord to a page: it is a [session.Host] as one JavaScript function.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// main sets the global function concordWebNN(message, bytes, reply). The message is a text in the flat form, and bytes an
// Uint8Array with what travels beside it. reply is called with the JSON of each reply and an Uint8Array with the bytes beside
// that: before the function returns for calls that are made at once, and later for promises. The function's property methods lists
// the methods of MLGraphBuilder that make operands from operands.
func main() {
	host := session.NewHost(session.HostOptions{})
	call := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 3 || args[0].Type() != js.TypeString || !args[1].InstanceOf(uint8Array) || args[2].Type() != js.TypeFunction {
			return js.Global().Get("TypeError").New("concordWebNN takes a string, an Uint8Array and a function")
		}
		data := make([]byte, args[1].Length())
		js.CopyBytesToGo(data, args[1])
		host.Do([]byte(args[0].String()), data, func(r session.Reply) { answer(args[2], r) })
		return nil
	})
	var methods []any
	for _, name := range webnn.Methods() {
		methods = append(methods, name)
	}
	call.Set("methods", methods)
	js.Global().Set("concordWebNN", call)
	select {} // the page keeps on calling
}

var uint8Array = js.Global().Get("Uint8Array")

func answer(reply js.Value, r session.Reply) {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // a reply always has a JSON form
	}
	bytes := uint8Array.New(len(r.Data))
	js.CopyBytesToJS(bytes, r.Data)
	reply.Invoke(string(text), bytes)
}
