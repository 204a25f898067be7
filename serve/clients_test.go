package serve_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/serve"
)

// The clients that people have are asked by programs in the folder clients, which are for people who want to see how it is done as well. A test is
// skipped where what its client needs is not installed.

// small starts a server with the model that the programs ask, and returns its address.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const text = "version 1.0;\ngraph small(x) -> (y)\n{\n    x = external(shape = [1, 256]);\n    y = relu(x);\n}\n"
	if err := os.CopyFS(dir, fstest.MapFS{"small.nnef/graph.nnef": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(listen(t, serve.Options{Dir: dir}).url, "http://")
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
	for _, name := range []string{"/usr/bin/python3", "python3"} {
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
	run(t, py, "clients/grpcio.py", small(t))
}

func TestKServe(t *testing.T) {
	checkout := os.Getenv("CONCORD_KSERVE")
	if checkout == "" {
		t.Skip("set CONCORD_KSERVE to a checkout of github.com/kserve/kserve")
	}
	py, address := python(t, "grpc, google.protobuf, httpx, numpy, pandas, psutil, yaml"), small(t)
	run(t, py, "clients/kserve.py", "http://"+address, address, checkout)
}

func TestGRPCJS(t *testing.T) {
	packages := os.Getenv("CONCORD_GRPC_JS")
	if packages == "" {
		t.Skip("set CONCORD_GRPC_JS to a folder where npm install @grpc/grpc-js @grpc/proto-loader was run")
	}
	run(t, "node", "clients/grpc-js.mjs", small(t), packages)
}
