package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// Operator is the application of one operator.
type Operator struct {
	ID, Op string
	Attrs  map[string]string
	Inputs []Tensor
	Expect struct {
		Status  string // "ok", or "reject" with Class and Stage
		Outputs []Tensor
		Gas     *int64      `json:"graph_gas"`
		Storage *int64      `json:"graph_storage"`
		Class   fault.Class `json:"error_code"`
		Stage   fault.Stage
	}
}

// Tensor is an operand or a result. Data is nil where nothing is run.
type Tensor struct {
	Shape     tensor.Shape
	Precision int
	Data      []int32
}

// Refused reports whether the case must be refused.
func (c *Operator) Refused() bool { return c.Expect.Status == "reject" }

// Runs reports whether the case says what is computed.
func (c *Operator) Runs() bool {
	return !c.Refused() && len(c.Inputs) > 0 && c.Inputs[0].Data != nil && c.Expect.Outputs[0].Data != nil
}

// Operators calls f, in a subtest each, with the cases of one operator. CONCORD_CVM_OPS may name a folder with others of the same form.
// The test is skipped where there are none.
func Operators(t *testing.T, f func(t *testing.T, c *Operator)) {
	t.Helper()
	dir := os.Getenv("CONCORD_CVM_OPS")
	if dir == "" {
		dir = testdata.Shared(t, "conformance", "cvm", "ops")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		var list []Operator
		read(t, file, &list)
		for i := range list {
			t.Run(list[i].ID, func(t *testing.T) { f(t, &list[i]) })
		}
	}
}

// read decodes a file.
func read(tb testing.TB, file string, into any) {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
}
