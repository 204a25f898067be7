// Package clients_test asks a server by the clients that people have: programs in the other files here, for people who want to see how it is done as
// well. A test is skipped where what its client needs is not installed.
package clients_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/concord-nn/concord/serve"
)

// start starts a server with the model that the programs ask, and returns its address when it is ready.
func start(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small.nnef")
	const text = "version 1.0;\ngraph small(x) -> (y)\n{\n    x = external(shape = [1, 256]);\n    y = relu(x);\n}\n"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "graph.nnef"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(serve.Options{Dir: filepath.Dir(dir)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if answer, err := http.Get("http://" + l.Addr().String() + "/v2/health/ready"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return l.Addr().String()
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not become ready")
		}
	}
}

// run runs a program, which ends with an error if an answer is not as it must be, and else says the versions of what it is made of.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// python returns a Python with modules.
func python(t *testing.T, modules string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import "+modules).Run() == nil {
			return name
		}
	}
	t.Skip("there is no python3 with " + modules)
	return ""
}

func TestGRPCIO(t *testing.T) {
	py := python(t, "grpc, google.protobuf")
	if _, err := exec.LookPath("protoc"); err != nil {
		t.Skip("there is no protoc, of Debian's protobuf-compiler")
	}
	run(t, py, "grpcio.py", start(t))
}

func TestKServe(t *testing.T) {
	checkout := os.Getenv("CONCORD_KSERVE")
	if checkout == "" {
		t.Skip("set CONCORD_KSERVE to a checkout of github.com/kserve/kserve")
	}
	py, address := python(t, "grpc, google.protobuf, httpx, numpy, pandas, psutil, yaml"), start(t)
	run(t, py, "kserve.py", "http://"+address, address, checkout)
}

func TestGRPCJS(t *testing.T) {
	packages := os.Getenv("CONCORD_GRPC_JS")
	if packages == "" {
		t.Skip("set CONCORD_GRPC_JS to a folder where npm install @grpc/grpc-js @grpc/proto-loader was run")
	}
	run(t, "node", "grpc-js.mjs", start(t), packages)
}
