// Command calibrate measures how long the operators of package op take for CVM models on this machine and writes the weights by which
// admission estimates the time of a run.
//
// It applies each of CVM's operators to tensors of several sizes, times the nodes to which the engine compiles them, on one thread, and
// fits three numbers to each operator of package op: the time for each operation that its cost counts, for each element of its results
// and for each evaluation. They are divided by a thousandth of the time that one multiply-add takes in a large int8 convolution, so that
// they say how operators compare and not how fast the machine is. Run it in package cvm, with nothing else to do for the machine:
//
//	go generate ./cvm
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"log"
	"maps"
	"os"
	"slices"
	"time"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "the Go file to write; none to print it")
	each := flag.Duration("time", 20*time.Millisecond, "how long to measure one model")
	verbose := flag.Bool("v", false, "print every measurement")
	flag.Parse()

	samples := make(map[string][]sample) // by operator
	for _, m := range models() {
		if err := measure(m, *each, samples); err != nil {
			log.Fatalf("%s: %v", m, err)
		}
	}
	unit := unitOf(samples["conv"])
	weights := make(map[string]weight)
	for operator, list := range samples {
		fitted := fit(list)
		weights[operator] = fitted.per(unit)
		if *verbose {
			for _, s := range list {
				log.Printf("%-20s %10.0f operations %10.0f elements %12.0f ns, predicted %12.0f",
					operator, s.operations, s.elements, s.time, fitted.predict(s))
			}
		}
	}
	text, err := format.Source(table(weights))
	if err != nil {
		log.Fatal(err)
	}
	if *out == "" {
		_, err = os.Stdout.Write(text)
	} else {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// table returns the Go source of the weights. Operators that were not measured get the medians.
func table(weights map[string]weight) []byte {
	middle := func(get func(weight) int64) int64 {
		var list []int64
		for _, w := range weights {
			list = append(list, get(w))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	weights[""] = weight{
		middle(func(w weight) int64 { return w.perOp }),
		middle(func(w weight) int64 { return w.perElement }),
		middle(func(w weight) int64 { return w.perNode }),
	}
	var b bytes.Buffer
	b.WriteString("// Written by cvm/internal/calibrate; run go generate ./cvm to measure anew.\n\npackage cvm\n\n" +
		"// costWeights are the weights by operator of package op; those of the empty name are for operators that have none of their own.\n" +
		"var costWeights = map[string]weight{\n")
	for _, operator := range slices.SortedFunc(maps.Keys(weights), cmp.Compare) {
		w := weights[operator]
		fmt.Fprintf(&b, "%q: {perOp: %d, perElement: %d, perNode: %d},\n", operator, w.perOp, w.perElement, w.perNode)
	}
	b.WriteString("}\n")
	return b.Bytes()
}
