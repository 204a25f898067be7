package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve"
)

// TestHeaderLimit sends headers around the limit to a server that listens. Package http allows some bytes more.
func TestHeaderLimit(t *testing.T) {
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	for length, want := range map[int]int{limits.ServeHeader: 200, limits.ServeHeader + 8<<10: 431} {
		r, err := http.NewRequest(http.MethodGet, s.url+"/v2/health/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Long", strings.Repeat("x", length))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("a header of %d bytes: status %d; want %d", length, answer.StatusCode, want)
		}
	}
}

// TestLinger sends requests that are too large, and reads when they are sent: the answer is there, unless there was too much of them.
func TestLinger(t *testing.T) {
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", MaxBody: 1 << 20})
	part := make([]byte, 1<<20)
	for _, c := range []struct {
		bytes   int
		chunked bool
	}{{32 << 20, false}, {32 << 20, true}, {limits.ServeLinger + 64<<20, false}} {
		n, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		length, begin, end := fmt.Sprintf("Content-Length: %d", c.bytes), "", ""
		if c.chunked {
			length, begin, end = "Transfer-Encoding: chunked", "100000\r\n", "\r\n"
		}
		_, err = fmt.Fprintf(n, "POST /v2/models/digits/infer HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", length)
		for sent := 0; sent < c.bytes && err == nil; sent += len(part) {
			_, err = fmt.Fprintf(n, "%s%s%s", begin, part, end)
		}
		if many := c.bytes > limits.ServeLinger; many != (err != nil) {
			t.Errorf("%d bytes: %v", c.bytes, err)
		} else if answer, err := http.ReadResponse(bufio.NewReader(n), nil); !many && (err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge) {
			t.Errorf("%d bytes are answered with %v, %v", c.bytes, answer, err)
		}
		n.Close()
	}
}

// TestUnended breaks a request off that was answered: what follows is no request, and the budget is not kept waiting for more.
func TestUnended(t *testing.T) {
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", MaxBody: 1 << 20, MaxBodies: 2<<20 + 64<<10})
	n, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	const post = "POST /v2/models/digits/infer HTTP/1.1\r\nHost: x\r\n"
	in, chunk := bufio.NewReader(n), "200000\r\n"+strings.Repeat(" ", 2<<20)+"\r\n"
	if _, err := io.WriteString(n, post+"Transfer-Encoding: chunked\r\n\r\n"+chunk); err != nil {
		t.Fatal(err)
	}
	if answer, err := http.ReadResponse(in, nil); err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatalf("%v, %v", answer, err)
	} else if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	s.wants("POST", "/v2/models/digits/infer", strings.Repeat(" ", 1<<20), 400, "")
	_, _ = io.WriteString(n, "no length\r\n"+post+"Content-Length: 0\r\n\r\n")
	if answer, err := http.ReadResponse(in, nil); err == nil {
		t.Errorf("what follows is answered with %d", answer.StatusCode)
	}
}

func TestAnswerLimits(t *testing.T) {
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	for _, c := range []struct {
		begin   string
		length  int
		status  int
		message string
	}{
		{"", limits.ServeAnswer, 400, "no PNG"}, {"", limits.ServeAnswer + 1, 413, "is larger than"},
		{"{", limits.ServeNumbers, 400, "the name of a member"}, {"{", limits.ServeNumbers + 1, 413, "JSON of more than"},
	} {
		s.wants("POST", "/models/digits/answer", c.begin+strings.Repeat("x", c.length-len(c.begin)), c.status, c.message)
	}
}
