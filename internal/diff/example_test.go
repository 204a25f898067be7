package diff_test

import (
	"context"
	"fmt"
	"os"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// network reads a network whose leaky_relu has the given slope.
func network(slope string) *graph.Graph {
	g, err := nnef.Parse("net.nnef", []byte(`version 1.0;
graph net( x ) -> ( y )
{
    x = external<scalar>(shape = [1, 3]);
    a = leaky_relu(x, alpha = `+slope+`);
    y = sqr(a);
}
`), nnef.Options{})
	if err != nil {
		panic(err) // the text is ours
	}
	return g
}

func ExampleCompare() {
	a, b := network("0.5"), network("0.25")
	report := diff.Compare(diff.FromGraph(a, nil), diff.FromGraph(b, nil))
	if err := report.Write(os.Stdout, 0); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ~ changed  a = leaky_relu(x)
	//     alpha: 0.5 → 0.25
	// 1 difference; 1 of 2 operators in A and 2 in B are alike
}

func ExampleRun() {
	a, b := network("0.5"), network("0.25")
	divergence, err := diff.Run(context.Background(), diff.Subject{Graph: a}, diff.Subject{Graph: b}, diff.RunOptions{
		Inputs: func(int) ([]*tensor.Tensor, error) {
			x, err := tensor.FromSlice([]float32{1, 2, -4}, 1, 3)
			return []*tensor.Tensor{x}, err
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range divergence.Rows {
		fmt.Printf("%s: %s\n", row.Value, row.Summary())
	}
	fmt.Println("first:", divergence.First.Row.Value)
	// Output:
	// a: 1 of 3 elements differ, at most by 1 (element [0,2] is -2 in A, -1 in B)
	// y: 1 of 3 elements differ, at most by 3 (element [0,2] is 4 in A, 1 in B)
	// first: a
}
