package op

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

var updateGolden = flag.Bool("update", false, "write the golden sums anew")

const goldenFile = "testdata/golden.txt"

// variant is an operator with cases beyond those of its generator, which the sums that are kept do not allow to change.
type variant struct {
	name     string
	op       *Def
	generate func(d *Def, r *Rand) Case
}

var variants = []variant{{"lstm/lengths", lstm, lengthened}, {"gru/lengths", gru, lengthened}, {"rnn/lengths", rnn, lengthened}}

// TestGoldenBits compares the result bits of generated cases with sums that are kept: on every processor, and until a
// definition is changed on purpose, they are the same.
func TestGoldenBits(t *testing.T) {
	want := make(map[string]string)
	if f, err := os.Open(goldenFile); err == nil {
		for lines := bufio.NewScanner(f); lines.Scan(); {
			name, sum, _ := strings.Cut(lines.Text(), " ")
			want[name] = sum
		}
		f.Close()
	} else if !*updateGolden {
		t.Fatal(err)
	}
	var kept strings.Builder
	list := slices.Clone(variants)
	for _, d := range all {
		list = append(list, variant{d.Name, d, func(_ *Def, r *Rand) Case { return d.Generate(r) }})
		if d.Further != nil {
			list = append(list, variant{d.Name + ",further", d, func(_ *Def, r *Rand) Case { return d.Further(r) }})
		}
	}
	for _, d := range list {
		h := sha256.New()
		for seed := range uint64(60) {
			c := d.generate(d.op, NewRand(seed, 1+int(seed)/8))
			out, err := Eval(d.op, c.In, c.Attrs, c.Blocks...)
			if err != nil {
				t.Fatalf("%s: %v", d.name, err)
			}
			for _, o := range out {
				if d := o.DType(); d.IsPacked() || d.IsSmallFloat() { // which .npy files do not have
					h.Write(tensor.AppendRaw([]byte(o.String()), o))
				} else if err := tensor.WriteNPY(h, o); err != nil { // in one byte order everywhere
					t.Fatal(err)
				}
			}
		}
		sum := hex.EncodeToString(h.Sum(nil)[:8])
		fmt.Fprintf(&kept, "%s %s\n", d.name, sum)
		if !*updateGolden && want[d.name] != sum {
			t.Errorf("%s: the sum of its result bits is %s; it was %q. If the definition has changed, run: go test ./op -run GoldenBits -update", d.name, sum, want[d.name])
		}
	}
	if *updateGolden {
		if err := os.WriteFile(goldenFile, []byte(kept.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
