package rpc

import (
	"os"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/wire"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// declared is a field as a .proto file declares it.
type declared struct {
	number int
	name   string
	wire   wire.Type
	list   bool // of numbers
}

func fieldsOf[M any]() []declared {
	var list []declared
	for _, f := range wire.Of[M]().Fields {
		list = append(list, declared{f.Number, f.Name, f.Type, f.List})
	}
	return list
}

// tables has the fields of all messages by their names.
func tables() map[string][]declared {
	none, named, flag := fieldsOf[empty](), fieldsOf[named](), fieldsOf[readiness]()
	load, tensorFields := fieldsOf[repositoryRequest](), fieldsOf[inferTensor]()
	return map[string][]declared{
		"ServerLiveRequest": none, "ServerReadyRequest": none, "ServerMetadataRequest": none, "ModelSequenceBatching": none, "ModelTransactionPolicy": none,
		"RepositoryModelLoadResponse": none, "RepositoryModelUnloadResponse": none,
		"ModelReadyRequest": named, "ModelMetadataRequest": named, "ModelConfigRequest": named, "ModelStatisticsRequest": named,
		"ServerLiveResponse": fieldsOf[liveness](), "ServerReadyResponse": flag, "ModelReadyResponse": flag,
		"ServerMetadataResponse": fieldsOf[serverMetadata](), "ModelMetadataResponse": fieldsOf[modelMetadata](),
		"ModelMetadataResponse.TensorMetadata": fieldsOf[tensorMetadata](),
		"InferParameter":                       fieldsOf[parameter](), "InferTensorContents": fieldsOf[contents](),
		"ModelInferRequest": fieldsOf[inferRequest](), "ModelInferRequest.InferInputTensor": tensorFields,
		"ModelInferRequest.InferRequestedOutputTensor": fieldsOf[requested](),
		"ModelInferResponse":                           fieldsOf[inferResponse](), "ModelInferResponse.InferOutputTensor": tensorFields,
		"ModelStreamInferResponse": fieldsOf[streamResponse](),
		"ModelConfigResponse":      fieldsOf[modelConfigResponse](), "ModelConfig": fieldsOf[modelConfig](), "ModelInput": fieldsOf[configInput](),
		"ModelOutput": fieldsOf[configOutput](), "ModelDynamicBatching": fieldsOf[dynamicBatching](),
		"ModelStatisticsResponse": fieldsOf[statisticsResponse](), "ModelStatistics": fieldsOf[modelStatistics](), "StatisticDuration": fieldsOf[duration](),
		"InferStatistics": fieldsOf[inferStatistics](), "InferBatchStatistics": fieldsOf[batchStatistics](), "MemoryUsage": fieldsOf[memoryUsage](),
		"ModelRepositoryParameter": fieldsOf[loadParameter](),
		"RepositoryIndexRequest":   fieldsOf[indexRequest](), "RepositoryIndexResponse": fieldsOf[indexResponse](),
		"RepositoryIndexResponse.ModelIndex": fieldsOf[modelIndex](),
		"RepositoryModelLoadRequest":         load, "RepositoryModelUnloadRequest": load,
	}
}

var (
	comment = regexp.MustCompile(`//.*`)
	open    = regexp.MustCompile(`^(message|enum|oneof|service) +(\w+) *\{? *(\})?`)
	line    = regexp.MustCompile(`^(repeated +|optional +)?(map *<[^>]*>|[\w.]+) +(\w+) *= *(\d+) *;`)
	method  = regexp.MustCompile(`rpc +(\w+)`)
	value   = regexp.MustCompile(`^(\w+) *= *(\d+) *;`)
)

// parse reads the declarations of a .proto file.
func parse(t *testing.T, name string) (messages map[string][]declared, methods []string, values map[string]int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	wires := map[string]wire.Type{"string": wire.Lengthed, "bytes": wire.Lengthed, "float": wire.Fixed32, "double": wire.Fixed64, "bool": wire.Varint, "int32": wire.Varint,
		"int64": wire.Varint, "uint32": wire.Varint, "uint64": wire.Varint, "DataType": wire.Varint}
	messages, values = make(map[string][]declared), make(map[string]int)
	var path, kinds []string
	for text := range strings.Lines(comment.ReplaceAllString(string(b), "")) {
		text = strings.TrimSpace(text)
		if m := method.FindStringSubmatch(text); m != nil {
			methods = append(methods, m[1])
			continue
		}
		if m := open.FindStringSubmatch(text); m != nil {
			kinds = append(kinds, m[1])
			if m[1] != "oneof" {
				path = append(path, m[2])
			}
			if m[1] == "message" {
				messages[strings.Join(path, ".")] = nil
			}
			if m[3] == "" {
				continue
			}
			text = "}"
		}
		if len(kinds) == 0 {
			continue
		}
		switch kind := kinds[len(kinds)-1]; {
		case text == "}":
			kinds = kinds[:len(kinds)-1]
			if kind != "oneof" {
				path = path[:len(path)-1]
			}
		case kind == "enum":
			if m := value.FindStringSubmatch(text); m != nil {
				values[m[1]], _ = strconv.Atoi(m[2])
			}
		default:
			if m := line.FindStringSubmatch(text); m != nil {
				w, scalar := wires[m[2]]
				if !scalar {
					w = wire.Lengthed
				}
				n, _ := strconv.Atoi(m[4])
				at := strings.Join(path, ".")
				messages[at] = append(messages[at], declared{n, m[3], w, strings.HasPrefix(m[1], "repeated") && w != wire.Lengthed})
			}
		}
	}
	return messages, methods, values
}

// TestProto compares the tables with inference.proto.
func TestProto(t *testing.T) {
	messages, methods, values := parse(t, "inference.proto")
	have := tables()
	for name, want := range messages {
		slices.SortFunc(want, func(a, b declared) int { return a.number - b.number })
		if got, ok := have[name]; !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %v; the file has %v", name, got, want)
		}
	}
	for name := range have {
		if _, ok := messages[name]; !ok {
			t.Errorf("the file does not have %s", name)
		}
	}
	sort.Strings(methods)
	if served := naming.Sorted(new(handler).methods()); !slices.Equal(served, methods) {
		t.Errorf("served are %v; the file has %v", served, methods)
	}
	for d := range tensor.NumDTypes {
		if name := oip.Datatype(tensor.DType(d)); name != "" && int(types[d]) != values["TYPE_"+name] {
			t.Errorf("%s is %d; the file has %d", name, types[d], values["TYPE_"+name])
		}
	}
}

// TestStandard compares inference.proto with files of the protocol and of Triton, which the environment variable CONCORD_OIP_PROTO names, separated as
// folders of PATH are: what is here must be there, as it is here, in one of them.
func TestStandard(t *testing.T) {
	list := os.Getenv("CONCORD_OIP_PROTO")
	if list == "" {
		t.Skip("set CONCORD_OIP_PROTO to .proto files of the protocol to compare with them")
	}
	there := make(map[string][]declared)
	var methods []string
	for name := range strings.SplitSeq(list, string(os.PathListSeparator)) {
		messages, m, _ := parse(t, name)
		for path, fields := range messages {
			there[path] = append(there[path], fields...)
		}
		methods = append(methods, m...)
	}
	here, served, _ := parse(t, "inference.proto")
	for path, fields := range here {
		for _, f := range fields {
			if !slices.Contains(there[path], f) {
				t.Errorf("%s: %v; there is %v", path, f, there[path])
			}
		}
	}
	for _, m := range served {
		if !slices.Contains(methods, m) {
			t.Errorf("there is no method %s", m)
		}
	}
}
