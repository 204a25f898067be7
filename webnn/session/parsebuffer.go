package session

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
)

// bufferForm is a buffer as it is written.
type bufferForm struct {
	Buffer
	length, elements int64 // -1 if absent
	values           []Value
	fill             Value
	content          string // the member that gives the contents
	at               pending
}

func (p *parser) buffer() (*Buffer, error) {
	b := &bufferForm{length: -1, elements: -1}
	err := p.members("$buffer", func(key string) error { return p.bufferMember(b, key) })
	if err != nil {
		return nil, err
	}
	return p.finish(b)
}

func (p *parser) bufferMember(b *bufferForm, key string) (err error) {
	most := p.limits.Data
	switch key {
	case "type":
		b.Type, err = p.string(key)
		if err == nil && viewOf(b.Type) == nil {
			err = p.errorf("%q is no type of a buffer; it must be ArrayBuffer, SharedArrayBuffer, DataView or a typed array", b.Type)
		}
	case "byteLength":
		b.length, err = p.integer(key, 0, most)
	case "length":
		b.elements, err = p.integer(key, 0, most)
	case "byteOffset":
		var n int64
		n, err = p.integer(key, 0, most)
		b.ByteOffset = int(n)
	case "bufferByteLength":
		var n int64
		n, err = p.integer(key, 0, most)
		b.BufferByteLength = int(n)
	case "shared":
		var t json.Token
		t, err = p.token()
		shared, ok := t.(bool)
		if err == nil && !ok {
			err = p.errorf("shared is %v; it must be true or false", tokenText(t))
		}
		b.Shared = shared
	case "values", "fill", "base64", "at":
		if b.content != "" {
			return p.errorf("%s and %s are both given; one of them gives the contents", b.content, key)
		}
		b.content = key
		err = p.contents(b, key)
	default:
		err = p.errorf("there is no member %q of $buffer", key)
	}
	return err
}

func (p *parser) contents(b *bufferForm, key string) error {
	switch key {
	case "fill":
		v, err := p.value(1)
		b.fill = v
		return err
	case "values":
		return p.items(key, func(int) error {
			v, err := p.value(1)
			b.values = append(b.values, v)
			if err == nil {
				err = p.grow(valueBytes)
			}
			return err
		})
	case "base64":
		s, err := p.string(key)
		if err != nil {
			return err
		}
		if b.Data, err = base64.StdEncoding.DecodeString(s); err != nil {
			return p.errorf("base64: %v", err)
		}
		return nil
	}
	var at []int64
	err := p.items(key, func(int) error {
		n, err := p.integer("an item of at", 0, math.MaxInt64/2) // so that the sum is one
		at = append(at, n)
		return err
	})
	if err != nil {
		return err
	}
	if len(at) != 2 {
		return p.errorf("at is %v; it must be [offset, length]", at)
	}
	b.at = pending{&b.Buffer, at[0], at[1], SyntaxError{Offset: p.d.InputOffset(), Call: p.at}}
	return nil
}

// pending is a buffer whose contents lie in the weights, which are read when it is known how much of them is used.
type pending struct {
	buffer         *Buffer
	offset, length int64
	place          SyntaxError // without a reason
}

func (u *pending) end() int64 { return u.offset + u.length }

// within refuses a buffer that ends behind the weights; what says where those are.
func (u *pending) within(size int64, what string) error {
	if u.end() <= size {
		return nil
	}
	e := u.place
	e.Reason = fmt.Sprintf("at is [%d, %d], which takes %d bytes; %s", u.offset, u.length, u.end(), what)
	return &e
}

// fill gives the buffers their part of the bytes beside the document.
func (p *parser) fill(weights []byte) error {
	for i := range p.pending {
		u := &p.pending[i]
		if err := u.within(int64(len(weights)), fmt.Sprintf("there are %d beside the document", len(weights))); err != nil {
			return err
		}
		u.buffer.Data = weights[u.offset:u.end():u.end()]
	}
	return nil
}

// finish puts the contents of a buffer together and checks its lengths.
func (p *parser) finish(b *bufferForm) (*Buffer, error) {
	size := int64(viewOf(b.Type).size)
	length := b.length
	for _, known := range []struct {
		given bool
		bytes int64
	}{
		{b.elements >= 0, b.elements * size},
		{b.content == "values", int64(len(b.values)) * size},
		{b.content == "base64", int64(len(b.Data))},
		{b.content == "at", b.at.length},
	} {
		if !known.given {
			continue
		}
		if length >= 0 && length != known.bytes {
			return nil, p.errorf("the buffer has %d bytes by one of its members and %d by another", length, known.bytes)
		}
		length = known.bytes
	}
	if length < 0 || length%size != 0 {
		return nil, p.errorf("byteLength is %d; it must be a multiple of %d", length, size)
	}
	if b.content == "at" {
		p.pending = append(p.pending, b.at)
	} else if err := p.grow(length); err != nil {
		return nil, err
	}
	if b.Data == nil && b.content != "at" {
		b.Data = make([]byte, length)
		if err := b.write(); err != nil {
			return nil, p.errorf("%v", err)
		}
	}
	end := int64(b.ByteOffset) + length
	switch {
	case int64(b.BufferByteLength) == end:
		b.BufferByteLength = 0
	case b.BufferByteLength != 0 && int64(b.BufferByteLength) < end:
		return nil, p.errorf("bufferByteLength is %d; the view ends at byte %d", b.BufferByteLength, end)
	}
	if b.Type == arrayBuffer {
		b.Type = ""
	}
	return &b.Buffer, nil
}

// write puts values or fill into the bytes.
func (b *bufferForm) write() error {
	w := viewOf(b.Type)
	switch b.content {
	case "values":
		for i, v := range b.values {
			if err := w.set(b.Data, i, v); err != nil {
				return fmt.Errorf("value %d: %w", i, err)
			}
		}
	case "fill":
		if len(b.Data) == 0 {
			return nil
		}
		if err := w.set(b.Data, 0, b.fill); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
		for n := w.size; n < len(b.Data); n *= 2 {
			copy(b.Data[n:], b.Data[:n])
		}
	}
	return nil
}
