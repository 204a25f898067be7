package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// lineWidth is how much of the data stands on one line.
const lineWidth = 120

// encode writes the interface as JSON with as much on a line as is easily read, so that changes of it are as well.
func encode(doc *idl.Document) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := layout(&out, bytes.TrimSpace(b.Bytes()), 0); err != nil {
		return nil, err
	}
	return []byte(out.String() + "\n"), nil
}

// layout writes a value that does not fit on a line with its items on lines of their own.
func layout(w *strings.Builder, value json.RawMessage, indent int) error {
	if indent+len(value) <= lineWidth || value[0] != '{' && value[0] != '[' {
		w.Write(value)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	if _, err := dec.Token(); err != nil {
		return err
	}
	newline := "\n" + strings.Repeat(" ", indent)
	w.WriteByte(value[0])
	for first := true; dec.More(); first = false {
		if !first {
			w.WriteByte(',')
		}
		w.WriteString(newline + " ")
		if value[0] == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			w.WriteString(`"` + key.(string) + `": `)
		}
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			return err
		}
		if err := layout(w, item, indent+1); err != nil {
			return err
		}
	}
	w.WriteString(newline)
	w.WriteByte(value[len(value)-1])
	return nil
}
