package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve"
)

// models writes graphs of NNEF, by their names, into a folder.
func models(t *testing.T, graphs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range graphs {
		path := filepath.Join(dir, name, "1", "graph.nnef")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("version 1.0;\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const wide = `graph wide( x, scale ) -> ( y, total )
{
    x = external(shape = [0, 3, 0, 8]);
    scale = external(shape = [1, 3, 1, 1]);
    y = mul(x, scale);
    total = sum_reduce(x, axes = [1, 3]);
}`

// TestDescription finds out which extents of outputs follow from open ones.
func TestDescription(t *testing.T) {
	s := start(t, serve.Options{Control: "none", Dir: models(t, map[string]string{
		"wide":  wide,
		"flag":  "graph flag( x ) -> ( y )\n{\n    x = external(shape = [1, 4]);\n    y = gt(x, 0.5);\n}",
		"large": "graph large( x ) -> ( y )\n{\n    x = external(shape = [0, 1, 0, 0]);\n    y = box(x, size = [1, 1, 30, 30], padding = [(0, 0), (0, 0), (0, 0), (0, 0)]);\n}",
		"total": "graph total( x ) -> ( y )\n{\n    x = external(shape = [2]);\n    a = sum_reduce(x, axes = [0]);\n    y = squeeze(a, axes = [0]);\n}",
		"named": "extension tract_registry tract_core;\nextension tract_symbol n;\ngraph named( x, n ) -> ( y )\n{\n    x = tract_core_external(shape = [n, 2], datum_type = 'f32');\n" +
			"    n = tract_core_external(shape = [1, 2], datum_type = 'f32');\n    y = mul(x, n);\n}",
	})})
	s.wants("GET", "/v2/models/wide", "", 200, `"inputs":[{"name":"x","datatype":"FP32","shape":[-1,3,-1,8]},{"name":"scale","datatype":"FP32","shape":[1,3,1,1]}],`+
		`"outputs":[{"name":"y","datatype":"FP32","shape":[-1,3,-1,8]},{"name":"total","datatype":"FP32","shape":[-1,1,-1,1]}]`)
	s.wants("GET", "/v2/models/flag", "", 200, `"outputs":[{"name":"y","datatype":"BOOL","shape":[1,4]}]`)
	s.wants("GET", "/v2/models/large", "", 200, `"outputs":[{"name":"y","datatype":"FP32","shape":[-1,1,-1,-1]}]`)
	s.wants("GET", "/v2/models/total", "", 200, `"outputs":[{"name":"y","datatype":"FP32","shape":[]}]`)
	s.wants("GET", "/v2/models/named", "", 200, `"outputs":[{"name":"y","datatype":"FP32","shape":[-1,2]}]`) // a symbol as an input is called
	s.wants("POST", "/v2/models/named/infer", `{"inputs":[{"name":"x","datatype":"FP32","shape":[2,2],"data":[1,2,3,4]},{"name":"n","datatype":"FP32","shape":[1,2],"data":[2,3]}]}`,
		200, `"shape":[2,2],"data":[2,6,6,12]`)
	s.wants("GET", "/v2/models/wide/config", "", 200, `"max_batch_size":8`)
	s.wants("GET", "/v2/models/flag/config", "", 200, `"max_batch_size":0`)
}

func TestRequests(t *testing.T) {
	s := start(t, serve.Options{Dir: models(t, map[string]string{"wide": wide}), Control: "none", Priorities: 3})
	x := `{"name":"x","datatype":"FP32","shape":[1,3,1,8],"data":[` + strings.Repeat("1,", 23) + `1]}`
	scale := `{"name":"scale","datatype":"FP32","shape":[1,3,1,1],"data":[1,2,3]}`
	ask := func(inputs, more string, status int, part string) {
		t.Helper()
		s.wants("POST", "/v2/models/wide/infer", `{"inputs":[`+inputs+`]`+more+`}`, status, part)
	}
	ask(x+","+scale, "", 200, `"outputs":[{"name":"y","datatype":"FP32","shape":[1,3,1,8],"data":[1,1,1,1,1,1,1,1,2,`)
	ask(scale+","+x, `,"outputs":[{"name":"total"}],"id":"mine"`, 200, `"outputs":[{"name":"total","datatype":"FP32","shape":[1,1,1,1],"data":[24]}]`)
	ask(scale+","+x, `,"outputs":[{"name":"total"},{"name":"y"}]`, 200, `"outputs":[{"name":"total"`)
	ask(x, "", 400, `the input \"scale\" (FP32[1,3,1,1]) is missing`)
	ask(x+","+x+","+scale, "", 400, `twice`)
	ask(x+","+scale+","+strings.Replace(x, `"x"`, `"z"`, 1), "", 400, `the model has no input \"z\"; its inputs are \"x\" (FP32 [-1 3 -1 8]), \"scale\" (FP32 [1 3 1 1])`)
	ask(strings.Replace(x, "[1,3,1,8]", "[1,3,8,1]", 1)+","+scale, "", 400, `the input \"x\" (FP32[`)
	ask(strings.Replace(x, "FP32", "INT32", 1)+","+scale, "", 400, `is given as INT32[1,3,1,8]`)
	ask(x+","+scale, `,"outputs":[{"name":"z"}]`, 400, `the model has no output \"z\"; its outputs are \"y\"`)
	ask(x+","+scale, `,"outputs":[{"name":"y"},{"name":"y"}]`, 400, `twice`)
	for _, c := range []struct {
		parameter string
		status    int
		part      string
	}{
		{`"priority":1`, 200, ""}, {`"priority":3`, 200, ""}, {`"priority":4`, 400, "the levels are 1, the most urgent, to 3"}, {`"priority":-1`, 400, "a whole number"},
		{`"priority":"high"`, 400, "a whole number"}, {`"timeout":1000000`, 200, ""}, {`"timeout":-5`, 400, "microseconds"}, {`"timeout":18446744073709551615`, 200, ""},
		{`"sequence_id":7,"sequence_start":true`, 200, ""}, {`"sequence_id":"a","sequence_end":true`, 200, ""}, {`"sequence_id":0`, 200, ""},
		{`"sequence_id":1.5`, 400, "a text or a whole number"}, {`"sequence_start":1`, 400, "true or false"}, {`"unknown":1`, 200, ""},
	} {
		ask(x+","+scale, `,"parameters":{`+c.parameter+`}`, c.status, c.part)
	}
}

// TestRefusedModels has models that cannot be served, and says why.
func TestRefusedModels(t *testing.T) {
	dir := models(t, map[string]string{
		"typo":     "graph typo( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = relux(x);\n}",
		"weights":  "graph weights( x ) -> ( y )\n{\n    x = external(shape = [1, 1]);\n    w = variable(shape = [1, 1], label = 'w');\n    y = add(x, w);\n}",
		"manifest": "graph manifest( x ) -> ( y )\n{\n    x = external(shape = [1, 1]);\n    y = relu(x);\n}",
	})
	if err := os.WriteFile(filepath.Join(dir, "manifest/1/concord.json"), []byte(`{"version":2,"inputs":{"z":{"kind":"image"}},"outputs":{}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, serve.Options{Dir: dir, Control: "none"})
	for name, why := range map[string]string{"typo": "relux", "weights": "w.dat", "manifest": `the model has no input \"z\"`} {
		s.wants("POST", "/v2/models/"+name+"/infer", one(0), 503, why)
	}
	s.wants("GET", "/v2/health/ready", "", 503, "")
	s.wants("GET", "/v2/health/live", "", 200, "")
}

// TestAnswer asks as the page does.
func TestAnswer(t *testing.T) {
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none"})
	picture, err := os.ReadFile("../examples/digits/drawings/seven.png")
	if err != nil {
		t.Fatal(err)
	}
	s.wants("POST", "/models/digits/answer", string(picture), 200, `"label": "7"`)
	grey := strings.Repeat("0.5,", 783) + "0.5"
	s.wants("POST", "/models/digits/answer", `{"x": [`+grey+`]}`, 200, `"kind": "classes"`)
	s.wants("POST", "/models/digits/answer", `{"x": [[[`+strings.Repeat("["+strings.Repeat("0,", 27)+"0],", 27)+"["+strings.Repeat("0,", 27)+`0]]]]}`, 200, `"kind": "classes"`)
	for body, part := range map[string]string{
		"": "the body is empty", "rubbish": "no PNG", "RIFFrubbish": "", `{"x": "a"}`: "a list of numbers", `{"x": [[1, 2], [3]]}`: "the shape wants 2 elements", `{"z": [1]}`: `no input \"z\"`,
		`{"x": [1, 2]}`: `\"x\" (FP32[1,1,28,28]) is given as FP32[2]`, `{`: "the name of a member", `{}`: "there is no picture for it",
	} {
		s.wants("POST", "/models/digits/answer", body, 400, part)
	}
	s.wants("POST", "/models/none/answer", "{}", 404, "there is no model")
	s.wants("GET", "/models/digits/answer", "", 405, "this path has POST")
	s.wants("POST", "/metrics", "", 405, "this path has GET, HEAD")
	s.wants("GET", "/models/digits", "", 404, "there is nothing at")
}

func TestOptions(t *testing.T) {
	good := serve.Options{Dir: "."}
	for _, c := range []struct {
		change func(o *serve.Options)
		want   string
	}{
		{func(o *serve.Options) { o.Dir = "" }, "serve: option Dir:"},
		{func(o *serve.Options) { o.Control = "push" }, "serve: option Control:"},
		{func(o *serve.Options) { o.Load = []string{"m"} }, "serve: option Load:"},
		{func(o *serve.Options) { o.Versions = "1,x" }, "serve: option Versions:"},
		{func(o *serve.Options) { o.Metrics = "x" }, "serve: option Metrics:"},
		{func(o *serve.Options) { o.Poll = -1 }, "serve: option Poll: it is -1ns; it must be between 0s and 24h0m0s"},
		{func(o *serve.Options) { o.Batch = 1000 }, "serve: option Batch:"},
		{func(o *serve.Options) { o.Threads = -1 }, "serve: option Threads:"},
		{func(o *serve.Options) { o.Tokens = []string{"a b"} }, "serve: option Tokens:"},
		{func(o *serve.Options) { o.Versions = "all" }, ""},
		{func(o *serve.Options) { o.Versions = "1, 20" }, ""},
	} {
		o := good
		c.change(&o)
		if _, err := serve.New(o); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("got %v; want %s", err, c.want)
		}
	}
	s, err := serve.New(serve.Options{Dir: filepath.Join(t.TempDir(), "none")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a folder that there is not: %v", err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
