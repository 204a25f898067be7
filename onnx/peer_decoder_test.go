package onnx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// TestPeerDecoder generates some tokens by small decoders as onnxruntime-genai and Optimum write them, in ONNX Runtime and here, each with its own cache.
func TestPeerDecoder(t *testing.T) {
	runtime := peer.Find(t)
	all := []*decoder{{codes: true}, {room: 12, packed: true, batch: 2}, {packed: true}, {places: true}, {room: 12}}
	if testing.Short() {
		all = all[:1]
	}
	for _, d := range all {
		t.Run(fmt.Sprintf("%+v", *d), func(t *testing.T) { d.compare(t, runtime) })
	}
}

// The extents of the decoders.
const (
	decoderWidth, decoderHeads, decoderCaches, decoderSize   = 32, 4, 2, 16
	decoderInner, decoderWords, decoderPlaces, decoderLayers = 48, 20, 16, 2
)

// decoder says how a decoder is written.
type decoder struct {
	packed bool // queries, keys and values are made by one product
	places bool // there are position_ids
	codes  bool // embeddings are codes of 4 bits
	room   int  // of caches that do not grow; 0 for such as grow
	batch  int  // 0 for 1
}

func (d *decoder) compare(t *testing.T, runtime *peer.Runtime) {
	batch := max(d.batch, 1)
	m := d.model()
	ours := runs(m)
	caches := [2]model.Values{d.empty(batch), d.empty(batch)}
	known := 0
	for step, tokens := range [][]int64{{3, 1, 4}, {1}, {5}, {9}, {2}} {
		given := func(caches model.Values) model.Values {
			in := model.Values{"input_ids": array([]int{batch, len(tokens)}, slices.Repeat(tokens, batch)...),
				"attention_mask": array([]int{batch, known + len(tokens)}, slices.Repeat([]int64{1}, batch*(known+len(tokens)))...)}
			if d.places {
				var list []int64
				for i := range tokens {
					list = append(list, int64(known+i))
				}
				in["position_ids"] = array([]int{batch, len(tokens)}, slices.Repeat(list, batch)...)
			}
			for name, x := range caches {
				in[name] = x
			}
			return in
		}
		theirs := runtime.Run(t, []peer.Case{{Model: m, Inputs: given(caches[1])}}, peer.AsWritten)[0]
		if theirs.Error != "" {
			t.Fatalf("step %d: ONNX Runtime: %s", step, theirs.Error)
		}
		out, err := ours(given(caches[0]), engine.Options{Threads: 1})
		if err == nil {
			err = peer.Compare(m.Graph, out, theirs.Outputs, peer.Tolerance{Loose: 100})
		}
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		for i, results := range []model.Values{out, theirs.Outputs} {
			for l := range decoderLayers {
				for _, kind := range []string{"key", "value"} {
					caches[i][fmt.Sprintf("past_key_values.%d.%s", l, kind)] = results[fmt.Sprintf("present.%d.%s", l, kind)]
				}
			}
		}
		known += len(tokens)
	}
}

// empty returns caches that hold nothing.
func (d *decoder) empty(batch int) model.Values {
	out := make(model.Values)
	for l := range decoderLayers {
		for _, kind := range []string{"key", "value"} {
			out[fmt.Sprintf("past_key_values.%d.%s", l, kind)] = must(tensor.New(tensor.Float32, tensor.Shape{batch, decoderCaches, d.room, decoderSize}))
		}
	}
	return out
}

func (d *decoder) model() *proto.Model {
	r := rand.New(rand.NewPCG(1, 2))
	g := graphOf("input_ids: int64[batch,new], attention_mask: int64[batch,total] -> logits")
	if d.places {
		g.Input = append(g.Input, infos("position_ids: int64[batch,new]")...)
	}
	numbers := func(name string, scale float32, shape ...int) {
		list := make([]float32, tensor.Shape(shape).Len())
		for i := range list {
			list[i] = scale * (2*r.Float32() - 1)
		}
		stored(g, name, shape, list...)
	}
	bytes := func(name string, shape ...int) {
		list := make([]uint8, tensor.Shape(shape).Len())
		for i := range list {
			list[i] = uint8(r.Uint32())
		}
		stored(g, name, shape, list...)
	}
	add := func(n ...*proto.Node) { g.Node = append(g.Node, n...) }
	product := func(x, y string, inner, outer int) {
		blocks := (inner + 15) / 16
		bytes(y+".codes", outer, blocks, 8)
		numbers(y+".scales", 0.03, outer, blocks)
		add(node("com.microsoft.MatMulNBits", x+", "+y+".codes, "+y+".scales -> "+y, "K", inner, "N", outer, "block_size", 16, "bits", 4))
	}

	numbers("cos", 1, decoderPlaces, decoderSize/2)
	numbers("sin", 1, decoderPlaces, decoderSize/2)
	stored(stored(stored(g, "one", nil, int64(1)), "axes", []int{1}, int64(1)), "norm", []int{decoderWidth}, slices.Repeat([]float32{1}, decoderWidth)...)
	add(node("ReduceSum", "attention_mask, axes -> sums", "keepdims", 0), node("Sub", "sums, one -> lasts"), node("Cast", "lasts -> seqlens", "to", int(proto.Int32)),
		node("Shape", "attention_mask -> extents"), node("Gather", "extents, one -> length"), node("Cast", "length -> total", "to", int(proto.Int32)))
	if d.codes {
		bytes("words", decoderWords, decoderWidth/2)
		numbers("words.scales", 0.2, decoderWords, decoderWidth/16)
		add(node("com.microsoft.GatherBlockQuantized", "words, input_ids, words.scales -> x0", "block_size", 16))
	} else {
		numbers("words", 1, decoderWords, decoderWidth)
		add(node("Gather", "words, input_ids -> x0"))
	}
	add(node("SimplifiedLayerNormalization", "x0, norm -> n0", "epsilon", float32(1e-5), "axis", -1))
	for l := range decoderLayers {
		at := func(format string) string { return fmt.Sprintf(format, l) }
		for _, kind := range []string{"key", "value"} {
			size := fmt.Sprintf("[batch,%d,past,%d]", decoderCaches, decoderSize)
			g.Input = append(g.Input, infos(at("past_key_values.%d.")+kind+": float"+size)...)
			g.Output = append(g.Output, infos(at("present.%d.")+kind)...)
		}
		heads, caches := decoderHeads*decoderSize, decoderCaches*decoderSize
		values := at("q%[1]d, , , ")
		if d.packed {
			product(at("n%d"), at("q%d"), decoderWidth, heads+2*caches)
		} else {
			product(at("n%d"), at("q%d"), decoderWidth, heads)
			product(at("n%d"), at("k%d"), decoderWidth, caches)
			product(at("n%d"), at("v%d"), decoderWidth, caches)
			values = at("q%[1]d, k%[1]d, v%[1]d, ")
		}
		values += at("past_key_values.%[1]d.key, past_key_values.%[1]d.value, seqlens, total, cos, sin")
		if d.places {
			values += ", position_ids"
		}
		add(node("com.microsoft.GroupQueryAttention", values+at(" -> a%[1]d, present.%[1]d.key, present.%[1]d.value"), "num_heads", decoderHeads,
			"kv_num_heads", decoderCaches, "do_rotary", 1, "scale", float32(0.25)))
		product(at("a%d"), at("o%d"), heads, decoderWidth)
		add(node("com.microsoft.SkipSimplifiedLayerNormalization", at("x%[1]d, o%[1]d, norm -> m%[1]d, , , r%[1]d"), "epsilon", float32(1e-5)))
		product(at("m%d"), at("gate%d"), decoderWidth, decoderInner)
		product(at("m%d"), at("up%d"), decoderWidth, decoderInner)
		add(node("Sigmoid", at("gate%[1]d -> s%[1]d")), node("Mul", at("gate%[1]d, s%[1]d -> silu%[1]d")), node("Mul", at("silu%[1]d, up%[1]d -> h%[1]d")))
		product(at("h%d"), at("down%d"), decoderInner, decoderWidth)
		add(node("com.microsoft.SkipSimplifiedLayerNormalization", at("r%[1]d, down%[1]d, norm -> ")+fmt.Sprintf("n%[1]d, , , x%[1]d", l+1), "epsilon", float32(1e-5)))
	}
	product(fmt.Sprintf("n%d", decoderLayers), "logits", decoderWidth, decoderWords)
	return modelOf(21, g)
}
