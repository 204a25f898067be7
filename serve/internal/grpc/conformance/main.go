// Command conformance is the server that connectrpc.com/conformance tests package grpc with. The program connectconformance starts it, tells it by
// standard input what to serve, and calls it.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/concord-nn/concord/internal/wire"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/h2"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// unbounded is for messages of the tests, which are no foreign input.
var unbounded = wire.Bounds{Depth: 100, Memory: 1 << 30}

func decode[M any](b []byte) (*M, error) {
	m := new(M)
	return m, wire.Decode(m, b, unbounded)
}

// run serves as it is asked until it is killed.
func run(in io.Reader, out io.Writer) error {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return err
	}
	b := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(in, b); err != nil {
		return err
	}
	asked, err := decode[start](b)
	if err != nil {
		return err
	}
	limit := int64(asked.limit)
	if limit == 0 {
		limit = 1 << 30
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var p http.Protocols
	s := &http.Server{Handler: grpc.New(methods, grpc.Options{Message: limit, Idle: time.Minute}), Protocols: &p}
	h2.Configure(s)
	started := &started{host: "127.0.0.1", port: uint32(l.Addr().(*net.TCPAddr).Port)}
	if asked.tls {
		p.SetHTTP2(true)
		pair, err := tls.X509KeyPair(asked.credentials.cert, asked.credentials.key)
		if err != nil {
			return err
		}
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
		if len(asked.client) > 0 {
			s.TLSConfig.ClientCAs = x509.NewCertPool()
			s.TLSConfig.ClientCAs.AppendCertsFromPEM(asked.client)
			s.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
		}
		started.cert = asked.credentials.cert
	} else {
		p.SetUnencryptedHTTP2(true)
	}
	answer := wire.Measure(started).Bytes()
	if _, err := out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)); err != nil {
		return err
	}
	if asked.tls {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}

const service = "/connectrpc.conformance.v1.ConformanceService/"

var methods = map[string]grpc.Method{
	service + "Unary":           {Serve: one("UnaryRequest")},
	service + "IdempotentUnary": {Serve: one("IdempotentUnaryRequest")},
	service + "ClientStream":    {Serve: clientStream, Stream: true},
	service + "ServerStream":    {Serve: serverStream, Stream: true},
	service + "BidiStream":      {Serve: bidiStream, Stream: true},
}

// anyOf puts a message of the tests into an Any.
func anyOf(name string, b []byte) *anything {
	return &anything{"type.googleapis.com/connectrpc.conformance.v1." + name, b}
}

// infoOf says what came with a request, to which messages are added.
func infoOf(s *grpc.Stream) *info {
	i := new(info)
	for name, values := range s.Metadata() {
		i.headers = append(i.headers, &header{name, values})
		if name == "Grpc-Timeout" {
			d, _ := grpc.Timeout(values[0])
			i.timeout = d.Milliseconds()
		}
	}
	return i
}

func put(set func(name, value string), headers []*header) {
	for _, h := range headers {
		for _, v := range h.values {
			set(h.name, v)
		}
	}
}

// statusOf returns the error that a test asks for, with what came in its details.
func statusOf(e *failure, i *info) error {
	details := e.details
	if i != nil {
		details = append(details, anyOf("ConformancePayload.RequestInfo", wire.Measure(i).Bytes()))
	}
	return &grpc.Status{Code: grpc.Code(e.code), Message: e.message,
		Details: wire.Measure(&failure{e.code, e.message, details}).Bytes()}
}

func send(s *grpc.Stream, data []byte, i *info) error {
	return s.Send(wire.Measure(&answer{&payload{data, i}}))
}

func sleep(ctx context.Context, milliseconds uint32) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(milliseconds) * time.Millisecond):
		return nil
	}
}

// one serves a method with one answer to one message.
func one(name string) func(context.Context, *grpc.Stream) error {
	return func(ctx context.Context, s *grpc.Stream) error {
		b, err := s.Only()
		if err != nil {
			return err
		}
		return answerTo(ctx, s, name, [][]byte{b})
	}
}

func clientStream(ctx context.Context, s *grpc.Stream) error {
	var all [][]byte
	for {
		b, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return answerTo(ctx, s, "ClientStreamRequest", all)
		}
		if err != nil {
			return err
		}
		all = append(all, b)
	}
}

// answerTo sends the answer that the first of some messages asks for.
func answerTo(ctx context.Context, s *grpc.Stream, name string, all [][]byte) error {
	i := infoOf(s)
	asked := new(definition)
	for n, b := range all {
		if n == 0 {
			r, err := decode[request](b)
			if err != nil {
				return err
			}
			if r.definition != nil {
				asked = r.definition
			}
		}
		i.requests = append(i.requests, anyOf(name, b))
	}
	put(s.SetHeader, asked.headers)
	put(s.SetTrailer, asked.trailers)
	if err := sleep(ctx, asked.delay); err != nil {
		return err
	}
	if asked.failure != nil {
		return statusOf(asked.failure, i)
	}
	return send(s, asked.data, i)
}

func serverStream(ctx context.Context, s *grpc.Stream) error {
	b, err := s.Only()
	if err != nil {
		return err
	}
	r, err := decode[serverRequest](b)
	if err != nil || r.definition == nil {
		return err
	}
	i := infoOf(s)
	i.requests = append(i.requests, anyOf("ServerStreamRequest", b))
	return respond(ctx, s, r.definition, i, true)
}

// respond sends all that a test asks for. What came goes with the first answer, or with the error.
func respond(ctx context.Context, s *grpc.Stream, asked *streamDefinition, i *info, header bool) error {
	if header {
		put(s.SetHeader, asked.headers)
		put(s.SetTrailer, asked.trailers)
		if err := s.SendHeader(); err != nil {
			return err
		}
	}
	for _, data := range asked.data {
		if err := sleep(ctx, asked.delay); err != nil {
			return err
		}
		if err := send(s, data, i); err != nil {
			return err
		}
		i = nil
	}
	if asked.failure != nil {
		return statusOf(asked.failure, i)
	}
	return nil
}

func bidiStream(ctx context.Context, s *grpc.Stream) error {
	i := infoOf(s)
	var asked *streamDefinition
	full, first, sent := false, true, 0
	for {
		b, err := s.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if first {
			r, err := decode[bidiRequest](b)
			if err != nil {
				return err
			}
			asked, full = r.definition, r.full
			if full && asked != nil {
				put(s.SetHeader, asked.headers)
				put(s.SetTrailer, asked.trailers)
				if err := s.SendHeader(); err != nil {
					return err
				}
			}
		}
		first = false
		i.requests = append(i.requests, anyOf("BidiStreamRequest", b))
		if !full || asked == nil {
			continue
		}
		if sent == len(asked.data) {
			break // which is where the error stands that a test may ask for
		}
		if err := sleep(ctx, asked.delay); err != nil {
			return err
		}
		if err := send(s, asked.data[sent], i); err != nil {
			return err
		}
		sent++
		i = new(info)
	}
	if asked == nil {
		return nil
	}
	if !full {
		return respond(ctx, s, asked, i, true)
	}
	rest := *asked
	rest.data = rest.data[sent:]
	if sent > 0 {
		i = nil
	}
	return respond(ctx, s, &rest, i, false)
}
