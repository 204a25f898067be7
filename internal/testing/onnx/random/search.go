package random

import "github.com/concord-nn/concord/tensor"

var searchRules = []rule{
	{op: "NonMaxSuppression", opsets: "10", types: "f32", make: func(m *maker) {
		centers := option(m, "center_point_box", 0, 1)
		batch, boxes, classes := m.between(1, 2), m.between(1, 8), m.between(1, 3)
		var list []float32
		for range batch * boxes {
			x, y, w, h := m.Float32()*4, m.Float32()*4, 0.5+m.Float32()*3, 0.5+m.Float32()*3
			switch {
			case centers == 1:
				list = append(list, x, y, w, h)
			case m.chance(0.3):
				list = append(list, y+h, x+w, y, x) // any diagonal
			default:
				list = append(list, y, x, y+h, x+w)
			}
		}
		m.give(reshape(slice(list), []int{batch, boxes, 4}), m.chance(0.3))
		m.in(m.t, []int{batch, classes, boxes}, distinct)
		if m.chance(0.9) {
			m.give(vector(tensor.Int64, m.between(0, 5)), m.chance(0.8))
			if m.chance(0.8) {
				m.give(slice([]float32{m.Float32()}), m.chance(0.8))
				if m.chance(0.6) {
					m.give(slice([]float32{float32(m.between(-200, 100))}), m.chance(0.8))
				}
			}
		}
		m.returns = []tensor.DType{tensor.Int64}
	}},
	{op: "NonZero", opsets: "9", types: "f32 bool i32 i64 u8", make: func(m *maker) {
		m.in(m.t, m.maybeEmpty(0, 4), values{lo: -1, hi: 1})
		m.returns = []tensor.DType{tensor.Int64}
	}},
	{op: "TopK", opsets: "7-9", types: "f32 f64", make: func(m *maker) {
		s, axis := m.topk()
		m.attr("k", m.between(1, s[axis]))
		m.in(m.t, s, one(m, few, distinct))
		m.exactly(2)
		m.returns = []tensor.DType{m.t, tensor.Int64}
	}},
	{op: "TopK", opsets: "10", types: "f32 f32 f16 f64 i32 i64 i8 u8", make: func(m *maker) {
		s, axis := m.topk()
		v := few
		if m.opset >= 11 {
			m.flag("largest", true)
			if !m.flag("sorted", true) {
				v = distinct
			}
		}
		m.in(m.t, s, one(m, v, distinct))
		m.give(vector(tensor.Int64, m.between(1, s[axis])), m.chance(0.8))
		m.exactly(2)
		m.returns = []tensor.DType{m.t, tensor.Int64}
		if a := m.node.Attribute; len(a) > 0 && a[len(a)-1].Name == "sorted" && a[len(a)-1].I == 0 {
			m.node.Attribute[len(a)-1].I = 1 // the order of what is not sorted is nobody's to say
		}
	}},
	{op: "TfIdfVectorizer", opsets: "9", types: "i32 i64", make: func(m *maker) {
		least := m.between(1, 2)
		most := m.between(least, 3)
		m.attr("min_gram_length", least)
		m.attr("max_gram_length", most)
		m.attr("max_skip_count", m.IntN(3))
		m.attr("mode", one(m, "TF", "IDF", "TFIDF"))
		var pool, starts, columns []int
		seen := map[[3]int]bool{}
		for n := 1; n <= 3; n++ {
			starts = append(starts, len(pool))
			for range m.IntN(4) {
				var gram [3]int
				copy(gram[:n], m.extents(n, 1, 4))
				if !seen[gram] {
					seen[gram] = true
					pool = append(pool, gram[:n]...)
					columns = append(columns, len(columns))
				}
			}
		}
		if len(columns) == 0 {
			pool, starts, columns = []int{1}, []int{0, 1, 1}, []int{0}
		}
		m.Shuffle(len(columns), func(i, k int) { columns[i], columns[k] = columns[k], columns[i] })
		m.attr("pool_int64s", pool)
		m.attr("ngram_counts", starts)
		m.attr("ngram_indexes", columns)
		if m.chance(0.4) {
			w := make([]float32, len(columns))
			for i := range w {
				w[i] = m.Float32()
			}
			m.attr("weights", w)
		}
		m.in(m.t, m.extents(m.between(1, 2), 1, 8), values{lo: 1, hi: 4})
		m.returns = []tensor.DType{tensor.Float32}
	}},
	{op: "Unique", opsets: "11", types: "f32 f64 i64 i8", make: func(m *maker) {
		s := m.shape(1, 3)
		m.flag("sorted", true)
		if m.chance(0.5) {
			m.attr("axis", m.axis(len(s)))
		}
		m.in(m.t, s, values{lo: -1, hi: 1})
		m.results(4)
		m.returns = []tensor.DType{m.t, tensor.Int64, tensor.Int64, tensor.Int64}
	}},
	{op: "NegativeLogLikelihoodLoss", opsets: "12", types: "f32 f64", make: func(m *maker) { loss(m, false) }},
	{op: "SoftmaxCrossEntropyLoss", opsets: "12", types: "f32 f64", make: func(m *maker) { loss(m, true) }},
}

// topk adds the attribute axis and returns a shape.
func (m *maker) topk() (shape []int, axis int) {
	shape = m.shape(1, 3)
	axis = len(shape) - 1
	if m.chance(0.7) {
		a := m.axis(len(shape))
		m.attr("axis", a)
		axis = count(a, len(shape))
	}
	return shape, axis
}

func loss(m *maker, both bool) {
	option(m, "reduction", "mean", "sum", "none")
	classes := m.between(2, 4)
	rest := m.extents(m.between(0, 2), 1, 3)
	outer := m.between(1, 3)
	least := 0
	if m.chance(0.5) {
		least = one(m, 0, 1, -1)
		m.attr("ignore_index", least)
	}
	m.in(m.t, join([]int{outer, classes}, rest), few)
	at := m.extents(outer*product(rest), min(least, 0), classes-1)
	at[0] = classes - 1
	m.give(reshape(vector(one(m, tensor.Int32, tensor.Int64), at...), join([]int{outer}, rest)), m.chance(0.5))
	if m.chance(0.5) {
		m.in(m.t, []int{classes}, positive)
	}
	if both {
		m.results(2)
	}
}
