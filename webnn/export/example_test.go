package export_test

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/webnn/export"
)

// A graph becomes a module for a page, with its weights and the same calls as a session.
func Example() {
	g, err := nnef.Parse("net", []byte(`version 1.0;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3]);
    s = mul(x, 2.0);
    y = softmax(s);
}`), nnef.Options{})
	if err != nil {
		panic(err)
	}
	m, err := export.New(g, export.Options{})
	if err != nil {
		panic(err)
	}
	files, err := m.Files("net.bin")
	if err != nil {
		panic(err)
	}
	_, code, _ := strings.Cut(string(files.JavaScript), "const builder")
	fmt.Print("const builder", code)
	// Output:
	// const builder = new MLGraphBuilder(context);
	//   const x = builder.input("x", { dataType: "float32", shape: [1, 3] });
	//   const const1 = builder.constant({ dataType: "float32", shape: [] }, new Float32Array([2]));
	//   const s = builder.mul(x, const1);
	//   const y = builder.softmax(s, 1);
	//   const graph = await builder.build({ y });
	//   return { graph, inputs, outputs };
	// }
}

// An operator that WebNN cannot express is refused, with its place in the graph.
func ExampleError() {
	g, err := nnef.Parse("net", []byte(`version 1.0;
graph net( x, rois, batch ) -> ( y )
{
    x = external(shape = [1, 3, 8, 8]);
    rois = external(shape = [5, 4]);
    batch = external<integer>(shape = [5]);
    y = max_roi_pool(x, rois, batch, output_size = [2, 2]);
}`), nnef.Options{})
	if err != nil {
		panic(err)
	}
	_, err = export.New(g, export.Options{})
	fmt.Println(err)
	// Output:
	// graph net cannot be expressed in WebNN:
	// max_roi_pool (value y): the extents of the regions are data, and WebNN fixes every extent when a graph is built
}
