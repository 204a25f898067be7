package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve/internal/rest"
)

// form is how a tensor travels, in both directions.
type form struct {
	name   string
	body   []byte
	header string // the length of the JSON, if there is more
}

// forms are requests with so many elements of FP32.
func forms(elements int) []form {
	random := rand.New(rand.NewPCG(3, 4))
	var list []string
	for range elements {
		list = append(list, strconv.FormatFloat(float64(float32(random.NormFloat64())), 'g', -1, 32))
	}
	shape := fmt.Sprintf("[1,%d]", elements)
	text := one("FP32", shape, "["+strings.Join(list, ",")+"]")
	head := fmt.Sprintf(`{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"FP32","shape":%s,"parameters":{"binary_data_size":%d}}]}`,
		shape, 4*elements)
	return []form{{"json", []byte(text), ""}, {"binary", append([]byte(head), make([]byte, 4*elements)...), strconv.Itoa(len(head))}}
}

// sink is a client that reads nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(status int) {
	if status != 200 {
		panic(status)
	}
}

// BenchmarkInfer is what the transport costs: reading a request, asking a service that yields its inputs, and writing the answer. 256 elements are
// 1 KB, 150,528 a picture for a classifier. encoding/json beside it only reads the same text, into []float32.
func BenchmarkInfer(b *testing.B) {
	h := rest.New(&fake{}, rest.Options{})
	for _, n := range []int{256, 150528} {
		for _, f := range forms(n) {
			b.Run(fmt.Sprintf("%d/%s", n, f.name), func(b *testing.B) {
				b.SetBytes(int64(len(f.body)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := http.NewRequest(http.MethodPost, "http://localhost/v2/models/echo/infer", bytes.NewReader(f.body))
					if err != nil {
						b.Fatal(err)
					}
					if f.header != "" {
						r.Header.Set(headerLength, f.header)
					}
					h.ServeHTTP(&sink{make(http.Header)}, r)
				}
			})
		}
		text := forms(n)[0].body
		b.Run(fmt.Sprintf("%d/encoding-json", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var q struct {
					Inputs []struct {
						Name, Datatype string
						Shape          []int
						Data           []float32
					}
				}
				if err := json.Unmarshal(text, &q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkConnection is the same over a connection of the loopback interface, one request after the other, with Go's client.
func BenchmarkConnection(b *testing.B) {
	server := httptest.NewServer(rest.New(&fake{}, rest.Options{}))
	defer server.Close()
	for _, n := range []int{256, 150528} {
		for _, f := range forms(n) {
			b.Run(fmt.Sprintf("%d/%s", n, f.name), func(b *testing.B) {
				client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
				for b.Loop() {
					r, err := http.NewRequest(http.MethodPost, server.URL+"/v2/models/echo/infer", bytes.NewReader(f.body))
					if err != nil {
						b.Fatal(err)
					}
					if f.header != "" {
						r.Header.Set(headerLength, f.header)
					}
					answer, err := client.Do(r)
					if err != nil || answer.StatusCode != http.StatusOK {
						b.Fatal(answer, err)
					}
					_, _ = io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
			})
		}
	}
}
