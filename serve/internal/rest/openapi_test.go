package rest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve/internal/rest"
)

var openapi = flag.String("openapi", "", "the protocol's OpenAPI `file`, as JSON, whose schemas are taken in place of those below: "+
	"github.com/kserve/open-inference-protocol, specification/protocol/open_inference_rest.yaml, converted by npx js-yaml")

// schema is as much of a schema of OpenAPI as the protocol's file uses.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	AnyOf      []*schema          `json:"anyOf"`
	Additional *schema            `json:"additionalProperties"`
}

type schemas map[string]*schema

// check returns what is wrong with a value, empty if nothing is.
func (all schemas) check(s *schema, value any, at string) string {
	if s.Ref != "" {
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		if s = all[name]; s == nil {
			return at + ": there is no schema " + name
		}
	}
	if len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, func(one *schema) bool { return all.check(one, value, at) == "" }) {
		return at + ": it is none of those that it can be"
	}
	var is string
	switch v := value.(type) {
	case map[string]any:
		is = "object"
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return at + ": it lacks " + name
			}
		}
		for name, member := range v {
			of := s.Properties[name]
			if of == nil {
				of = s.Additional
			}
			if of == nil {
				continue
			}
			if wrong := all.check(of, member, at+"."+name); wrong != "" {
				return wrong
			}
		}
	case []any:
		is = "array"
		for i, item := range v {
			if s.Items == nil {
				break
			}
			if wrong := all.check(s.Items, item, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
	case string:
		is = "string"
	case bool:
		is = "boolean"
	case float64:
		is = "number"
		if s.Type == "integer" && v == math.Trunc(v) {
			is = "integer"
		}
	}
	if s.Type != "" && s.Type != is {
		return fmt.Sprintf("%s: it is %q, not %q", at, is, s.Type)
	}
	return ""
}

// facts are what the protocol says of its answers, and Triton's extensions of theirs.
const facts = `{
	"name":                      {"type": "string"},
	"names":                     {"type": "array", "items": {"type": "string"}},
	"numbers":                   {"type": "array", "items": {"type": "integer"}},
	"data":                      {"type": "array", "items": {"anyOf": [{"$ref": "data"}, {"type": "number"}, {"type": "string"}, {"type": "boolean"}]}},
	"metadata_server_response":  {"type": "object", "required": ["name", "version", "extensions"],
	                              "properties": {"name": {"$ref": "name"}, "version": {"$ref": "name"}, "extensions": {"$ref": "names"}}},
	"metadata_model_response":   {"type": "object", "required": ["name", "platform", "inputs", "outputs"], "properties": {"name": {"$ref": "name"},
	                              "platform": {"$ref": "name"}, "versions": {"$ref": "names"}, "inputs": {"$ref": "tensors"}, "outputs": {"$ref": "tensors"}}},
	"tensors":                   {"type": "array", "items": {"type": "object", "required": ["name", "datatype", "shape"],
	                              "properties": {"name": {"$ref": "name"}, "datatype": {"$ref": "name"}, "shape": {"$ref": "numbers"}}}},
	"inference_response":        {"type": "object", "required": ["model_name", "outputs"], "properties": {"model_name": {"$ref": "name"},
	                              "model_version": {"$ref": "name"}, "id": {"$ref": "name"}, "parameters": {"type": "object"},
	                              "outputs": {"type": "array", "items": {"$ref": "response_output"}}}},
	"response_output":           {"type": "object", "required": ["name", "shape", "datatype", "data"], "properties": {"name": {"$ref": "name"},
	                              "shape": {"$ref": "numbers"}, "datatype": {"$ref": "name"}, "parameters": {"type": "object"}, "data": {"$ref": "data"}}},
	"inference_error_response":  {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
}`

// TestOpenAPI holds answers to the schemas of the protocol.
func TestOpenAPI(t *testing.T) {
	all := make(schemas)
	if err := json.Unmarshal([]byte(facts), &all); err != nil {
		t.Fatal(err)
	}
	h := rest.New(&fake{ready: true}, rest.Options{})
	if *openapi != "" {
		text, err := os.ReadFile(*openapi)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Paths      map[string]map[string]json.RawMessage
			Components struct{ Schemas schemas }
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		all = file.Components.Schemas
		for path, methods := range file.Paths {
			path = strings.NewReplacer("${MODEL_NAME}", "echo", "${MODEL_VERSION}", "3").Replace(path)
			for _, method := range []string{"get", "post"} {
				if methods[method] == nil {
					continue
				}
				if w := ask(h, strings.ToUpper(method), path, `{"inputs":[]}`); w.Code != http.StatusOK {
					t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
				}
			}
		}
	}
	check := func(name, request, answer string) {
		var value any
		if err := json.Unmarshal([]byte(answer), &value); err != nil {
			t.Errorf("%s: %v", request, err)
		} else if all[name] == nil {
			t.Errorf("there is no schema %s", name)
		} else if wrong := all.check(all[name], value, name); wrong != "" {
			t.Errorf("%s: %s\n%s", request, wrong, answer)
		}
	}
	for _, e := range exchanges {
		w := ask(h, e.method, e.path, e.body)
		switch parts := strings.Split(strings.Trim(e.path, "/"), "/"); {
		case w.Code != http.StatusOK:
			check("inference_error_response", e.path, w.Body.String())
		case len(parts) == 1:
			check("metadata_server_response", e.path, w.Body.String())
		case parts[1] == "models" && parts[2] != "stats" && (len(parts) == 3 || len(parts) == 5 && parts[3] == "versions"):
			check("metadata_model_response", e.path, w.Body.String())
		}
	}
	for _, c := range inferences {
		check("inference_response", c.request, ask(h, "POST", "/v2/models/echo/infer", c.request).Body.String())
	}
	for _, m := range mistakes {
		check("inference_error_response", m.request, ask(h, "POST", "/v2/models/echo/infer", m.request).Body.String())
	}
}
