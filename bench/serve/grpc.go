package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"github.com/concord-nn/concord/internal/wire"
)

// grpc asks over one connection of HTTP/2, by a client that knows as much of it as one call after the other needs.
type grpc struct {
	net.Conn
	in      *bufio.Reader
	first   []byte // the header of the first request, as HPACK has it
	header  []byte // that of the others: both sides keep the fields, as gRPC's clients want it
	message []byte
	out     []byte
	stream  uint32
	credit  int // bytes of answers that the server was not told of
	body    []byte
	answer  []byte // the first message, which holds y
}

// The messages, as far as a request needs them.
type input struct {
	name     string  `wire:"1,name"`
	datatype string  `wire:"2,datatype"`
	shape    []int64 `wire:"3,shape,packed"`
}

type request struct {
	model  string   `wire:"1,model_name"`
	inputs []*input `wire:"5,inputs"`
	raw    []byte   `wire:"7,raw_input_contents"`
}

// The frames of HTTP/2.
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway, frameWindow = 0, 1, 3, 4, 6, 7, 8

	endStream, endHeaders, ack = 1, 4, 1

	window = 1 << 30 // what the server may send before it is told of more
)

// frame appends a frame.
func frame(b []byte, kind, flags byte, stream uint32, payload ...byte) []byte {
	n := len(payload)
	b = append(b, byte(n>>16), byte(n>>8), byte(n), kind, flags)
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

func dialGRPC(c *child, x, y []byte) (asker, error) {
	connection, err := net.Dial("tcp", c.address)
	if err != nil {
		return nil, err
	}
	g := &grpc{Conn: connection, in: bufio.NewReader(connection), stream: ^uint32(0)}
	fields := [][2]string{{":method", "POST"}, {":scheme", "http"}, {":path", "/inference.GRPCInferenceService/ModelInfer"}, {":authority", c.address},
		{"content-type", "application/grpc"}, {"te", "trailers"}}
	for i, h := range fields {
		g.first = append(g.first, 0x40, byte(len(h[0]))) // a literal for the table; names and values are shorter than 127 bytes
		g.first = append(append(append(g.first, h[0]...), byte(len(h[1]))), h[1]...)
		g.header = append(g.header, 0x80|byte(62+len(fields)-1-i)) // what was added last is the first one behind the 61 of the standard
	}
	of := &input{"x", "FP32", []int64{1, elements}}
	message := wire.Measure(&request{"small", []*input{of}, x}).Bytes()
	g.message = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	hello := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	hello = frame(hello, frameSettings, 0, 0, 0, 4, window>>24, window>>16&0xFF, window>>8&0xFF, window&0xFF) // of a stream
	hello = frame(hello, frameWindow, 0, 0, window>>24, window>>16&0xFF, window>>8&0xFF, window&0xFF)
	if _, err := connection.Write(hello); err != nil {
		return nil, err
	}
	if err := g.ask(); err != nil {
		return nil, err
	}
	if !bytes.Contains(g.body, y) {
		return nil, fmt.Errorf("%w: %.300q", errOther, g.body)
	}
	g.answer = bytes.Clone(g.body)
	return g, nil
}

func (g *grpc) ask() error {
	g.stream += 2
	header := g.header
	if g.stream == 1 {
		header = g.first
	}
	b := frame(g.out[:0], frameHeaders, endHeaders, g.stream, header...)
	b = frame(b, frameData, endStream, g.stream, g.message...)
	g.out = b
	if _, err := g.Write(b); err != nil {
		return err
	}
	g.body = g.body[:0]
	for {
		var head [9]byte
		if _, err := io.ReadFull(g.in, head[:]); err != nil {
			return err
		}
		n := int(head[0])<<16 | int(head[1])<<8 | int(head[2])
		at := len(g.body)
		g.body = append(g.body, make([]byte, n)...)
		payload := g.body[at:]
		if _, err := io.ReadFull(g.in, payload); err != nil {
			return err
		}
		kind, flags := head[3], head[4]
		if kind != frameData {
			g.body = g.body[:at]
		}
		var reply []byte
		switch {
		case kind == frameSettings && flags&ack == 0:
			reply = frame(nil, frameSettings, ack, 0)
		case kind == framePing && flags&ack == 0:
			reply = frame(nil, framePing, ack, 0, payload...)
		case kind == frameReset || kind == frameGoAway:
			return fmt.Errorf("the server ends the call: %x", payload)
		case kind == frameData:
			if g.credit += n; g.credit > window/2 {
				c := g.credit
				g.credit = 0
				reply = frame(nil, frameWindow, 0, 0, byte(c>>24), byte(c>>16), byte(c>>8), byte(c))
			}
		}
		if reply != nil {
			if _, err := g.Write(reply); err != nil {
				return err
			}
		}
		if kind <= frameHeaders && flags&endStream != 0 {
			break
		}
	}
	if g.answer != nil && !bytes.Equal(g.body, g.answer) {
		return errOther
	}
	return nil
}
