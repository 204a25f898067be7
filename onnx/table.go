package onnx

import (
	"sort"
	"strings"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
)

// row is an operator of ONNX: how its versions declare it, and what it means.
type row struct {
	name  string // with the domain in front, unless it is the standard's own: "Conv", "com.microsoft.Gelu"
	forms declarations
	// lower returns the results of a node, as many as the form declares or fewer: those that are not asked for may be nil.
	lower func(c *lowering) []*graph.Value
	// items is lower for operators on sequences and optionals, and those that own graphs.
	items  func(c *lowering) []item
	remark string // what the coverage page says of it; may be empty
}

// families has the rows, family by family. Each stands at the head of its file.
var families []family

// family is a list of rows under one heading.
type family struct {
	name string
	rows []row
}

// ownRows has the rows of the operators of package op: see own.go.
var ownRows []row

// The lists are made here as rows of operators with graphs look up others.
func init() {
	for _, d := range op.All() {
		ownRows = append(ownRows, ownRow(d))
	}
	families = []family{
		elementwiseRows, activationRows, createRows, moveRows, sliceRows, productRows, convRows, poolingRows, quantisedRows,
		microsoftQuantisedRows, resizeRows, regionRows, normalizationRows, recurrentRows, attentionRows, microsoftAttentionRows, rotaryRows,
		convertRows, gatherRows, searchRows, reduceRows, shareRows, einsumRows, signalRows, lossRows, randomRows, controlRows, sequenceRows,
	}
}

// refusals are the operators that are out of scope, and the domains, which end with a point, and why.
var refusals = map[string]string{
	"ImageDecoder": "pictures are decoded before a model, not in it", "RegexFullMatch": stringsOut, "StringConcat": stringsOut, "StringNormalizer": stringsOut,
	"StringSplit": stringsOut, "ai.onnx.ml.": "classical machine learning is not supported", "ai.onnx.preview.training.": "training is not supported",
}

// refusal returns why an operator is out of scope, "" if it is not.
func refusal(domain, op string) string {
	if why, ok := refusals[fullName(domain, op)]; ok {
		return why
	}
	return refusals[domain+"."]
}

const stringsOut = "tensors of strings are not supported"

// table returns all rows by name.
var table = sync.OnceValue(func() map[string]*row {
	out := make(map[string]*row)
	for _, f := range families {
		for i := range f.rows {
			out[f.rows[i].name] = &f.rows[i]
		}
	}
	for i := range ownRows {
		out[ownRows[i].name] = &ownRows[i]
	}
	return out
})

// fullName returns the name of an operator in the table.
func fullName(domain, op string) string {
	if domain == "" || domain == "ai.onnx" {
		return op
	}
	return domain + "." + op
}

// at returns the form that a version of the operator set has, nil if the operator is newer.
func (r *row) at(opset int) *form {
	var f *form
	since := 0
	for _, x := range r.forms() {
		for _, v := range x.since {
			if v <= opset && v > since {
				f, since = x, v
			}
		}
	}
	return f
}

// near returns the names of operators that are written like one that there is not.
func near(name string) string {
	var out []string
	for known := range table() {
		if strings.EqualFold(known, name) || strings.HasSuffix(known, "."+name) {
			out = append(out, known)
		}
	}
	sort.Strings(out)
	if len(out) == 0 {
		return ""
	}
	return "; there is " + strings.Join(out, ", ")
}
