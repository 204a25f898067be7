package serve_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve"
)

// authority signs certificates.
type authority struct {
	t           *testing.T
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	_, a.certificate, a.key = a.make("authority", nil, nil, a.file, filepath.Join(t.TempDir(), "key"))
	return a
}

// make writes a certificate and its key.
func (a *authority) make(name string, parent *x509.Certificate, by *ecdsa.PrivateKey, certificate, key string) (tls.Certificate, *x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: parent == nil, BasicConstraintsValid: true}
	if parent == nil {
		parent, by = form, own
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &own.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		a.t.Fatal(err)
	}
	texts := [2][]byte{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})}
	for i, name := range []string{certificate, key} {
		if err := os.WriteFile(name, texts[i], 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		a.t.Fatal(err)
	}
	x, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return pair, x, own
}

// pair makes a certificate of the authority.
func (a *authority) pair(name string) (pair tls.Certificate, certificate, key string) {
	certificate, key = filepath.Join(a.t.TempDir(), "cert.pem"), filepath.Join(a.t.TempDir(), "key.pem")
	pair, _, _ = a.make(name, a.certificate, a.key, certificate, key)
	return pair, certificate, key
}

// client trusts the authority.
func (a *authority) client(own ...tls.Certificate) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: own}, ForceAttemptHTTP2: true}
	a.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// status asks for a path and returns the status, or the error.
func status(c *http.Client, url string, header ...string) string {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err.Error()
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer, err := c.Do(r)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return fmt.Sprint(answer.StatusCode, " ", answer.Proto)
}

func TestTLS(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	_, certificate, key := a.pair("localhost")
	config, err := serve.TLS(certificate, key, "")
	if err != nil {
		t.Fatal(err)
	}
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", TLS: config})
	for _, c := range []struct {
		client    *http.Client
		url, want string
	}{
		{a.client(), s.url, "200 HTTP/2.0"},
		{other.client(), s.url, "unknown authority"},
		{http.DefaultClient, strings.Replace(s.url, "https", "http", 1), "400"},
	} {
		if got := status(c.client, c.url+"/v2/health/live"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s; want %s", c.url, got, c.want)
		}
	}

	if config, err = serve.TLS(certificate, key, a.file); err != nil {
		t.Fatal(err)
	}
	s = listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", TLS: config})
	known, _, _ := a.pair("client")
	unknown, _, _ := other.pair("client")
	for _, c := range []struct {
		client     *http.Client
		path, want string
	}{
		{a.client(known), "/v2", "200"}, {a.client(), "/v2", "401"}, {a.client(), "/v2/health/live", "200"}, {a.client(unknown), "/v2", "Get "}, // an error
	} {
		if got := status(c.client, s.url+c.path); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s; want %s", c.path, got, c.want)
		}
	}
	for _, files := range [][3]string{{key, key, ""}, {certificate, "none", ""}, {certificate, key, key}, {certificate, key, "none"}} {
		if _, err := serve.TLS(files[0], files[1], files[2]); err == nil {
			t.Errorf("%v are taken", files)
		}
	}
}

func TestTokens(t *testing.T) {
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", Tokens: []string{"first", "second"}})
	for _, c := range []struct{ path, header, want string }{
		{"/v2", "", "401"}, {"/v2", "Bearer first", "200"}, {"/v2", "bearer second", "200"}, {"/v2", "Bearer third", "401"}, {"/v2", "Bearer ", "401"},
		{"/v2", "Basic first", "401"}, {"/v2", "first", "401"}, {"/v2/health/live", "", "200"}, {"/v2/health/ready", "", "200"}, {"/v2/models/digits/ready", "", "401"},
		{"/metrics", "", "401"}, {"/", "", "200"}, {"/page/page.js", "", "200"}, {"/v2/health/../models/digits", "", "401"},
	} {
		if got := status(http.DefaultClient, s.url+c.path, "Authorization", c.header); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s with %q: %s; want %s", c.path, c.header, got, c.want)
		}
	}
	if got := s.call("ServerMetadata", ""); got != "16" {
		t.Errorf("a call of gRPC without a token: status %s", got)
	}
	if got := s.call("ServerMetadata", "Bearer second"); got != "0" {
		t.Errorf("a call of gRPC with a token: status %s", got)
	}
	if got := s.call("ServerReady", ""); got != "0" {
		t.Errorf("a call of gRPC about health: status %s", got)
	}
	s.wants("GET", "/v2", "", 401, "Bearer TOKEN")
}

// call calls a method of gRPC with a message, and returns its status.
func (s *server) call(method, authorization string, message ...byte) string {
	s.t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest(http.MethodPost, s.url+"/inference.GRPCInferenceService/"+method, bytes.NewReader(append([]byte{4: byte(len(message))}, message...)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		s.t.Fatal(err)
	}
	return answer.Header.Get("Grpc-Status") + answer.Trailer.Get("Grpc-Status")
}

// TestGRPC calls on the address of REST.
func TestGRPC(t *testing.T) {
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	for method, want := range map[string]string{"ServerLive": "0", "ServerReady": "0", "ServerMetadata": "0", "ModelMetadata": "5", "RepositoryIndex": "0", "RepositoryModelLoad": "12", "Nothing": "12"} {
		if got := s.call(method, ""); got != want {
			t.Errorf("%s: status %s; want %s", method, got, want)
		}
	}
	if got := s.call("ModelInfer", "", 0xff); got != "3" {
		t.Errorf("a message that is none: status %s", got)
	}
	s.wants("GET", "/metrics", "", 200, `concord_requests_total{model="",version="",method="infer",protocol="grpc",code="invalid_argument"} 1`)
}

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// last returns the last line about a request.
func (l *lines) last(t *testing.T) map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	found := map[string]any{}
	for line := range bytes.Lines(l.text.Bytes()) {
		var x map[string]any
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatal(err)
		}
		if x["msg"] == "request" {
			found = x
		}
	}
	return found
}

func TestLog(t *testing.T) {
	var log lines
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef", "idle.nnef"), Control: "explicit", Load: []string{"digits"}, Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	ask := func(method, path, body string, header ...string) (line map[string]any, id string) {
		t.Helper()
		r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) { // the line is written behind the answer
			if line = log.last(t); line["request_id"] == answer.Header.Get("X-Request-Id") {
				break
			}
		}
		return line, answer.Header.Get("X-Request-Id")
	}
	line, _ := ask("POST", "/v2/models/digits/infer", one(0.5), "Traceparent", "00-"+trace+"-"+parent+"-01", "X-Request-Id", "mine")
	for key, want := range map[string]any{"level": "DEBUG", "method": "POST", "path": "/v2/models/digits/infer", "status": 200.0, "model": "digits", "version": "1",
		"trace_id": trace, "parent_id": parent, "request_id": "mine"} {
		if line[key] != want {
			t.Errorf("%s is %v; want %v", key, line[key], want)
		}
	}
	if span, _ := line["span_id"].(string); len(span) != 16 || span == parent {
		t.Errorf("the span is %q", span)
	}
	line, id := ask("POST", "/v2/models/none/infer", one(0.5), "X-Request-Id", strings.Repeat("x", 200))
	if line["level"] != "WARN" || line["code"] != "not_found" || !strings.Contains(fmt.Sprint(line["error"]), "there is no model") || len(id) != 16 {
		t.Errorf("a failure is logged as %v", line)
	}
	if line, _ := ask("GET", "/nothing", ""); line["level"] != "WARN" || line["status"] != 404.0 {
		t.Errorf("a path that there is not is logged as %v", line)
	}
	for _, c := range []struct{ method, path, body, code, part string }{
		{"POST", "/v2/models/digits/infer", "{", "invalid_argument", "byte 1 of the request"},
		{"GET", "/v2/models/none", "", "not_found", "there is no model"},
		{"GET", "/v2/models/idle", "", "not_ready", "it is not loaded"},
		{"GET", "/v2/models/digits/infer", "", "invalid_argument", "the method is GET"},
	} {
		line, _ := ask(c.method, c.path, c.body)
		if code, _ := line["code"].(string); line["level"] != "WARN" || code != c.code || !strings.Contains(fmt.Sprint(line["error"]), c.part) {
			t.Errorf("%s %s is logged as %v", c.method, c.path, line)
		}
	}
	if line, _ := ask("GET", "/v2/models/idle/ready", ""); line["level"] != "DEBUG" || line["status"] != 503.0 {
		t.Errorf("a model that is not ready is logged as %v", line)
	}
	s.wants("GET", "/metrics", "", 200, `concord_requests_total{model="digits",version="",method="infer",protocol="rest",code="invalid_argument"} 2`)
}

// TestSlowClients lets clients wait in all ways that there are.
func TestSlowClients(t *testing.T) {
	const soon = 50 * time.Millisecond
	s := listen(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", HeaderTimeout: soon, ReadTimeout: 2 * soon, IdleTimeout: soon})
	const posts = " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
	for _, text := range []string{"", "GET /v2 HT", "POST /v2/models/digits/infer" + posts, "POST /models/digits/answer" + posts, "GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, text); err != nil {
			t.Error(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		answer, err := io.ReadAll(c)
		if err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("who sends %q and then nothing is not cut off", text)
		}
		if status, _, _ := strings.Cut(string(answer), "\r\n"); strings.HasSuffix(text, posts) && status != "" && !strings.Contains(status, "408") { // none if not even the head was read in time
			t.Errorf("who sends %q is told %q; want 408", text, status)
		}
		c.Close()
	}
}

// TestShutdown ends a server while a request is on its way: it is answered, others are not.
func TestShutdown(t *testing.T) {
	s, address, stop, done := begin(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	s.wait("GET", "/v2/models/digits", "", "versions")
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := one(0.5)
	fmt.Fprintf(c, "POST /v2/models/digits/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(text))
	reader := bufio.NewReader(c)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // the request is being read
		t.Fatal(line, err)
	}
	stop()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		c.Close()
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(reader); err != nil || !strings.Contains(string(answer), "200 OK") {
		t.Errorf("a request that was on its way: %s, %v", answer, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestShutdownOfStreams has clients that never end their streams: these hold the server up no longer than what they have asked.
func TestShutdownOfStreams(t *testing.T) {
	s, _, stop, done := begin(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", Grace: time.Hour})
	s.wait("GET", "/v2/models/digits", "", "versions")
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	var statuses [2]string
	var all sync.WaitGroup
	begun := make(chan bool, len(statuses))
	for i, path := range []string{"/grpc.health.v1.Health/Watch", "/inference.GRPCInferenceService/ModelStreamInfer"} {
		body, open := io.Pipe()
		defer open.Close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/grpc")
		r.Header.Set("Te", "trailers")
		all.Go(func() {
			_, _ = open.Write(make([]byte, 5)) // a message, which is answered
			if i == 0 {
				open.Close()
			}
		})
		all.Go(func() {
			answer, err := transport.RoundTrip(r)
			begun <- true
			if err != nil {
				statuses[i] = err.Error()
				return
			}
			defer answer.Body.Close()
			_, _ = io.Copy(io.Discard, answer.Body)
			statuses[i] = answer.Header.Get("Grpc-Status") + answer.Trailer.Get("Grpc-Status")
		})
	}
	for range statuses {
		<-begun
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	all.Wait()
	if statuses != [2]string{"14", "14"} {
		t.Errorf("the streams end with %q; want UNAVAILABLE", statuses)
	}
}

// TestPEMLimit reads files of certificates and keys up to a limit, and nothing that is no regular file.
func TestPEMLimit(t *testing.T) {
	a := newAuthority(t)
	_, certificate, key := a.pair("limit")
	text, err := os.ReadFile(certificate)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{limits.ServePEM, limits.ServePEM + 1} {
		if err := os.WriteFile(certificate, append(text, make([]byte, n-len(text))...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := serve.TLS(certificate, key, ""); (err == nil) != (n == limits.ServePEM) {
			t.Errorf("a certificate of %d bytes: %v", n, err)
		}
	}
	if err := os.WriteFile(certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, files := range [][3]string{{dir, key, ""}, {certificate, dir, ""}, {certificate, key, dir}} {
		if _, err := serve.TLS(files[0], files[1], files[2]); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v: %v", files, err)
		}
	}
}
