package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Hash is a line of --hash.
type Hash struct {
	SHA256 string `json:"sha256"`
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"` // with the shape; the line over all has none
}

func hashOf(name, typ string, data []byte) Hash {
	sum := sha256.Sum256(data)
	return Hash{hex.EncodeToString(sum[:]), name, typ}
}

// String is the line, as sha256sum would write it for a file NAME TYPE.
func (h Hash) String() string {
	return strings.TrimRight(h.SHA256+"  "+escape.Text(h.Name)+" "+h.Type, " ")
}

// Hashes returns a line for each of the outputs of the last run, which come first in the session, and one for the encoded bytes, where there are
// any; after several outputs, one over the lines so far.
func Hashes(s *model.Session, outputs []engine.Port, encoded *HexBytes) []Hash {
	var list []Hash
	for i, p := range outputs {
		list = append(list, hashOf(p.Name, p.Type.String(), tensor.Raw(s.Output(i))))
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
