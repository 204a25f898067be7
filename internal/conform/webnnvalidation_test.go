package conform_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/testdata"
)

// TestValidation runs the shared cases on the validation of WebNN calls, and holds them to passing without a remark.
func TestValidation(t *testing.T) {
	cases, err := conform.Find(testdata.Shared(t, "conformance", "webnn", "validation"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range conform.Run(context.Background(), testdata.Some(cases, 6), conform.Options{}) {
		if r.Status == conform.Failed || r.Status == conform.Passed && r.Detail != "" {
			t.Errorf("%s: %s: %s", r.Name, r.Status, r.Detail)
		}
	}
}

// TestValidationOutcomes holds each expectation that a step can state to being checked.
func TestValidationOutcomes(t *testing.T) {
	const (
		builder = `{"on":null,"call":"MLGraphBuilder","args":[{"$ref":"context"}],"id":"b"},`
		input   = builder + `{"on":"b","call":"input","args":["x",{"dataType":"int8","shape":[2]}],"id":"x"`
		split   = input + `},{"on":"b","call":"split","args":[{"$ref":"x"},2],"ids":["p","q"]`
		softmax = input + `},{"on":"b","call":"softmax","args":[{"$ref":"x"},0,{"label":"[here]"}]`
		tensor  = `{"on":"context","call":"createTensor","args":[{"dataType":"int8","shape":[2],"readable":true}],"id":"t"},`
		read    = tensor + `{"on":"context","call":"readTensor","args":[{"$ref":"t"}`
		bytes   = `,{"$buffer":{"type":"Uint8Array","byteOffset":1,"byteLength":2,"bufferByteLength":4,"fill":7}}]`
	)
	for _, tt := range []struct{ group, name, steps, want string }{
		{"a", "expects", input + `,"expect":{"dataType":"int8","shape":[2]}}`, "passed"},
		{"a", "expects another type", input + `,"expect":{"dataType":"uint8"}}`, "failed: step 1, input: dataType is int8; want uint8"},
		{"a", "expects another shape", input + `,"expect":{"shape":[3]}}`, "failed: step 1, input: shape is [2]; want [3]"},
		{"a", "expects outputs", split + `,"expectOutputs":[{"shape":[1]},{"shape":[1]}]}`, "passed"},
		{"a", "expects fewer outputs", split + `,"expectOutputs":[{"shape":[1]}]}`, "failed: step 2, split: yields 2 operands; want 1"},
		{"a", "expects another output", split + `,"expectOutputs":[{},{"shape":[2]}]}`, "failed: step 2, split: output 1: shape is [1]"},
		{"a", "throws", softmax + `,"throws":"TypeError","messageMatches":"\\[here\\]"}`, "passed"},
		{"a", "throws another error", softmax + `,"throws":"InvalidStateError"}`, "failed: step 2, softmax: fails with TypeError"},
		{"a", "throws by a promise", softmax + `,"throws":"TypeError","async":true}`, "failed: step 2, softmax: fails with TypeError"},
		{"a", "has another message", softmax + `,"throws":"TypeError","messageMatches":"^there"}`, "failed: step 2, softmax: the message is"},
		{"a", "throws unexpectedly", softmax + `}`, "failed: step 2, softmax: fails with TypeError"},
		{"a", "throws not", input + `,"throws":"TypeError"}`, "failed: step 1, input: succeeds; want TypeError"},
		{"a", "exists in JavaScript only", softmax + `,"jsOnly":true}`, "passed: step 2, softmax: fails with TypeError"},
		{"a", "has no form in JSON", input + `},{"on":"b","call":"input","args":["y",{"$date":"today"}],"jsOnly":true}`, "passed"},
		{"a", "reads", read + `],"expectData":[{"type":"Int8Array","values":[0,0]}]}`, "passed"},
		{"a", "reads something else", read + `],"expectData":[{"type":"Int8Array","values":[0,1]}]}`, "failed: step 1, readTensor: element 1"},
		{"a", "reads too little", read + `],"expectData":[{"type":"Int8Array","byteOffset":1,"values":[0,1]}]}`, "failed: step 1, readTensor: the buffer has no 2"},
		{"a", "reads into", read + bytes + `,"expectData":[{"type":"Uint8Array","values":[0,0,0,0]}]}`, "passed"},
		{"a", "reads a lost tensor", read + `],"throws":"InvalidStateError","async":true},{"on":"context","call":"destroy","args":[]}`, "passed"},
		{"a", "Detaching an ArrayBuffer while readTensor() is in progress", read + bytes + `,"throws":"TypeError","async":true}`, "passed"},
		{"byob_readtensor", "has a tensor", `{"on":"tensor0","call":"destroy","args":[]}`, "passed"},
		{"tensor", "dispatch / has a graph", `{"on":"graph0","call":"destroy","args":[]}`, "passed"},
		{"tensor", "dispatch / has tensors", `{"on":"context","call":"dispatch","args":[{"$ref":"graph0"},{"lhs":{"$ref":"tensor1"},"rhs":{"$ref":"tensor2"}},` +
			`{"output1":{"$ref":"tensor3"},"output2":{"$ref":"tensor4"}}]}`, "passed"},
		{"a", "rejects what is pending", `{"on":"context","call":"createTensor","args":[{"dataType":"int8","shape":[2]}],"throws":"InvalidStateError",` +
			`"async":true},{"on":"context","call":"destroy","args":[]}`, "passed"},
		{"tensor", "other", `{"on":"graph0","call":"destroy","args":[]}`, "failed: step 0, destroy: fails with ReferenceError"},
		{"a", "is of old text", softmax + `}],"specConflict":["old"],"more":[`, "skipped: not required: old (step 2"},
	} {
		path := filepath.Join(t.TempDir(), "a.json")
		text := fmt.Sprintf(`{"schema":"webnn-wpt/1","kind":"validation","group":%q,"cases":[{"name":%q,"steps":[%s]}]}`, tt.group, tt.name, tt.steps)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cases, err := conform.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		r := conform.Run(context.Background(), cases, conform.Options{})[0]
		got := string(r.Status)
		if r.Detail != "" {
			got += ": " + r.Detail
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "passed" && got != tt.want {
			t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
		}
	}
}
