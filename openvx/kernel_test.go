package openvx_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// nothing is a kernel that does nothing.
var nothing = openvx.UserKernel{
	Run:      func(*openvx.Node, []openvx.Reference) error { return nil },
	Validate: func(*openvx.Node, []openvx.Reference, []*openvx.MetaFormat) error { return nil },
}

// addKernel registers and finalizes a kernel whose parameters are tensors: an input and then outputs.
func addKernel(t testing.TB, c *openvx.Context, name string, params int, functions openvx.UserKernel) *openvx.Kernel {
	t.Helper()
	k := must(c.AddKernel(name, must(c.AllocateKernelID()), params, functions))
	for i := range params {
		status(t, k.AddParameter(i, openvx.Direction(min(i, 1)), openvx.TypeTensor, openvx.ParameterStateRequired), openvx.Success)
	}
	status(t, k.Finalize(), openvx.Success)
	return k
}

func TestKernelLife(t *testing.T) {
	c := context(t)
	const name = "org.example.copy"
	kernels := c.UniqueKernels()
	id := must(c.AllocateKernelID())
	if int64(id) < -0x200000 || int64(id) >= -0x200000+4096 {
		t.Errorf("the number %#x is outside of those for users", int64(id))
	}
	k := must(c.AddKernel(name, id, 2, nothing))
	if k.KernelName() != name || k.ID() != id || k.NumParameters() != 2 || k.Count() != 1 {
		t.Error(k.KernelName(), k.ID(), k.NumParameters(), k.Count())
	}
	_, byName := c.KernelByName(name)
	_, byID := c.KernelByID(id)
	for _, err := range []error{byName, byID, k.Finalize()} {
		status(t, err, openvx.ErrorInvalidParameters)
	}
	status(t, k.SetLocalDataSize(-1), openvx.ErrorInvalidParameters)
	status(t, k.SetLocalDataSize(math.MaxInt), openvx.ErrorInvalidParameters)
	status(t, k.SetLocalDataSize(256), openvx.Success)
	status(t, k.AddParameter(1, openvx.Output, openvx.TypeTensor, openvx.ParameterStateRequired), openvx.Success)
	status(t, k.AddParameter(0, openvx.Input, openvx.TypeFloat32, openvx.ParameterStateOptional), openvx.Success)
	if c.UniqueKernels() != kernels {
		t.Error("a kernel counts before it is finalized")
	}
	status(t, k.Finalize(), openvx.Success)
	status(t, k.Finalize(), openvx.ErrorInvalidParameters)
	status(t, k.SetLocalDataSize(1), openvx.ErrorNotSupported)
	status(t, k.AddParameter(0, openvx.Input, openvx.TypeTensor, openvx.ParameterStateRequired), openvx.ErrorInvalidParameters)
	if c.UniqueKernels() != kernels+1 || k.LocalDataSize() != 256 {
		t.Error(c.UniqueKernels(), k.LocalDataSize())
	}

	status(t, k.Release(), openvx.Success)
	status(t, k.Release(), openvx.ErrorInvalidReference)
	again := must(c.KernelByName(name))
	if again != k || k.Count() != 1 {
		t.Error("a kernel does not live on without references")
	}
	must(c.KernelByID(id))
	status(t, k.Remove(), openvx.Failure) // there are two references
	status(t, k.Release(), openvx.Success)
	status(t, k.Remove(), openvx.Success)
	status(t, k.Remove(), openvx.ErrorInvalidReference)
	if _, err := c.KernelByName(name); err == nil || c.UniqueKernels() != kernels {
		t.Error("a removed kernel is still there")
	}
	status(t, addKernel(t, c, name, 1, nothing).Remove(), openvx.Success)
}

func TestKernelLetGoEarly(t *testing.T) {
	c := context(t)
	k := must(c.AddKernel("org.example.early", 5000, 1, nothing))
	status(t, k.Remove(), openvx.Success)
	k = must(c.AddKernel("org.example.early", 5000, 1, nothing))
	status(t, k.Release(), openvx.Success)
	k = must(c.AddKernel("org.example.early", 5000, 1, nothing)) // name and number are free
	status(t, k.Remove(), openvx.Success)
}

func TestAddKernelRefuses(t *testing.T) {
	c := context(t)
	k := addKernel(t, c, "org.example.first", 1, nothing)
	half := openvx.UserKernel{Run: nothing.Run}
	for _, test := range []struct {
		what   string
		name   string
		id     openvx.KernelID
		params int
		k      openvx.UserKernel
	}{
		{"no name", "", 5000, 1, nothing},
		{"a long name", strings.Repeat("k", 256), 5000, 1, nothing},
		{"a zero byte", "a\x00", 5000, 1, nothing},
		{"a name that is taken", "org.example.first", 5000, 1, nothing},
		{"a name of the standard", "org.khronos.nn_extension.softmax_layer", 5000, 1, nothing},
		{"a number that is taken", "org.example.second", k.ID(), 1, nothing},
		{"a number of the standard", "org.example.second", openvx.KernelSoftmaxLayer, 1, nothing},
		{"parameters", "org.example.second", 5000, -1, nothing},
		{"parameters", "org.example.second", 5000, openvx.MaxKernelParameters + 1, nothing},
		{"a function", "org.example.second", 5000, 1, half},
	} {
		if _, err := c.AddKernel(test.name, test.id, test.params, test.k); openvx.StatusOf(err) != openvx.ErrorInvalidParameters {
			t.Errorf("%s: %v", test.what, err)
		}
	}
	status(t, k.Remove(), openvx.Success)
}

func TestAddParameterRefuses(t *testing.T) {
	c := context(t)
	k := must(c.AddKernel("org.example.k", 5000, 3, nothing))
	defer k.Remove()
	structure := must(c.RegisterUserStruct(8, "s"))
	required := openvx.ParameterStateRequired
	for _, test := range []struct {
		i     int
		d     openvx.Direction
		kind  openvx.Type
		state openvx.ParameterState
		want  openvx.Status
	}{
		{-1, openvx.Input, openvx.TypeTensor, required, openvx.ErrorInvalidParameters},
		{3, openvx.Input, openvx.TypeTensor, required, openvx.ErrorInvalidParameters},
		{0, 2, openvx.TypeTensor, required, openvx.ErrorInvalidParameters},
		{0, openvx.Input, openvx.TypeInvalid, required, openvx.ErrorInvalidParameters},
		{0, openvx.Input, openvx.TypeGraph, required, openvx.ErrorInvalidParameters},
		{0, openvx.Input, structure + 1, required, openvx.ErrorInvalidParameters},
		{0, openvx.Input, openvx.TypeTensor, 0, openvx.ErrorInvalidParameters},
		{0, openvx.Output, openvx.TypeDelay, required, openvx.ErrorInvalidParameters},
		{0, openvx.Input, openvx.TypeDelay, required, openvx.Success},
		{0, openvx.Input, openvx.TypeDelay, required, openvx.ErrorInvalidParameters},
		{1, openvx.Input, structure, required, openvx.Success},
		{2, openvx.Output, openvx.TypeReference, openvx.ParameterStateOptional, openvx.Success},
	} {
		status(t, k.AddParameter(test.i, test.d, test.kind, test.state), test.want)
	}
	softmax := must(c.KernelByID(openvx.KernelSoftmaxLayer))
	defer softmax.Release()
	for _, err := range []error{
		softmax.AddParameter(0, openvx.Input, openvx.TypeTensor, required), softmax.Finalize(), softmax.Remove(),
	} {
		status(t, err, openvx.ErrorInvalidParameters)
	}
	status(t, softmax.SetLocalDataSize(1), openvx.ErrorNotSupported)
}

func TestKernelNumbersRunOut(t *testing.T) {
	c := context(t)
	taken := must(c.AddKernel("org.example.k", -0x200000+1, 0, nothing))
	defer taken.Remove()
	seen := map[openvx.KernelID]bool{taken.ID(): true}
	for range 4095 {
		id := must(c.AllocateKernelID())
		if seen[id] {
			t.Fatalf("%v is given away twice", id)
		}
		seen[id] = true
	}
	_, err := c.AllocateKernelID()
	status(t, err, openvx.ErrorNoResources)
	for want := 1; want <= 255; want++ {
		if got := must(c.AllocateKernelLibraryID()); got != want {
			t.Errorf("library %d, want %d", got, want)
		}
	}
	_, err = c.AllocateKernelLibraryID()
	status(t, err, openvx.ErrorNoResources)
}

func TestLookUpsThatFail(t *testing.T) {
	c := context(t)
	before := c.References()
	_, byName := c.KernelByName("org.khronos.test.testmodule")
	_, byID := c.KernelByID(0x7FFFFFFF)
	_, color := c.KernelByName("org.khronos.openvx.color_convert\x00")
	for _, err := range []error{byName, byID, color} {
		status(t, err, openvx.ErrorInvalidParameters)
	}
	if c.References() != before {
		t.Error("a look-up that fails leaves something")
	}
	status(t, must(c.KernelByName("org.khronos.openvx.color_convert")).Release(), openvx.Success)
}

func TestKernelParameter(t *testing.T) {
	c := context(t)
	k := must(c.AddKernel("org.example.k", 5000, 2, nothing))
	status(t, k.AddParameter(0, openvx.Input, openvx.TypeFloat32, openvx.ParameterStateOptional), openvx.Success)
	status(t, k.AddParameter(1, openvx.Output, openvx.TypeTensor, openvx.ParameterStateRequired), openvx.Success)
	status(t, k.Finalize(), openvx.Success)
	for _, i := range []int{-1, 2} {
		_, err := k.Parameter(i)
		status(t, err, openvx.ErrorInvalidParameters)
	}
	p := must(k.Parameter(0))
	if p.Index() != 0 || p.Direction() != openvx.Input || p.Kind() != openvx.TypeFloat32 || p.State() != openvx.ParameterStateOptional || p.Reference() != nil {
		t.Error(p.Index(), p.Direction(), p.Kind(), p.State(), p.Reference())
	}
	_, err := p.MetaFormat()
	status(t, err, openvx.ErrorNotSupported)
	status(t, p.Set(c), openvx.ErrorInvalidParameters)
	status(t, k.Remove(), openvx.Success)
	if p.Kind() != openvx.TypeFloat32 {
		t.Error("a parameter does not keep its kernel")
	}
	status(t, p.Release(), openvx.Success)
	status(t, p.Set(c), openvx.ErrorInvalidReference)

	softmax := must(c.KernelByID(openvx.KernelSoftmaxLayer))
	p = must(softmax.Parameter(1))
	if p.Name() != "outputs" || p.Direction() != openvx.Output {
		t.Errorf("the output of softmax is %q", p.Name())
	}
	status(t, p.Release(), openvx.Success)
	status(t, softmax.Release(), openvx.Success)
}

func TestLibraries(t *testing.T) {
	c := context(t)
	fail := error(nil)
	published := 0
	publish := func(c *openvx.Context) error {
		if fail != nil {
			return fail
		}
		published++
		addKernel(t, c, "org.example.library.k", 2, nothing)
		return nil
	}
	unpublish := func(c *openvx.Context) error {
		k, err := c.KernelByName("org.example.library.k")
		if err != nil {
			return err
		}
		if err := k.Release(); err != nil {
			return err
		}
		return k.Remove()
	}
	for _, err := range []error{
		c.LoadKernels("l"), c.UnloadKernels("l"), c.RegisterKernelLibrary("", publish, unpublish), c.RegisterKernelLibrary("l", nil, unpublish),
		c.RegisterKernelLibrary("l", publish, nil), c.RegisterKernelLibrary("a\x00", publish, unpublish),
	} {
		status(t, err, openvx.ErrorInvalidParameters)
	}
	status(t, c.RegisterKernelLibrary("l", publish, unpublish), openvx.Success)
	status(t, c.RegisterKernelLibrary("l", publish, unpublish), openvx.ErrorInvalidParameters)

	kernels := c.UniqueKernels()
	counts := func(modules, more int) {
		t.Helper()
		if c.Modules() != modules || c.UniqueKernels() != kernels+more {
			t.Errorf("%d modules and %d more kernels, want %d and %d", c.Modules(), c.UniqueKernels()-kernels, modules, more)
		}
	}
	fail = errors.New("the library is in a bad mood")
	if err := c.LoadKernels("l"); !errors.Is(err, fail) {
		t.Error(err)
	}
	counts(0, 0)
	fail = nil
	for range 2 {
		status(t, c.LoadKernels("l"), openvx.Success)
		counts(1, 1)
	}
	if published != 1 {
		t.Errorf("published %d times", published)
	}
	status(t, c.UnloadKernels("l"), openvx.Success)
	counts(1, 1)
	k := must(c.KernelByName("org.example.library.k"))
	status(t, c.UnloadKernels("l"), openvx.Failure) // the kernel has a reference
	counts(1, 1)
	status(t, k.Release(), openvx.Success)
	status(t, c.UnloadKernels("l"), openvx.Success)
	counts(0, 0)
	status(t, c.UnloadKernels("l"), openvx.ErrorInvalidParameters)
}

func TestOpenLibrary(t *testing.T) {
	opened := 0
	ok := func(*openvx.Context) error { return nil }
	c := must(openvx.NewContext(openvx.Options{OpenLibrary: func(_ *openvx.Context, name string) (p, u func(*openvx.Context) error, err error) {
		switch opened++; name {
		case "good":
			return ok, ok, nil
		case "half":
			return ok, nil, nil
		}
		return nil, nil, os.ErrNotExist
	}}))
	defer c.Release()
	status(t, c.LoadKernels("half"), openvx.ErrorInvalidModule)
	err := c.LoadKernels("none")
	if status(t, err, openvx.ErrorInvalidParameters); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for range 2 {
		status(t, c.LoadKernels("good"), openvx.Success)
		status(t, c.UnloadKernels("good"), openvx.Success)
	}
	if opened != 4 || c.Modules() != 0 {
		t.Errorf("opened %d times, %d modules", opened, c.Modules())
	}
}

func TestLibraryThatPanics(t *testing.T) {
	c := context(t)
	bad := true
	f := func(*openvx.Context) error {
		if bad {
			panic("library")
		}
		return nil
	}
	status(t, c.RegisterKernelLibrary("l", f, f), openvx.Success)
	status(t, c.LoadKernels("l"), openvx.Failure)
	bad = false
	status(t, c.LoadKernels("l"), openvx.Success)
	status(t, c.UnloadKernels("l"), openvx.Success)

	c = must(openvx.NewContext(openvx.Options{OpenLibrary: func(*openvx.Context, string) (publish, unpublish func(*openvx.Context) error, err error) {
		panic("no library")
	}}))
	status(t, c.LoadKernels("l"), openvx.Failure)
	status(t, c.Release(), openvx.Success)
}

func TestImportKernel(t *testing.T) {
	build := func(url string) (*graph.Graph, error) {
		if url != "models/net" {
			return nil, fmt.Errorf("%s: %w", url, os.ErrNotExist)
		}
		x := &graph.Value{Name: "x", Type: graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 3, 8, 8}}}
		y := &graph.Value{Name: "y", Type: graph.Type{DType: tensor.Int64, Shape: tensor.Shape{1, 5}}}
		return &graph.Graph{Name: "net", Inputs: []*graph.Value{x}, Outputs: []graph.Output{{Name: "y", Value: y}}}, nil
	}
	c := must(openvx.NewContext(openvx.Options{Importers: map[string]openvx.Importer{"nnef": build, "open": func(string) (*graph.Graph, error) { return nil, open() }}}))
	defer c.Release()
	before, kernels := c.References(), c.UniqueKernels()
	for kind, want := range map[string]openvx.Status{"onnx": openvx.ErrorNotSupported, "nnef": openvx.ErrorInvalidParameters, "open": openvx.ErrorNotSupported} {
		_, err := c.ImportKernel(kind, "none")
		status(t, err, want)
	}
	k := must(c.ImportKernel("nnef", "models/net"))
	if k.NumParameters() != 2 || k.KernelName() != "net" || c.UniqueKernels() != kernels {
		t.Error(k.NumParameters(), k.KernelName())
	}
	for i, want := range []struct {
		name string
		dir  openvx.Direction
		dims []int
		kind openvx.Type
	}{{"x", openvx.Input, []int{1, 3, 8, 8}, openvx.TypeFloat32}, {"y", openvx.Output, []int{1, 5}, openvx.TypeInt32}} {
		p := must(k.Parameter(i))
		m := must(p.MetaFormat())
		dims, kind, fixed := m.Tensor()
		if p.Name() != want.name || p.Direction() != want.dir || fmt.Sprint(dims) != fmt.Sprint(want.dims) || kind != want.kind || fixed != 0 {
			t.Errorf("parameter %d is %s %v of %v %v", i, p.Name(), p.Direction(), kind, dims)
		}
		status(t, p.Release(), openvx.Success)
	}
	status(t, k.Remove(), openvx.ErrorInvalidParameters)
	status(t, k.Release(), openvx.Success)
	if c.References() != before {
		t.Errorf("%d objects are left over", c.References()-before)
	}
}

// TestSignatures holds the parameters of the built-in kernels to the numbers that the standard gives them, and to the order of the node
// functions where it gives none: a tensor, a scalar or a table each, in brackets if it is optional, the result last.
func TestSignatures(t *testing.T) {
	c := context(t)
	letters := map[openvx.Type]string{openvx.TypeTensor: "t", openvx.TypeScalar: "s", openvx.TypeLUT: "l", openvx.TypeImage: "i"}
	want := map[string]string{
		"convolution_layer": "tt[t]s>t", "deconvolution_layer": "tt[t]s>t", "fully_connected_layer": "tt[t]ss>t", "pooling_layer": "tssssss>t",
		"softmax_layer": "t>t", "normalization_layer": "tssss>t", "local_response_normalization_layer": "tsssss>t", "activation_layer": "tsss>t",
		"roi_pooling_layer": "tts>t", "tensor_multiply": "ttsss>t", "tensor_add": "tts>t", "tensor_subtract": "tts>t",
		"tensor_table_lookup": "tl>t", "tensor_transpose": "tss>t", "tensor_convert_depth": "tsss>t", "tensor_matrix_multiply": "tt[t]s>t",
		"color_convert": "i>i",
	}
	for _, info := range c.KernelTable() {
		k := must(c.KernelByName(info.Name))
		got := ""
		for i := range k.NumParameters() {
			p := must(k.Parameter(i))
			letter := letters[p.Kind()]
			switch {
			case p.State() == openvx.ParameterStateOptional:
				letter = "[" + letter + "]"
			case p.Direction() == openvx.Output:
				letter = ">" + letter
			}
			got += letter
			status(t, p.Release(), openvx.Success)
		}
		name := info.Name[strings.LastIndexByte(info.Name, '.')+1:]
		if got != want[name] {
			t.Errorf("%s has the parameters %s, want %s", info.Name, got, want[name])
		}
		delete(want, name)
		status(t, k.Release(), openvx.Success)
	}
	if len(want) > 0 {
		t.Errorf("there are no kernels %v", want)
	}
}
