// Command bits is the smallest program that says whether a processor has Concord's bits: .ci/platforms compiles it for each of them, which package
// testing would double. It runs in its folder.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

const goldenFile = "../../../op/testdata/golden.txt"

func main() {
	if err := errors.Join(operators(false), network()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// operators compares the result bits of generated cases with sums that are kept, or keeps them: on every processor, and until a definition is changed on
// purpose, they are the same.
func operators(update bool) error {
	want := make(map[string]string)
	if f, err := os.Open(goldenFile); err == nil {
		for lines := bufio.NewScanner(f); lines.Scan(); {
			name, sum, _ := strings.Cut(lines.Text(), " ")
			want[name] = sum
		}
		f.Close()
	} else if !update {
		return err
	}
	var kept strings.Builder
	var problems []error
	check := func(name string, d *op.Def, double bool, generate func(r *op.Rand) op.Case) {
		h := sha256.New()
		for seed := range uint64(60) {
			r := op.NewRand(seed, 1+int(seed)/8)
			r.Double = double
			c := generate(r)
			out, err := op.Eval(d, c.In, c.Attrs, c.Blocks...)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
				return
			}
			for _, o := range out {
				if d := o.DType(); d.IsPacked() || d.IsSmallFloat() { // which .npy files do not have
					h.Write(tensor.AppendRaw([]byte(o.Describe()), o))
				} else if err := tensor.WriteNPY(h, o); err != nil { // in one byte order everywhere
					problems = append(problems, fmt.Errorf("%s: %w", name, err))
				}
			}
		}
		sum := hex.EncodeToString(h.Sum(nil)[:8])
		fmt.Fprintf(&kept, "%s %s\n", name, sum)
		if !update && want[name] != sum {
			problems = append(problems, fmt.Errorf("%s: the sum of its result bits is %s; it was %q. If the definition has changed, run: go test ./internal/testing/bits -update", name, sum, want[name]))
		}
	}
	for _, d := range op.All() {
		check(d.Name, d, false, d.Generate)
		if d.Further != nil {
			check(d.Name+",further", d, false, d.Further)
		}
		if slices.ContainsFunc(d.In, func(o op.Operand) bool { return o.Types.Has(tensor.Float64) && !movesOnly(o.Types) }) {
			check(d.Name+",float64", d, true, d.Generate)
		}
	}
	if update && problems == nil {
		return os.WriteFile(goldenFile, []byte(kept.String()), 0o666)
	}
	return errors.Join(problems...)
}

// network compares the output of a model with what it is everywhere: the hash that concord run --hash prints.
func network() error {
	const digits = "../../../examples/digits/"
	f, err := nnef.Open(digits+"model.nnef", nnef.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := f.Network()
	if err != nil {
		return err
	}
	programs := model.NewPrograms(m, engine.Options{}, 0)
	defer programs.Close()
	picture, err := media.OpenPicture(digits + "drawings/eight.png")
	if err != nil {
		return err
	}
	description, err := manifest.Find(digits + "model.nnef")
	if err != nil {
		return err
	}
	x, _, err := media.PrepareImage(description.Input("x").(*manifest.Image), manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 1, 28, 28}}, picture)
	if err != nil {
		return err
	}
	out, err := programs.Run(context.Background(), model.Values{"x": x})
	if err != nil {
		return err
	}
	const want = "cda83e2533d2a50874055d3bc67e25ccb87b9c7e9fcf6e099186ea163a6e1c9b"
	if got := fmt.Sprintf("%x", sha256.Sum256(tensor.Raw(out["y"]))); got != want {
		return fmt.Errorf("the output has the hash %s; want %s", got, want)
	}
	return nil
}

// movesOnly reports a set of types whose elements are not computed with.
func movesOnly(types op.Types) bool { return types&op.SmallFloats != 0 }
