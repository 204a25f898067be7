package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/serve"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkREST is what it costs to ask a model of 1 KB, relu of 256 numbers, over a connection of the loopback interface, one request after the
// other: in JSON and in binary, and beside them the model alone and a handler of net/http that answers with as many bytes as the JSON has.
func BenchmarkREST(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "small.nnef")
	const text = "version 1.0;\ngraph small(x) -> (y)\n{\n    x = external(shape = [1, 256]);\n    y = relu(x);\n}\n"
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "graph.nnef"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	s := listen(b, serve.Options{Dir: filepath.Dir(dir), Control: "none"})
	address := strings.TrimPrefix(s.url, "http://")

	elements := make([]float32, 256)
	var list []string
	for i := range elements {
		elements[i] = float32(i)/7 - 16
		list = append(list, fmt.Sprint(elements[i]))
	}
	x, err := tensor.FromSlice(elements, 1, 256)
	if err != nil {
		b.Fatal(err)
	}
	json := fmt.Sprintf(`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,256],"data":[%s]}]}`, strings.Join(list, ","))
	head := `{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"FP32","shape":[1,256],"parameters":{"binary_data_size":1024}}]}`

	b.Run("model", func(b *testing.B) {
		m, err := concord.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		program, err := m.Compile(concord.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer program.Close()
		each(b, func() error {
			_, err := program.Run(context.Background(), map[string]*tensor.Tensor{"x": x})
			return err
		})
	})
	b.Run("net-http", func(b *testing.B) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		bare := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = w.Write(body)
		})}
		go func() { _ = bare.Serve(l) }()
		defer bare.Close()
		connection(b, l.Addr().String(), "", []byte(json))
	})
	b.Run("json", func(b *testing.B) { connection(b, address, "", []byte(json)) })
	b.Run("binary", func(b *testing.B) {
		connection(b, address, fmt.Sprintf("Inference-Header-Content-Length: %d\r\n", len(head)), append([]byte(head), tensor.Raw(x)...))
	})
}

// connection asks over one connection.
func connection(b *testing.B, address, header string, body []byte) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	request := fmt.Appendf(nil, "POST /v2/models/small/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n", address, len(body), header)
	request = append(request, body...)
	from := bufio.NewReader(c)
	var answer bytes.Buffer
	each(b, func() error {
		if _, err := c.Write(request); err != nil {
			return err
		}
		r, err := http.ReadResponse(from, nil)
		if err != nil {
			return err
		}
		answer.Reset()
		if _, err := answer.ReadFrom(r.Body); err != nil || r.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s, %w", r.Status, &answer, err)
		}
		return nil
	})
}

// each reports the median of what single calls take, beside their mean.
func each(b *testing.B, f func() error) {
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
