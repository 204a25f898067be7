package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
)

// rest asks over one connection of HTTP/1.1.
type rest struct {
	net.Conn
	in      *bufio.Reader
	request []byte
	answer  []byte // the body of the first answer, which holds y
	body    []byte
}

// dialNumbers connects for requests with numbers.
func dialNumbers(c *child, x, y []byte) (asker, error) {
	return dialREST(c.address, head+`"data":[`+numbers(x)+"]}]}", "", "["+numbers(y)+"]")
}

// dialBinary connects for requests and answers in binary.
func dialBinary(c *child, x, y []byte) (asker, error) {
	text := fmt.Sprintf(`%s"parameters":{"binary_data_size":%d}}],"parameters":{"binary_data_output":true}}`, head, len(x))
	return dialREST(c.address, text+string(x), fmt.Sprintf("Inference-Header-Content-Length: %d\r\n", len(text)), string(y))
}

// dialBack connects for requests that come back as they are.
func dialBack(c *child, x, _ []byte) (asker, error) {
	return dialREST(c.echo, string(x), "", string(x))
}

var head = fmt.Sprintf(`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,%d],`, elements)

// dialREST connects for a request with a body and a line of its header. The answers must have a part.
func dialREST(address, body, line, part string) (asker, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	r := &rest{Conn: c, in: bufio.NewReader(c)}
	r.request = fmt.Appendf(nil, "POST /v2/models/small/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n%s", address, len(body), line, body)
	if err := r.ask(); err != nil {
		return nil, err
	}
	if !bytes.Contains(r.body, []byte(part)) {
		return nil, fmt.Errorf("%w: %.300q", errOther, r.body)
	}
	r.answer = bytes.Clone(r.body)
	return r, nil
}

// numbers returns elements as numbers of JSON.
func numbers(raw []byte) string {
	var list []string
	for ; len(raw) > 0; raw = raw[4:] {
		list = append(list, strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))), 'g', -1, 32))
	}
	return strings.Join(list, ",")
}

func (r *rest) ask() error {
	if _, err := r.Write(r.request); err != nil {
		return err
	}
	size := 0
	for first := true; ; first = false {
		line, err := r.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("the server says %q", line)
		}
		if len(line) == len("\r\n") {
			break
		}
		if text, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return err
			}
		}
	}
	if cap(r.body) < size {
		r.body = make([]byte, size)
	}
	r.body = r.body[:size]
	if _, err := io.ReadFull(r.in, r.body); err != nil {
		return err
	}
	if r.answer != nil && !bytes.Equal(r.body, r.answer) {
		return errOther
	}
	return nil
}
