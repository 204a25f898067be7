package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

var nGramCountDef = &Def{
	Name: "n_gram_count",
	Doc: `N_gram_count counts how often the n-grams of a pool occur in a sequence (ONNX TfIdfVectorizer).

An n-gram g of length n occurs at position p with skip s if x[p + i·(s+1)] = gᵢ for all i; skips go from 0 to max_skip, and for n = 1 there is only
skip 0. Counted are the n-grams whose length is from min_length to max_length, in the order of the pool. Mode TF adds the counts of each column, and
rounds once; TFIDF adds to +0 the counts, rounded to float32, times the weights, each operation rounded; IDF yields the weight of the column's
last n-gram that occurs, and +0 if none does.`,
	In:  []Operand{{Name: "x", Types: wholeIndices, Rank: Ranks{1, 2}, Doc: "a sequence, or one in each row"}},
	Out: []Result{{Name: "output", Type: tensor.Float32, Doc: "a number for each column, up to the greatest one of columns; in each row"}},
	Attrs: []Attr{
		{Name: "pool", Kind: graph.KindInts, Doc: "the n-grams one after the other, the shortest ones first"},
		{Name: "starts", Kind: graph.KindInts, Range: [2]float64{0, tensor.MaxElements}, Doc: "where in pool the n-grams of length 1, 2, … begin, ascending"},
		{Name: "columns", Kind: graph.KindInts, Range: [2]float64{0, tensor.MaxElements}, Doc: "the column of each n-gram in pool"},
		{Name: "min_length", Kind: graph.KindInt, Default: 1, Range: [2]float64{1, tensor.MaxElements}, Doc: "the length of the shortest n-grams to count"},
		{Name: "max_length", Kind: graph.KindInt, Range: [2]float64{1, tensor.MaxElements}, Doc: "the length of the longest n-grams to count"},
		{Name: "max_skip", Kind: graph.KindInt, Default: 0, Range: [2]float64{0, tensor.MaxElements}, Doc: "how many elements may be left out between neighbours"},
		{Name: "mode", Kind: graph.KindString, Default: "TF", Enum: []string{"TF", "IDF", "TFIDF"}, Doc: "what is made of a count"},
		{Name: "weights", Kind: graph.KindFloats, Default: []float64{}, Doc: "the weight of each n-gram in pool, rounded to float32; empty for ones"},
	},
	Shape: nGramShape,
	Ref: Reference{
		Kernels: Kernels{tensor.Int32: nGramCounts[int32], tensor.Int64: nGramCounts[int64]},
		Pieces:  func(s *Sig, _ []Type) int { outer, _ := rowsOf(s.In[0].Shape); return outer.Len() },
		Scratch: func(_ *Sig, out []Type) int { return 8 * min(rowLen(out[0].Shape), out[0].Shape.Len()) },
	},
	NonNegative: func(s *Sig, _ []bool) bool {
		return !slices.ContainsFunc(s.Floats("weights"), func(w float64) bool { return w < 0 })
	},
	Work: func(s *Sig, out []tensor.Shape) Work {
		_, n := rowsOf(s.In[0].Shape)
		skips := min(s.Int("max_skip")+1, n)
		return Work{Ops: limits.Add(int64(out[0].Len()), times(s.In[0].Shape.Len(), skips, len(s.Ints("columns"))))}
	},
	Generate: func(r *Rand) Case {
		pool, starts, columns := []int{}, []int{}, []int{}
		for n := range r.Between(1, 3) {
			starts = append(starts, len(pool))
			for range r.IntN(4) {
				for range n + 1 {
					pool = append(pool, r.IntN(3))
				}
				columns = append(columns, r.IntN(6))
			}
		}
		if len(columns) == 0 {
			pool, columns = append(pool, make([]int, len(starts))...), append(columns, 1)
		}
		lo, hi := r.Between(1, 3), r.Between(1, 3)
		weights := []float64{}
		for range r.IntN(2) * len(columns) {
			weights = append(weights, float64(r.IntN(9))/4)
		}
		shape := append(r.Shape(0, 1), r.Between(0, 4*r.Size))
		return Case{
			In: []*tensor.Tensor{r.Integers(r.DType(wholeIndices), shape, -1, 3)},
			Attrs: graph.Attrs{{Name: "pool", Value: pool}, {Name: "starts", Value: starts}, {Name: "columns", Value: columns},
				{Name: "min_length", Value: min(lo, hi)}, {Name: "max_length", Value: max(lo, hi)}, {Name: "max_skip", Value: r.IntN(4)},
				{Name: "mode", Value: Pick(r, []string{"TF", "IDF", "TFIDF"})}, {Name: "weights", Value: weights}},
		}
	},
}

func nGramShape(s *Sig) ([]tensor.Shape, error) {
	pool, starts, columns := s.Ints("pool"), s.Ints("starts"), s.Ints("columns")
	grams := 0
	for i, from := range starts {
		to := len(pool)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		if from > to || to > len(pool) {
			return nil, s.Errorf("starts", "%v must be ascending and lie in pool, which has %d elements", starts, len(pool))
		}
		if (to-from)%(i+1) != 0 {
			return nil, s.Errorf("pool", "the elements from %d to %d are no n-grams of length %d", from, to-1, i+1)
		}
		grams += (to - from) / (i + 1)
	}
	if len(columns) != grams || grams == 0 {
		return nil, s.Errorf("columns", "%d columns are given for %d n-grams; there must be one for each, and at least one", len(columns), grams)
	}
	if lo, hi := s.Int("min_length"), s.Int("max_length"); lo > hi {
		return nil, s.Errorf("min_length", "%d is greater than max_length, %d", lo, hi)
	}
	if w := len(s.Floats("weights")); w != 0 && w != grams {
		return nil, s.Errorf("weights", "%d weights are given; there must be %d, one for each n-gram, or none", w, grams)
	}
	outer, _ := rowsOf(s.In[0].Shape)
	return []tensor.Shape{append(outer.Clone(), slices.Max(columns)+1)}, nil
}

// nGramCounts computes rows of the result.
func nGramCounts[T int32 | int64](c *Call, lo, hi int) {
	x, y := tensor.Data[T](c.In[0]), tensor.Data[float32](c.Out[0])
	_, n := rowsOf(c.In[0].Shape())
	_, width := rowsOf(c.Out[0].Shape())
	pool, starts, columns, weights := c.Ints("pool"), c.Ints("starts"), c.Ints("columns"), c.Floats("weights")
	mode, sums, watch := c.String("mode"), positions(c, width), c.Watch()
	for row := lo; row < hi; row++ {
		of := y[row*width:][:width]
		clear(sums)
		clear(of)
		gram := 0
		for i, from := range starts {
			section := pool[from:]
			if i+1 < len(starts) {
				section = pool[from:starts[i+1]]
			}
			for length := i + 1; len(section) > 0; section = section[length:] {
				if length >= c.Int("min_length") && length <= c.Int("max_length") {
					count := occurrences(x[row*n:(row+1)*n], section[:length], c.Int("max_skip"), &watch)
					weight := float32(1)
					if len(weights) > 0 {
						weight = float32(weights[gram])
					}
					if watch.Stops(0) {
						return
					}
					k := columns[gram]
					sums[k] += count
					of[k] = weighed(mode, of[k], sums[k], count, weight)
				}
				gram++
			}
		}
		if watch.Stops(width) { // Without this it would end at the next n-gram.
			return
		}
	}
}

// weighed returns what a column has after an n-gram that occurs so often, given what it had before and the sum of its counts.
func weighed(mode string, before float32, sum, count int64, weight float32) float32 {
	switch {
	case mode == "TF":
		return float32(sum)
	case mode == "TFIDF":
		return canonical(before + float32(float32(count)*weight))
	case count == 0:
		return before
	}
	return weight
}

// occurrences counts how often an n-gram occurs in x.
func occurrences[T int32 | int64](x []T, gram []int, maxSkip int, watch *Watch) (count int64) {
	if len(gram) == 1 {
		maxSkip = 0
	}
	for step := 1; step <= maxSkip+1; step++ {
		reach := step * (len(gram) - 1)
		if reach >= len(x) || watch.Stops(len(x)) {
			break
		}
		for p := range len(x) - reach {
			i := 0
			for i < len(gram) && int(x[p+i*step]) == gram[i] {
				i++
			}
			if i == len(gram) {
				count++
			}
		}
	}
	return count
}
