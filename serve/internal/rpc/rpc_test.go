package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/wire"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/h2"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// fake answers like a server with one model, echo, of version 3, which yields its inputs.
type fake struct {
	ready bool
	last  *oip.Request
	calls []string
}

func (f *fake) Live() bool  { return true }
func (f *fake) Ready() bool { return f.ready }

func (f *fake) Server() oip.ServerMetadata {
	return oip.ServerMetadata{Name: "concord", Version: "1", Extensions: []string{"statistics"}}
}

func (f *fake) known(name, version string) error {
	if name != "echo" || version != "" && version != "3" {
		return oip.Errorf(oip.NotFound, "there is no model %q of version %q", name, version)
	}
	return nil
}

func (f *fake) ModelReady(name, version string) (bool, error) { return f.ready, f.known(name, version) }

func (f *fake) Model(name, version string) (*oip.ModelMetadata, error) {
	if err := f.known(name, version); err != nil {
		return nil, err
	}
	return &oip.ModelMetadata{Name: name, Versions: []string{"2", "3"}, Platform: "nnef",
		Inputs: []oip.TensorMetadata{{Name: "x", Datatype: "FP32", Shape: []int64{-1, 2}}}, Outputs: []oip.TensorMetadata{{Name: "y", Datatype: "BF16"}}}, nil
}

func (f *fake) Config(name, version string) (*oip.ModelConfig, error) {
	m, err := f.Model(name, version)
	if err != nil {
		return nil, err
	}
	return &oip.ModelConfig{Name: name, Platform: "nnef", Inputs: m.Inputs, Outputs: m.Outputs, MaxBatchSize: 8, PreferredBatch: []int64{4, 8},
		MaxQueueDelay: 100 * time.Microsecond, PriorityLevels: 2, DefaultPriority: 1, Sequences: version == "3"}, nil
}

func (f *fake) Statistics(name, version string) ([]oip.ModelStatistics, error) {
	if err := f.known(name, version); name != "" && err != nil {
		return nil, err
	}
	d := oip.Duration{Count: 2, Took: 3}
	return []oip.ModelStatistics{{Name: "echo", Version: "3", LastInference: time.UnixMilli(1234), InferenceCount: 5, ExecutionCount: 2, Success: d, Memory: 7,
		Batches: []oip.BatchStatistics{{Size: 4, Infer: d}}}}, nil
}

func (f *fake) Index(ready bool) ([]oip.IndexEntry, error) {
	if ready {
		return nil, nil
	}
	return []oip.IndexEntry{{Name: "echo", Version: "3", State: oip.ReadyState, Reason: "why not"}}, nil
}

func (f *fake) Load(_ context.Context, name string) error {
	f.calls = append(f.calls, "load "+name)
	return f.known(name, "")
}

func (f *fake) Unload(_ context.Context, name string) error {
	f.calls = append(f.calls, "unload "+name)
	return f.known(name, "")
}

// Infer yields the inputs; of the models with the names of codes it fails with these.
func (f *fake) Infer(ctx context.Context, r *oip.Request) (*oip.Response, error) {
	if code, err := strconv.Atoi(r.Model); err == nil {
		if code == oip.NumCodes {
			return nil, errors.New("/a/secret/path")
		}
		return nil, oip.Errorf(oip.Code(code), "failed as %d", code)
	}
	if r.Model == "wait" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := f.known(r.Model, r.Version); err != nil {
		return nil, err
	}
	f.last = r
	return &oip.Response{Model: r.Model, Version: "3", ID: r.ID, Parameters: r.Parameters, Outputs: r.Inputs}, nil
}

// serve starts a server and returns what calls its methods by their paths.
func serve(t testing.TB, f *fake, opts Options) *client {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	s := &http.Server{Handler: New(context.Background(), f, opts), Protocols: &p}
	h2.Configure(s)
	go func() { _ = s.Serve(l) }()
	tr := &http.Transport{Protocols: &p}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		_ = s.Close()
	})
	return &client{"http://" + l.Addr().String(), &http.Client{Transport: tr}}
}

type client struct {
	url string
	c   *http.Client
}

// send calls a method with messages and returns those of the answer, and its status.
func (c *client) send(t testing.TB, path string, messages ...[]byte) (answers [][]byte, code grpc.Code, message string) {
	t.Helper()
	var body bytes.Buffer
	for _, m := range messages {
		body.Write(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(m))))
		body.Write(m)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	resp, err := c.c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for len(all) > 0 {
		n := binary.BigEndian.Uint32(all[1:])
		answers, all = append(answers, all[5:5+n]), all[5+n:]
	}
	from := resp.Trailer
	if resp.Header.Get("Grpc-Status") != "" {
		from = resp.Header
	}
	n, err := strconv.Atoi(from.Get("Grpc-Status"))
	if err != nil {
		t.Fatal(err)
	}
	return answers, grpc.Code(n), from.Get("Grpc-Message")
}

const inference = "/inference.GRPCInferenceService/"

func encode[M any](m *M) []byte { return wire.Measure(m).Bytes() }

func get[M any](t testing.TB, b []byte) *M {
	t.Helper()
	m := new(M)
	if err := wire.Decode(m, b, wire.Bounds{Depth: 10, Memory: 1 << 20, UTF8: true}); err != nil {
		t.Fatal(err)
	}
	return m
}

// ask calls a method with a message and returns the answer.
func ask[A, Q any](t testing.TB, c *client, path string, q *Q) *A {
	t.Helper()
	answers, code, message := c.send(t, path, encode(q))
	if code != 0 || len(answers) != 1 {
		t.Fatalf("%s: %d answers, %d: %s", path, len(answers), code, message)
	}
	return get[A](t, answers[0])
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v; want %+v", what, got, want)
	}
}

// TestAbout asks everything about a server and its models.
func TestAbout(t *testing.T) {
	f := &fake{ready: true}
	c := serve(t, f, Options{})
	want(t, "live", ask[liveness](t, c, inference+"ServerLive", &empty{}), &liveness{true})
	want(t, "ready", ask[readiness](t, c, inference+"ServerReady", &empty{}), &readiness{true})
	echo := &named{"echo", "3"}
	want(t, "model ready", ask[readiness](t, c, inference+"ModelReady", echo), &readiness{true})
	want(t, "server", ask[serverMetadata](t, c, inference+"ServerMetadata", &empty{}), &serverMetadata{"concord", "1", []string{"statistics"}})
	want(t, "model", ask[modelMetadata](t, c, inference+"ModelMetadata", echo), &modelMetadata{"echo", "nnef", []string{"2", "3"},
		[]*tensorMetadata{{"x", "FP32", []int64{-1, 2}}}, []*tensorMetadata{{"y", "BF16", nil}}})
	config := &modelConfig{name: "echo", platform: "nnef", batch: 8, inputs: []*configInput{{"x", 11, []int64{-1, 2}}}, outputs: []*configOutput{{"y", 14, nil}},
		sequences: &empty{}, transactionPolicy: &empty{}}
	want(t, "config", ask[modelConfigResponse](t, c, inference+"ModelConfig", echo).config, config)
	config.sequences, config.batching = nil, &dynamicBatching{[]int32{4, 8}, 100, 2, 1}
	want(t, "config", ask[modelConfigResponse](t, c, inference+"ModelConfig", &named{name: "echo"}).config, config)
	none, d := &duration{}, &duration{2, 3}
	want(t, "statistics", ask[statisticsResponse](t, c, inference+"ModelStatistics", &named{}).models, []*modelStatistics{{"echo", "3", 1234, 5, 2,
		&inferStatistics{d, none, none, none, none, none}, []*batchStatistics{{4, none, d, none}}, []*memoryUsage{{"CPU", 0, 7}}}})
	want(t, "index", ask[indexResponse](t, c, inference+"RepositoryIndex", &indexRequest{}).models,
		[]*modelIndex{{"echo", "3", "READY", "why not"}})
	want(t, "ready models", len(ask[indexResponse](t, c, inference+"RepositoryIndex", &indexRequest{ready: true}).models), 0)
	ask[empty](t, c, inference+"RepositoryModelLoad", &repositoryRequest{model: "echo"})
	ask[empty](t, c, inference+"RepositoryModelUnload", &repositoryRequest{model: "echo", parameters: []*loadEntry{{"unload_dependents", &loadParameter{true}}}})
	want(t, "calls", f.calls, []string{"load echo", "unload echo"})

	for path, b := range map[string][]byte{
		"ModelReady": encode(&named{name: "none"}), "ModelMetadata": encode(&named{"echo", "9"}),
		"ModelConfig": encode(&named{}), "ModelStatistics": encode(&named{name: "none"}),
		"RepositoryModelLoad": encode(&repositoryRequest{model: "none"}), "RepositoryModelUnload": encode(&repositoryRequest{}),
	} {
		if _, code, message := c.send(t, inference+path, b); code != grpc.NotFound || !strings.Contains(message, "there is no model") {
			t.Errorf("%s: %d, %s", path, code, message)
		}
	}
	load := &repositoryRequest{model: "echo", parameters: []*loadEntry{{"file:1/model.onnx", &loadParameter{"x"}}}}
	if _, code, _ := c.send(t, inference+"RepositoryModelLoad", encode(load)); code != grpc.Unimplemented {
		t.Errorf("files by gRPC: %d", code)
	}
	for _, path := range []string{inference + "SystemSharedMemoryStatus", inference + "LogSettings", "/grpc.health.v1.Health/None", "/"} {
		if _, code, _ := c.send(t, path, nil); code != grpc.Unimplemented {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// TestHealth asks what Kubernetes asks.
func TestHealth(t *testing.T) {
	f := &fake{ready: true}
	c := serve(t, f, Options{})
	for service, status := range map[string]int32{"": 1, "inference.GRPCInferenceService": 1, "readiness": 1, "liveness": 1} {
		want(t, service, ask[healthResponse](t, c, "/grpc.health.v1.Health/Check", &healthRequest{service}).status, status)
	}
	f.ready = false
	for service, status := range map[string]int32{"": 2, "inference.GRPCInferenceService": 2, "readiness": 2, "liveness": 1} {
		want(t, service, ask[healthResponse](t, c, "/grpc.health.v1.Health/Check", &healthRequest{service}).status, status)
	}
	if _, code, _ := c.send(t, "/grpc.health.v1.Health/Check", encode(&healthRequest{"none"})); code != grpc.NotFound {
		t.Errorf("a service that there is not: %d", code)
	}
}

// raw is a request for echo with one input.
func raw(datatype string, shape []int64, data []byte) *inferRequest {
	return &inferRequest{model: "echo", inputs: []*inferTensor{{name: "x", datatype: datatype, shape: shape}}, raw: [][]byte{data}}
}

// typed is a request for echo with one input whose elements stand in contents.
func typed(datatype string, shape []int64, c contents) *inferRequest {
	return &inferRequest{model: "echo", inputs: []*inferTensor{{name: "x", datatype: datatype, shape: shape, contents: &c}}}
}

// TestInfer sends elements of every type in both forms.
func TestInfer(t *testing.T) {
	f := &fake{}
	c := serve(t, f, Options{})
	for _, r := range []struct {
		datatype string
		contents contents
		raw      string
	}{
		{"BOOL", contents{bools: []bool{true, false}}, "\x01\x00"},
		{"INT8", contents{ints: []int32{-1, 127}}, "\xFF\x7F"},
		{"INT16", contents{ints: []int32{-2, 32767}}, "\xFE\xFF\xFF\x7F"},
		{"INT32", contents{ints: []int32{-2, 1}}, "\xFE\xFF\xFF\xFF\x01\x00\x00\x00"},
		{"INT64", contents{int64s: []int64{-2, 1}}, "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"UINT8", contents{uints: []uint32{255, 1}}, "\xFF\x01"},
		{"UINT16", contents{uints: []uint32{65535, 1}}, "\xFF\xFF\x01\x00"},
		{"UINT32", contents{uints: []uint32{1 << 31, 1}}, "\x00\x00\x00\x80\x01\x00\x00\x00"},
		{"UINT64", contents{uint64s: []uint64{1 << 63, 1}}, "\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"FP32", contents{floats: []float32{1, -2}}, "\x00\x00\x80\x3F\x00\x00\x00\xC0"},
		{"FP64", contents{doubles: []float64{1, -2}}, "\x00\x00\x00\x00\x00\x00\xF0\x3F\x00\x00\x00\x00\x00\x00\x00\xC0"},
		{"FP16", contents{}, "\x00\x3C\x00\xC0"},
		{"BF16", contents{}, "\x80\x3F\x00\xC0"},
	} {
		a := ask[inferResponse](t, c, inference+"ModelInfer", raw(r.datatype, []int64{1, 2}, []byte(r.raw)))
		want(t, r.datatype, a, &inferResponse{model: "echo", version: "3", outputs: []*inferTensor{{name: "x", datatype: r.datatype, shape: []int64{1, 2}}}, raw: [][]byte{[]byte(r.raw)}})
		if got := f.last.Inputs[0].Data; oip.Datatype(got.DType()) != r.datatype || string(tensor.AppendRaw(nil, got)) != r.raw {
			t.Errorf("%s: %v", r.datatype, got)
		}
		if r.contents.count() == 0 {
			if _, code, message := c.send(t, inference+"ModelInfer", encode(typed(r.datatype, []int64{1, 2}, contents{}))); code != grpc.InvalidArgument ||
				!strings.Contains(message, "raw_input_contents alone") {
				t.Errorf("%s in contents: %d, %s", r.datatype, code, message)
			}
			continue
		}
		a = ask[inferResponse](t, c, inference+"ModelInfer", typed(r.datatype, []int64{1, 2}, r.contents))
		want(t, r.datatype, a, &inferResponse{model: "echo", version: "3",
			outputs: []*inferTensor{{name: "x", datatype: r.datatype, shape: []int64{1, 2}, contents: &r.contents}}})
		if got := f.last.Inputs[0].Data; oip.Datatype(got.DType()) != r.datatype || string(tensor.AppendRaw(nil, got)) != r.raw {
			t.Errorf("%s: %v", r.datatype, got)
		}
	}
	a := ask[inferResponse](t, c, inference+"ModelInfer", raw("FP32", []int64{0, 5}, nil))
	want(t, "no elements", a.outputs[0].shape, []int64{0, 5})
	a = ask[inferResponse](t, c, inference+"ModelInfer", raw("INT8", nil, []byte{1}))
	want(t, "a number", len(a.outputs[0].shape), 0)
}

// TestParameters sends what goes with a request.
func TestParameters(t *testing.T) {
	f := &fake{}
	c := serve(t, f, Options{})
	q := raw("INT8", []int64{1}, []byte{1})
	q.version, q.id = "3", "17"
	q.parameters = []*entry{{"b", &parameter{false}}, {"d", &parameter{math.Inf(1)}}, {"i", &parameter{int64(-1)}}, {"s", &parameter{""}}, {"u", &parameter{uint64(1 << 63)}}}
	q.inputs[0].parameters = []*entry{{"k", &parameter{"v"}}}
	q.outputs = []*requested{{"x", []*entry{{"k", &parameter{"1"}}, {"k", &parameter{"2"}}}}}
	a := ask[inferResponse](t, c, inference+"ModelInfer", q)
	want(t, "id", a.id, "17")
	want(t, "parameters", a.parameters, q.parameters)
	want(t, "of a request", f.last.Parameters, oip.Parameters{"b": false, "d": math.Inf(1), "i": int64(-1), "s": "", "u": uint64(1 << 63)})
	want(t, "of an input", f.last.Inputs[0].Parameters, oip.Parameters{"k": "v"})
	want(t, "outputs", f.last.Outputs, []oip.Requested{{Name: "x", Parameters: oip.Parameters{"k": "2"}}})

	// A value that stands there twice is the last one.
	b := get[entry](t, []byte("\x0A\x01k\x12\x04\x08\x01\x10\x05"))
	want(t, "the last of alternatives", b, &entry{"k", &parameter{int64(5)}})
}

// TestRefused holds requests that cannot be answered to an error that says why.
func TestRefused(t *testing.T) {
	c := serve(t, &fake{}, Options{})
	one := []int64{1}
	many := func(n int) *inferRequest {
		q := &inferRequest{model: "echo"}
		for i := range n {
			q.inputs = append(q.inputs, &inferTensor{name: strconv.Itoa(i), datatype: "INT8", shape: []int64{0}})
		}
		return q
	}
	outputs := raw("INT8", one, []byte{1})
	for i := range limits.ServeTensors + 1 {
		outputs.outputs = append(outputs.outputs, &requested{name: strconv.Itoa(i)})
	}
	with := func(change func(q *inferRequest)) []byte {
		q := raw("INT8", one, []byte{1})
		change(q)
		return encode(q)
	}
	for name, r := range map[string]struct {
		message []byte
		code    grpc.Code
		want    string
	}{
		"inputs":               {encode(many(limits.ServeTensors + 1)), grpc.InvalidArgument, "1025 inputs"},
		"outputs":              {encode(outputs), grpc.InvalidArgument, "asks for 1025 outputs"},
		"raw contents":         {with(func(q *inferRequest) { q.raw = append(q.raw, nil) }), grpc.InvalidArgument, "2 raw_input_contents for 1 inputs"},
		"both":                 {with(func(q *inferRequest) { q.inputs[0].contents = &contents{ints: []int32{1}} }), grpc.InvalidArgument, "both contents and"},
		"twice":                {with(func(q *inferRequest) { q.inputs, q.raw = append(q.inputs, q.inputs[0]), append(q.raw, q.raw[0]) }), grpc.InvalidArgument, `the input "x" is there twice`},
		"output twice":         {with(func(q *inferRequest) { q.outputs = []*requested{{name: "y"}, {name: "y"}} }), grpc.InvalidArgument, `the output "y" is there twice`},
		"no value":             {with(func(q *inferRequest) { q.parameters = []*entry{{"k", nil}} }), grpc.InvalidArgument, `the parameter "k" of the request has no value`},
		"no value of an input": {with(func(q *inferRequest) { q.inputs[0].parameters = []*entry{{"k", &parameter{}}} }), grpc.InvalidArgument, "of the input"},
		"shared memory": {with(func(q *inferRequest) {
			q.outputs = []*requested{{"y", []*entry{{"shared_memory_region", &parameter{"r"}}}}}
		}), grpc.Unimplemented, "shared_memory_region"},
		"parameters":   {with(func(q *inferRequest) { q.parameters = make([]*entry, limits.ServeParameters+1) }), grpc.InvalidArgument, "129 parameters"},
		"datatype":     {encode(raw("BYTES", one, []byte{1})), grpc.InvalidArgument, `the datatype "BYTES"`},
		"rank":         {encode(raw("INT8", make([]int64, tensor.MaxRank+1), nil)), grpc.InvalidArgument, "17 extents"},
		"open extent":  {encode(raw("INT8", []int64{-1}, []byte{1})), grpc.InvalidArgument, "the extent -1"},
		"huge shape":   {encode(raw("INT8", []int64{1 << 40, 1 << 40}, []byte{1})), grpc.InvalidArgument, "1099511627776"},
		"few bytes":    {encode(raw("FP32", one, []byte{1})), grpc.InvalidArgument, "x"},
		"many bytes":   {encode(raw("INT8", one, []byte{1, 2})), grpc.InvalidArgument, "x"},
		"no bool":      {encode(raw("BOOL", one, []byte{2})), grpc.InvalidArgument, "x"},
		"few elements": {encode(typed("FP32", []int64{2}, contents{floats: []float32{1}})), grpc.InvalidArgument, "1 elements"},
		"no contents":  {encode(typed("FP32", []int64{2}, contents{})), grpc.InvalidArgument, "0 elements"},
		"other field":  {encode(typed("FP32", nil, contents{floats: []float32{1}, ints: []int32{1}})), grpc.InvalidArgument, "stand in fp32_contents; there are others"},
		"wrong field":  {encode(typed("FP32", one, contents{ints: []int32{1}})), grpc.InvalidArgument, "stand in fp32_contents; there are others"},
		"too large":    {encode(typed("INT8", one, contents{ints: []int32{128}})), grpc.InvalidArgument, "element 0 is 128"},
		"below zero":   {encode(typed("INT8", one, contents{ints: []int32{-129}})), grpc.InvalidArgument, "element 0 is -129"},
		"wide uint":    {encode(typed("UINT16", one, contents{uints: []uint32{65536}})), grpc.InvalidArgument, "element 0 is 65536"},

		"cut message": {[]byte("\x0A\x05ec"), grpc.InvalidArgument, "model_name"},
		"wire type":   {[]byte("\x08\x05"), grpc.InvalidArgument, "model_name"},
		"no UTF-8":    {[]byte("\x0A\x01\xFF"), grpc.InvalidArgument, "UTF-8"},
		"group":       {[]byte("\x7B\x7C"), grpc.InvalidArgument, "a group"},
		"unknown":     {append([]byte("\x78\x05\x7D1234\x7A\x01x"), with(func(*inferRequest) {})...), grpc.OK, ""},
	} {
		_, code, message := c.send(t, inference+"ModelInfer", r.message)
		if code != r.code || !strings.Contains(message, r.want) {
			t.Errorf("%s: %d, %s; want %d, …%s…", name, code, message, r.code, r.want)
		}
	}
	if _, code, message := c.send(t, inference+"ModelInfer", encode(many(limits.ServeTensors))); code != 0 {
		t.Errorf("as many inputs as are allowed: %s", message)
	}
}

// TestGrowth holds small messages to memory that has to do with their size.
func TestGrowth(t *testing.T) {
	small := bytes.Repeat([]byte("\x2A\x00"), 100)       // inputs without anything
	large := bytes.Repeat([]byte("\x2A\x00"), 1_000_000) // so many that their bytes pay for little
	if _, err := decode[inferRequest](small); err != nil {
		t.Error(err)
	}
	if _, err := decode[inferRequest](large); err == nil || !strings.Contains(err.Error(), "bytes of memory") {
		t.Errorf("a million messages in two: %v", err)
	}
}

// TestForms reads numbers that stand together and those that do not.
func TestForms(t *testing.T) {
	for name, b := range map[string]string{"packed": "\x0A\x02\x01\x00\x32\x08\x00\x00\x80\x3F\x00\x00\x00\x40", "one by one": "\x08\x01\x08\x00\x35\x00\x00\x80\x3F\x35\x00\x00\x00\x40"} {
		want(t, name, get[contents](t, []byte(b)), &contents{bools: []bool{true, false}, floats: []float32{1, 2}})
	}
}

// TestCodes holds each kind of failure to a status, and the text of the server's own to staying there.
func TestCodes(t *testing.T) {
	c := serve(t, &fake{}, Options{})
	for code, status := range map[oip.Code]grpc.Code{
		oip.Internal: 13, oip.InvalidArgument: 3, oip.NotFound: 5, oip.TooLarge: 8, oip.Exhausted: 14, oip.NotReady: 14, oip.DeadlineExceeded: 4, oip.Canceled: 1,
		oip.Unauthenticated: 16, oip.PermissionDenied: 7, oip.Unimplemented: 12, oip.Code(oip.NumCodes): 13,
	} {
		q := raw("INT8", []int64{1}, []byte{1})
		q.model = strconv.Itoa(int(code))
		_, got, message := c.send(t, inference+"ModelInfer", encode(q))
		text := "failed as " + q.model
		if int(code) == oip.NumCodes {
			text = "the server failed"
		}
		if got != status || message != text {
			t.Errorf("%d: %d, %s; want %d", code, got, message, status)
		}
	}
}

// TestFailed reads back what a call was answered with.
func TestFailed(t *testing.T) {
	for code := range oip.Code(oip.NumCodes) {
		w := httptest.NewRecorder()
		Fail(w, oip.Errorf(code, "100 %% ü"))
		err, ok := errors.AsType[*oip.Error](Failed(w.Header()))
		if code == oip.NotReady {
			code = oip.Exhausted // which has the same status
		}
		if !ok || err.Code != code || err.Message != "100 % ü" {
			t.Errorf("%v comes back as %v", code, err)
		}
	}
	for status, want := range map[string]error{"": nil, "0": nil, "2": &oip.Error{Message: "m"}, "1": &oip.Error{Code: oip.Canceled, Message: "m"}} {
		h := http.Header{http.TrailerPrefix + "Grpc-Status": {status}, http.TrailerPrefix + "Grpc-Message": {"m"}}
		if err := Failed(h); !reflect.DeepEqual(err, want) {
			t.Errorf("the status %q is %v", status, err)
		}
	}
}

// TestStreamInfer holds requests of a stream to their answers in order, of which failures are some.
func TestStreamInfer(t *testing.T) {
	c := serve(t, &fake{}, Options{})
	var messages [][]byte
	for i := range 5 {
		q := raw("INT8", []int64{1}, []byte{byte(i)})
		q.id = strconv.Itoa(i)
		if i == 2 {
			q.model = "none"
		}
		messages = append(messages, encode(q))
	}
	answers, code, message := c.send(t, inference+"ModelStreamInfer", messages...)
	if code != 0 || len(answers) != 5 {
		t.Fatalf("%d answers, %d: %s", len(answers), code, message)
	}
	for i, b := range answers {
		a := get[streamResponse](t, b)
		if i == 2 {
			if !strings.Contains(a.message, "there is no model") || a.response.id != "2" {
				t.Errorf("%+v", a)
			}
		} else if a.message != "" || a.response.id != strconv.Itoa(i) || a.response.raw[0][0] != byte(i) {
			t.Errorf("%d: %+v", i, a)
		}
	}
	if _, code, _ := c.send(t, inference+"ModelStreamInfer", []byte("\x08")); code != grpc.InvalidArgument {
		t.Errorf("no message: %d", code)
	}
}
