package session_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/webnn/session"
)

// script is a document with n calls of add, and all else that they need.
func script(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"webnnSession":1,"calls":[
{"on":"ml","call":"createContext","args":[],"id":"context"},
{"on":null,"call":"MLGraphBuilder","args":[{"$ref":"context"}],"id":"builder"},
{"on":"builder","call":"input","args":["x",{"dataType":"float32","shape":[4]}],"id":"x0"}`)
	for i := range n {
		fmt.Fprintf(&b, ",\n"+`{"on":"builder","call":"add","args":[{"$ref":"x%d"},{"$ref":"x0"},{"label":"sum %d"}],"id":"x%d"}`, i, i, i+1)
	}
	b.WriteString("\n]}\n")
	return []byte(b.String())
}

// BenchmarkDecode reads calls, and buffers as text.
func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string][]byte{
		"calls":  script(10_000),
		"base64": []byte(`{"webnnSession":1,"calls":[{"call":"f","args":[{"$buffer":{"base64":"` + strings.Repeat("AAAA", 1<<20) + `"}}]}]}`),
		"values": []byte(`{"webnnSession":1,"calls":[{"call":"f","args":[{"$buffer":{"type":"Float32Array","values":[0` +
			strings.Repeat(",0.25", 1<<18) + `]}}]}]}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := session.Decode(text, nil, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHost performs messages of several sizes; the time of a call must not depend on the size.
func BenchmarkHost(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		text := script(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				h := session.NewHost(session.HostOptions{})
				failed := 0
				h.Do(text, nil, func(r session.Reply) {
					if r.Error != nil {
						failed++
					}
				})
				if failed > 0 {
					b.Fatalf("%d calls have failed", failed)
				}
				h.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
		})
	}
}
