package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/tensor"
)

// outputHash is a line of --hash.
type outputHash struct {
	SHA256 string `json:"sha256"`
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"` // with the shape; the line over all has none
}

func hashOf(name, typ string, data []byte) outputHash {
	sum := sha256.Sum256(data)
	return outputHash{hex.EncodeToString(sum[:]), name, typ}
}

// String is the line, as sha256sum would write it for a file NAME TYPE.
func (h outputHash) String() string {
	return strings.TrimRight(h.SHA256+"  "+escape.Text(h.Name)+" "+h.Type, " ")
}

// hashes returns a line for each output of the last run and one for the encoded bytes, where there are any; after several outputs, one
// over the lines so far.
func (r *runner) hashes(encoded *hexBytes) []outputHash {
	outputs := r.results()
	var list []outputHash
	for i, p := range outputs {
		list = append(list, hashOf(p.Name, p.Type.String(), tensor.Raw(r.session.Output(i))))
	}
	if encoded != nil {
		list = append(list, hashOf("encoded", fmt.Sprintf("uint8[%d]", len(*encoded)), *encoded))
	}
	if len(outputs) > 1 {
		var lines strings.Builder
		for _, h := range list {
			lines.WriteString(h.String() + "\n")
		}
		list = append(list, hashOf("all", "", []byte(lines.String())))
	}
	return list
}
