package grpc_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/concord-nn/concord/serve/internal/grpc"
)

// TestListen holds what was written to arriving, in order, before the connection ends, and nothing to being written after that.
func TestListen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := grpc.Listen(l).Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c := <-accepted
	if _, err := client.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(c, b); err != nil || string(b) != "hello" {
		t.Fatalf("%q, %v", b, err)
	}
	var want bytes.Buffer
	arrived := make(chan []byte)
	go func() {
		all, err := io.ReadAll(client)
		if err != nil {
			t.Error(err)
		}
		arrived <- all
	}()
	for i := range 2000 {
		part := bytes.Repeat([]byte{byte(i)}, i)
		want.Write(part)
		if n, err := c.Write(part); n != i || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-arrived; !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes arrive; want %d", len(got), want.Len())
	}
	if _, err := c.Write([]byte("more")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("writing to what is closed: %v", err)
	}
	if _, err := c.Read(b); err == nil {
		t.Error("what is closed can be read")
	}
}
