package bulk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
)

// parse reads the object of a line: for each input an array of numbers, or the path of a file beside the list. Other members are left alone.
func (l *list) parse(line []byte, j *feed.Job, list string) error {
	members, err := object(line)
	if err != nil {
		return err
	}
	j.Tensors = make(map[string]*tensor.Tensor)
	for i, p := range l.feeder.Inputs {
		raw, ok := members[p.Name]
		if !ok && j.Files[i] == "" && l.feeder.NeedsFile(p) {
			return fmt.Errorf("there is no member %q in it; there are %s", p.Name, cmp.Or(escape.Quoted(naming.Sorted(members)), "none"))
		}
		if !ok {
			continue
		}
		if raw[0] == '"' {
			var file string
			if err := json.Unmarshal(raw, &file); err != nil {
				return err
			}
			j.Files[i] = beside(list, file)
			continue
		}
		t, err := parseArray(raw, p.Type.DType)
		if err == nil && l.ranks[i] == t.Rank()+1 { // an extent of 1 in front may be left out
			t, err = t.Reshape(append([]int{1}, t.Shape()...)...)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", p.Name, err)
		}
		j.Tensors[p.Name] = t
	}
	return nil
}

// object returns the members of a JSON object, of which no two have the same name.
func object(line []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	members := make(map[string]json.RawMessage)
	none := func() error {
		return fmt.Errorf("the line is no JSON object with a member for each input: it goes wrong at byte %d", dec.InputOffset())
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, none()
	}
	for dec.More() {
		name, err := dec.Token()
		var raw json.RawMessage
		if err == nil {
			err = dec.Decode(&raw)
		}
		if err != nil {
			return nil, none()
		}
		if members[name.(string)] != nil { // nothing else is the name of a member
			return nil, fmt.Errorf("the member %q is given twice", name)
		}
		members[name.(string)] = raw
	}
	if _, err := dec.Token(); err != nil { // the brace
		return nil, none()
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, none()
	}
	return members, nil
}

// maxRank bounds how deep arrays lie in one another.
const maxRank = limits.TensorRank

// numbers reads arrays of arrays of numbers, which are valid JSON.
type numbers[T tensor.Element] struct {
	text   []byte
	number func(text string) (T, error)
	values []T
	shape  tensor.Shape // extents that are known, -1 for those whose first array has not ended
	leaf   int          // how deep numbers lie; -1 before the first one
}

// parseArray reads a number or arrays of numbers as a tensor of a type.
func parseArray(text []byte, d tensor.DType) (*tensor.Tensor, error) {
	switch {
	case d == tensor.Bool:
		return parseAs(text, d, func(s string) (bool, error) {
			if s == "1" || s == "0" {
				return s == "1", nil
			}
			if s != "true" && s != "false" {
				return false, fmt.Errorf("%s is neither true nor false", s)
			}
			return s == "true", nil
		})
	case d.IsInteger():
		lo, hi := d.IntRange()
		if d.IsUnsigned() {
			return parseAs(text, d, func(s string) (uint64, error) {
				x, err := strconv.ParseUint(s, 10, 64)
				if err != nil || x > hi {
					return 0, fmt.Errorf("%s is no %v", s, d)
				}
				return x, nil
			})
		}
		return parseAs(text, d, func(s string) (int64, error) {
			x, err := strconv.ParseInt(s, 10, 64)
			if err != nil || x < lo || x > 0 && uint64(x) > hi {
				return 0, fmt.Errorf("%s is no %v", s, d)
			}
			return x, nil
		})
	}
	bits := 64
	if d == tensor.Float32 { // rounded once
		bits = 32
	}
	return parseAs(text, d, func(s string) (float64, error) {
		if s == "null" { // as reports write what is no number
			return math.NaN(), nil
		}
		x, err := strconv.ParseFloat(s, bits)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%s is no %v", s, d)
		} else if err != nil {
			return 0, fmt.Errorf("%s is no number", s)
		}
		return x, nil
	})
}

func parseAs[T tensor.Element](text []byte, d tensor.DType, number func(string) (T, error)) (*tensor.Tensor, error) {
	p := &numbers[T]{text: text, number: number, leaf: -1}
	if err := p.value(0); err != nil {
		return nil, err
	}
	t, err := tensor.FromSlice(p.values, p.shape...)
	if err != nil {
		return nil, err
	}
	return tensor.Cast(t, d)
}

// space skips what stands between values.
func (p *numbers[T]) space() {
	for len(p.text) > 0 && (p.text[0] <= ' ' || p.text[0] == ',') {
		p.text = p.text[1:]
	}
}

// value reads a number or an array at a depth.
func (p *numbers[T]) value(depth int) error {
	if p.space(); p.text[0] != '[' {
		return p.scalar(depth)
	}
	if depth == maxRank {
		return fmt.Errorf("arrays lie in one another more than %d deep", maxRank)
	}
	if p.leaf >= 0 && depth >= p.leaf {
		return errRagged
	}
	if depth == len(p.shape) {
		p.shape = append(p.shape, -1)
	}
	p.text = p.text[1:]
	n := 0
	for p.space(); p.text[0] != ']'; p.space() {
		if err := p.value(depth + 1); err != nil {
			return err
		}
		n++
	}
	p.text = p.text[1:]
	if p.shape[depth] < 0 {
		p.shape[depth] = n
	}
	if p.shape[depth] != n || n == 0 && p.leaf > depth+1 {
		return errRagged
	}
	return nil
}

// scalar reads a number at a depth.
func (p *numbers[T]) scalar(depth int) error {
	end := 0
	for end < len(p.text) && p.text[end] != ',' && p.text[end] != ']' && p.text[end] > ' ' {
		end++
	}
	if p.leaf < 0 && len(p.shape) == depth {
		p.leaf = depth
	}
	if p.leaf != depth {
		return errRagged
	}
	x, err := p.number(string(p.text[:end]))
	p.values, p.text = append(p.values, x), p.text[end:]
	return err
}
