package fault

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON writes the error as an object: its class by name and, as errorCode, by number, its stage, what is known of its place, and
// what is wrong.
func (e *Error) MarshalJSON() ([]byte, error) {
	out := struct {
		Class     string `json:"class"`
		ErrorCode int    `json:"errorCode"`
		Stage     Stage  `json:"stage"`
		File      string `json:"file,omitempty"`
		Line      int    `json:"line,omitempty"`
		Column    int    `json:"column,omitempty"`
		Offset    *int64 `json:"offset,omitempty"` // in the parameter file, where Stage is params and there is no line
		Node      *int   `json:"node,omitempty"`
		Name      string `json:"name,omitempty"`
		Operator  string `json:"operator,omitempty"`
		Part      string `json:"part,omitempty"`
		Message   string `json:"message,omitempty"`
		Want      string `json:"want,omitempty"`
		Cause     string `json:"cause,omitempty"`
	}{
		Class: e.Class.String(), ErrorCode: int(e.Class), Stage: e.Stage,
		File: e.File, Line: e.Line, Column: e.Column,
		Name: e.Name, Operator: e.Operator, Part: e.Part,
		Message: e.Msg, Want: e.Want,
	}
	if e.Stage == Params && e.Line == 0 && e.Offset >= 0 {
		out.Offset = &e.Offset
	}
	if e.Node >= 0 {
		out.Node = &e.Node
	}
	if e.Err != nil {
		out.Cause = e.Err.Error()
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // messages have < and >, which are for people to read
	err := enc.Encode(out)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
