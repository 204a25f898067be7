package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/naming"
	webnnsession "github.com/concord-nn/concord/webnn/session"

	"github.com/concord-nn/concord/internal/pattern"
)

// validationCase is a script of calls and what each of them must do. A [webnnsession.Host] performs the calls as they stand.
type validationCase struct {
	Name  string
	Steps []validationStep
}

type validationStep struct {
	validationCall
	Expect         map[string]any
	ExpectOutputs  []map[string]any
	Throws         string
	MessageMatches string
	Async          bool
	ExpectData     []expectedView
	JSOnly         bool
}

// validationCall is a call in the flat form.
type validationCall struct {
	On   *string         `json:"on"`
	Call string          `json:"call"`
	Args json.RawMessage `json:"args"`
	ID   string          `json:"id,omitempty"`
	IDs  []string        `json:"ids,omitempty"`
}

// expectedView is a typed array on the buffer that a reading fills.
type expectedView struct {
	Type       string
	ByteOffset int
	Values     []any
}

// setup is what a test makes before its script was recorded: the calls for an object to which a case refers, but which it does
// not make.
type setup struct {
	group, prefix string // of the case
	object        *pattern.Pattern
	calls         string // that make the object ID
}

// setups follow the source of the tests, where helper functions of the file make these objects. The first that fits an object
// makes it.
var setups = []setup{
	// Every test of the file reads a tensor that its set-up function fills with the numbers from 0 on.
	{"byob_readtensor", "", pattern.Of(`^tensor\d+$`), `
		{"on":"context","call":"createTensor","args":[{"dataType":"int32","shape":[2,4],"readable":true,"writable":true}],"id":"ID"},
		{"on":"context","call":"writeTensor","args":[{"$ref":"ID"},{"$buffer":{"type":"Int32Array","values":[0,1,2,3,4,5,6,7]}}]}`},
	// All dispatches of the file are of one graph, with two inputs and their sum in either order.
	{"tensor", "dispatch / ", pattern.Of(`^graph\d+$`), `
		{"on":null,"call":"MLGraphBuilder","args":[{"$ref":"context"}],"id":"ID builder"},
		{"on":"ID builder","call":"input","args":["lhs",{"dataType":"float32","shape":[3,5]}],"id":"ID lhs"},
		{"on":"ID builder","call":"input","args":["rhs",{"dataType":"float32","shape":[3,5]}],"id":"ID rhs"},
		{"on":"ID builder","call":"add","args":[{"$ref":"ID lhs"},{"$ref":"ID rhs"}],"id":"ID output1"},
		{"on":"ID builder","call":"add","args":[{"$ref":"ID rhs"},{"$ref":"ID lhs"}],"id":"ID output2"},
		{"on":"ID builder","call":"build","args":[{"output1":{"$ref":"ID output1"},"output2":{"$ref":"ID output2"}}],"id":"ID"}`},
	// What the tests on mistakes do not give wrongly are tensors that fit the graph, which they share.
	{"tensor", "dispatch / ", pattern.Of(`^tensor\d+$`), `
		{"on":"context","call":"createTensor","args":[{"dataType":"float32","shape":[3,5]}],"id":"ID"}`},
}

// detaching are the names of cases whose script detaches the buffers of readings before these have ended. The recording has calls on the
// interface only; that a buffer is detached finds whoever writes the bytes of a reply into it.
var detaching = pattern.Of(`(?i)\bdetach`)

func loadWebNNValidation(dir string, files []string) ([]Case, error) {
	return webnnCases(dir, files, func(c *Case, raw json.RawMessage, conflict []string) {
		if c.skip = notRequired(conflict); narrow && strings.Contains(c.Name, "byte length exceeds limit") {
			c.skip = noRoom // the limit is 2 GiB
		}
		group, _, _ := strings.Cut(c.Name, ":")
		group, _, _ = strings.Cut(group, " (")
		c.run = func(ctx context.Context, _ *evaluator) error {
			var v validationCase
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				return err
			}
			return v.run(ctx, group)
		}
	})
}

// run performs the steps in messages that end where the test waits for something.
func (c *validationCase) run(ctx context.Context, group string) error {
	h := webnnsession.NewHost(webnnsession.HostOptions{})
	defer h.Close()
	if err := c.prepare(ctx, h, group); err != nil {
		return err
	}
	c.Steps = slices.DeleteFunc(c.Steps, func(s validationStep) bool { return s.JSOnly && !s.isCall() })
	var remark error
	for first := 0; first < len(c.Steps); {
		end := c.messageEnd(first)
		err := c.message(ctx, h, first, end)
		if small := (minor{}); errors.As(err, &small) {
			remark = small
		} else if err != nil {
			return err
		}
		first = end
	}
	return remark
}

// isCall says whether the arguments of a step have a form in a session.
func (s *validationStep) isCall() bool {
	_, err := s.decode()
	return err == nil
}

func (s *validationStep) decode() (*webnnsession.Call, error) {
	return webnnsession.DecodeCall(fmt.Appendf(nil, `{"call":%q,"args":%s}`, s.Call, s.Args), nil, nil)
}

// messageEnd returns where the message ends that begins with the step at first: behind a step that succeeds, since a test
// waits for the promises that it expects to be fulfilled. A promise that is to be rejected with an InvalidStateError may
// fail because of what is destroyed later, while it is pending.
func (c *validationCase) messageEnd(first int) int {
	for i, s := range c.Steps[first:] {
		if s.Throws == "" {
			return first + i + 1
		}
		later := slices.IndexFunc(c.Steps[first+i:], func(s validationStep) bool { return s.Call == "destroy" })
		if s.Async && s.Throws == "InvalidStateError" && later >= 0 {
			return first + i + later + 1
		}
	}
	return len(c.Steps)
}

// referencePattern finds the ids in the arguments of a step.
var referencePattern = pattern.Of(`\{\s*"\$ref"\s*:\s*"([^"\\]+)"\s*\}`)

// prepare makes the shared context and the objects that the case does not make itself.
func (c *validationCase) prepare(ctx context.Context, h *webnnsession.Host, group string) error {
	made := map[string]bool{"context": true}
	for _, s := range c.Steps {
		made[s.ID] = true
		for _, id := range s.IDs {
			made[id] = true
		}
	}
	calls := []string{`{"on":"ml","call":"createContext","args":[],"id":"context"}`}
	need := func(id string) {
		i := slices.IndexFunc(setups, func(s setup) bool {
			return s.group == group && strings.HasPrefix(c.Name, s.prefix) && s.object.Get().MatchString(id)
		})
		if i >= 0 && !made[id] {
			calls = append(calls, strings.ReplaceAll(setups[i].calls, "ID", id))
			made[id] = true
		}
	}
	for _, s := range c.Steps {
		if s.On != nil {
			need(*s.On)
		}
		for _, match := range referencePattern.Get().FindAllSubmatch(s.Args, -1) {
			need(string(match[1]))
		}
	}
	replies, err := h.Run(ctx, document(strings.Join(calls, ",")), nil)
	for _, r := range replies {
		if err == nil && r.Error != nil {
			err = fmt.Errorf("preparation: %w", r.Error)
		}
	}
	return err
}

// document makes a message of calls.
func document(calls string) []byte {
	return fmt.Appendf(nil, `{"webnnSession":%d,"calls":[%s]}`, webnnsession.Version, calls)
}

// message performs the steps from first to last and checks the replies.
func (c *validationCase) message(ctx context.Context, h *webnnsession.Host, first, last int) error {
	var calls []string
	for i := first; i < last; i++ {
		s := c.Steps[i].validationCall
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		calls = append(calls, string(text))
	}
	replies, err := h.Run(ctx, document(strings.Join(calls, ",")), nil)
	if err != nil {
		return err
	}
	if len(replies) != len(calls) {
		return fmt.Errorf("there are %d replies to %d calls; the first: %w", len(replies), len(calls), replies[0].Error)
	}
	slices.SortStableFunc(replies, func(a, b webnnsession.Reply) int { return a.Call - b.Call })
	var remark error
	for i, r := range replies {
		s := &c.Steps[first+i]
		if s.Call == "readTensor" && detaching.Get().MatchString(c.Name) && r.Error == nil {
			continue
		}
		err := s.check(&r)
		if err != nil {
			err = fmt.Errorf("step %d, %s: %w", first+i, s.Call, err)
		}
		switch {
		case err != nil && s.JSOnly: // its arguments may not have survived in JSON
			remark = minor{err}
		case err != nil:
			return err
		}
	}
	return remark
}

// check holds a reply against what the step must do.
func (s *validationStep) check(r *webnnsession.Reply) error {
	if s.Throws != "" {
		return s.checkError(r)
	}
	if r.Error != nil {
		return fmt.Errorf("fails with %w", r.Error)
	}
	if err := checkDescription(s.Expect, r.Result); err != nil {
		return err
	}
	if s.ExpectOutputs != nil && len(s.ExpectOutputs) != len(r.Results) {
		return fmt.Errorf("yields %d operands; want %d", len(r.Results), len(s.ExpectOutputs))
	}
	for i, want := range s.ExpectOutputs {
		if err := checkDescription(want, r.Results[i]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	for i := range s.ExpectData {
		if err := s.checkData(&s.ExpectData[i], r.Data); err != nil {
			return err
		}
	}
	return nil
}

func (s *validationStep) checkError(r *webnnsession.Reply) error {
	switch {
	case r.Error == nil:
		return fmt.Errorf("succeeds; want %s", s.Throws)
	case r.Error.Name != s.Throws:
		return fmt.Errorf("fails with %w; want %s", r.Error, s.Throws)
	case r.Async != s.Async:
		return fmt.Errorf("fails with %w; by a promise: %t, want %t", r.Error, r.Async, s.Async)
	}
	pattern, err := regexp.Compile(s.MessageMatches)
	if err != nil {
		return fmt.Errorf("messageMatches: %w", err)
	}
	if !pattern.MatchString(r.Error.Message) {
		return fmt.Errorf("the message is %q; it must match %q", r.Error.Message, s.MessageMatches)
	}
	return nil
}

// checkDescription compares the attributes that are listed, as JSON has them.
func checkDescription(want map[string]any, got webnnsession.Description) error {
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	attributes := make(map[string]any)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&attributes); err != nil {
		return err
	}
	for _, name := range naming.Sorted(want) {
		if !reflect.DeepEqual(attributes[name], want[name]) {
			return fmt.Errorf("%s is %v; want %v", name, attributes[name], want[name])
		}
	}
	return nil
}

// checkData compares a typed array on the result of a reading, or on the buffer that the script gave for it.
func (s *validationStep) checkData(want *expectedView, data []byte) error {
	data, err := s.fill(data)
	if err != nil {
		return err
	}
	if want.ByteOffset < 0 || want.ByteOffset > len(data) {
		return fmt.Errorf("the buffer has %d bytes; want some from %d on", len(data), want.ByteOffset)
	}
	got, ok := (&webnnsession.Buffer{Type: want.Type, Data: data[want.ByteOffset:]}).Elements()
	if !ok || len(got) < len(want.Values) {
		return fmt.Errorf("the buffer has no %d elements of %s from byte %d on", len(want.Values), want.Type, want.ByteOffset)
	}
	for i, v := range want.Values {
		if !sameElement(got[i], fmt.Sprint(v)) {
			return fmt.Errorf("element %d of the %s from byte %d on is %v; want %v", i, want.Type, want.ByteOffset, got[i], v)
		}
	}
	return nil
}

// fill returns the buffer of the call after data has been written into it, or data if the call gives none.
func (s *validationStep) fill(data []byte) ([]byte, error) {
	call, err := s.decode()
	if err != nil || len(call.Args) < 2 {
		return data, err
	}
	b, ok := call.Args[1].(*webnnsession.Buffer)
	if !ok {
		return data, nil
	}
	out := make([]byte, max(b.BufferByteLength, b.ByteOffset+len(b.Data)))
	copy(out[b.ByteOffset:], b.Data)
	copy(out[b.ByteOffset:], data)
	return out, nil
}

// sameElement says whether an element is the number that is written.
func sameElement(got webnnsession.Value, want string) bool {
	if n, ok := got.(*big.Int); ok {
		return n.String() == want
	}
	f, ok := specialNumbers[want]
	if !ok {
		var err error
		if f, err = strconv.ParseFloat(want, 64); err != nil {
			return false
		}
	}
	return got == f || got != got && f != f
}
