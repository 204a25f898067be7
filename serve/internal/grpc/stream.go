package grpc

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// Message is what a method sends.
type Message interface {
	Len() int64 // of what WriteTo writes
	io.WriterTo
}

// Bytes is a message as it stands.
type Bytes []byte

// Len returns the number of bytes.
func (b Bytes) Len() int64 { return int64(len(b)) }

// WriteTo writes the bytes.
func (b Bytes) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

// Stream is a call: the messages of the client and those for it. One goroutine may receive while another one sends.
type Stream struct {
	h       *Handler
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	ctx     context.Context
	gzip    bool // whether the client compresses
	stream  bool
	begun   bool // whether headers have been sent
	along   bool // whether the method has headers or trailers of its own
	lease   *budget.Lease
}

// Metadata returns what the client sent along.
func (s *Stream) Metadata() http.Header { return s.r.Header }

// SetHeader adds a value to the headers of the answer, before the first message is sent.
func (s *Stream) SetHeader(name, value string) {
	s.along = true
	s.w.Header().Add(name, value)
}

// SetTrailer adds a value to what follows the answer.
func (s *Stream) SetTrailer(name, value string) {
	s.along = true
	s.w.Header().Add(http.TrailerPrefix+name, value)
}

// prefix is what stands before a message: whether it is compressed, and its length.
const prefix = 5

// Only receives the message of a call that has one.
func (s *Stream) Only() ([]byte, error) {
	b, err := s.Receive()
	if errors.Is(err, io.EOF) {
		return nil, Errorf(Unimplemented, "the method takes one message; there is none")
	}
	if err != nil {
		return nil, err
	}
	return b, s.End()
}

// End fails unless the client has sent its last message.
func (s *Stream) End() error {
	var more [1]byte
	switch n, err := s.r.Body.Read(more[:]); {
	case n > 0:
		return Errorf(Unimplemented, "the method takes one message; there is a second one")
	case !errors.Is(err, io.EOF):
		return s.broken(err)
	}
	return nil
}

// Receive returns the next message, which belongs to the caller, or [io.EOF] if the client has sent its last one.
func (s *Stream) Receive() ([]byte, error) {
	if s.stream { // what came before is done with
		s.lease.Release()
	}
	var head [prefix]byte
	if _, err := io.ReadFull(s.r.Body, head[:]); errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil {
		return nil, s.broken(err)
	}
	n := int64(binary.BigEndian.Uint32(head[1:]))
	switch {
	case head[0] > 1:
		return nil, Errorf(Internal, "a message begins with %#x instead of 0 or 1", head[0])
	case head[0] == 1 && !s.gzip:
		return nil, Errorf(Internal, "a message is compressed, and the header grpc-encoding does not say how")
	case n > s.h.opts.Message:
		return nil, s.tooLarge(n)
	}
	b, err := s.read(s.r.Body, n)
	if err != nil || head[0] == 0 {
		return b, err
	}
	return s.inflate(b)
}

func (s *Stream) tooLarge(n int64) error {
	return Errorf(ResourceExhausted, "the message has %d bytes or more; at most %d are allowed", n, s.h.opts.Message)
}

// trusted is how much memory a length gets before its bytes are there.
const trusted = 1 << 20

// read reads n bytes, into memory that grows with what comes.
func (s *Stream) read(from io.Reader, n int64) ([]byte, error) {
	b := make([]byte, 0, min(n, trusted))
	if err := s.hold(int64(cap(b))); err != nil {
		return nil, err
	}
	for {
		at := len(b)
		b = b[:min(n, int64(cap(b)))]
		if _, err := io.ReadFull(from, b[at:]); err != nil {
			return nil, s.broken(err)
		}
		if int64(len(b)) == n {
			return b, nil
		}
		more := min(n, 4*int64(len(b)))
		if err := s.hold(more - int64(cap(b))); err != nil {
			return nil, err
		}
		b = append(make([]byte, 0, more), b...)
	}
}

// hold counts bytes of messages, before they are there.
func (s *Stream) hold(n int64) error {
	err := s.lease.Take(n)
	if own, ok := errors.AsType[*oip.Error](err); ok && own.Code == oip.TooLarge {
		return Errorf(ResourceExhausted, "%v", err)
	} else if ok {
		return Errorf(Unavailable, "%v", err)
	}
	return nil
}

// ErrDown is the status of a stream that a server ends which goes down.
var ErrDown = Errorf(Unavailable, "the server is going down")

// Down is closed when the server goes down; nil if nobody says so.
func (s *Stream) Down() <-chan struct{} {
	if s.h.opts.Down == nil {
		return nil
	}
	return s.h.opts.Down.Done()
}

// broken says why a message could not be read.
func (s *Stream) broken(err error) error {
	if done := s.ctx.Err(); done != nil {
		return done
	}
	if down := s.h.opts.Down; s.stream && down != nil && down.Err() != nil {
		return ErrDown
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Errorf(Internal, "the call ends within a message")
	}
	return err
}

var inflaters = sync.Pool{New: func() any { return new(gzip.Reader) }}

// inflate decompresses a message.
func (s *Stream) inflate(b []byte) ([]byte, error) {
	z := inflaters.Get().(*gzip.Reader)
	defer inflaters.Put(z)
	err := z.Reset(bytes.NewReader(b))
	if err != nil {
		return nil, Errorf(Internal, "a message is not gzip: %v", err)
	}
	out := make([]byte, 0, min(int64(4*len(b)+512), s.h.opts.Message+1))
	if err := s.hold(int64(cap(out))); err != nil {
		return nil, err
	}
	for {
		n, err := z.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > s.h.opts.Message:
			return nil, s.tooLarge(int64(len(out)))
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, Errorf(Internal, "a message cannot be decompressed: %v", err)
		}
		if len(out) == cap(out) {
			more := min(2*int64(cap(out)), s.h.opts.Message+1)
			if err := s.hold(more - int64(cap(out))); err != nil {
				return nil, err
			}
			out = append(make([]byte, 0, more), out...)
		}
	}
}

var deflaters = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level exists
	return z
}}

// Send sends a message, compressed if the client compresses, too.
func (s *Stream) Send(m Message) error {
	s.begin()
	if s.gzip {
		if err := s.hold(m.Len()); err != nil { // about what it takes if it does not become smaller
			return err
		}
		var b bytes.Buffer
		z := deflaters.Get().(*gzip.Writer)
		defer deflaters.Put(z)
		z.Reset(&b)
		if _, err := m.WriteTo(z); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		m = Bytes(b.Bytes())
	}
	n := m.Len()
	if n > 1<<32-1 {
		return Errorf(ResourceExhausted, "the answer has %d bytes; gRPC counts in 32 bits", n)
	}
	var head [prefix]byte
	if s.gzip {
		head[0] = 1
	}
	binary.BigEndian.PutUint32(head[1:], uint32(n))
	if s.stream {
		_ = s.control.SetWriteDeadline(time.Now().Add(s.h.opts.Idle))
	}
	_, err := s.w.Write(head[:])
	if err == nil {
		_, err = m.WriteTo(s.w)
	}
	if err == nil && s.stream {
		err = s.control.Flush()
	}
	return err
}

// SendHeader sends the headers before there is a message.
func (s *Stream) SendHeader() error {
	s.begin()
	return s.control.Flush()
}

func (s *Stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.w.Header()
	h["Content-Type"] = contentType
	h["Date"] = nil // which net/http would add
	if s.gzip {
		h["Grpc-Encoding"] = []string{"gzip"}
		h["Grpc-Accept-Encoding"] = encodings
	}
}

// finish ends the call: with the status alone if nothing was sent.
func (s *Stream) finish(err error) {
	if !s.begun && !s.along {
		Fail(s.w, err)
		return
	}
	s.begin()
	statusOf(err).put(s.w.Header(), http.TrailerPrefix)
}
