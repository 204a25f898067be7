package openvx_test

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/openvx"
)

// A failed call returns the status that the standard names, and says why in the log too.
func ExampleContext_RegisterLogCallback() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	c.RegisterLogCallback(func(_ *openvx.Context, _ openvx.Reference, _ openvx.Status, message string) {
		fmt.Println("log:", message)
	}, false)
	_, err = c.CreateLUT(openvx.TypeUint8, 1000)
	fmt.Println(openvx.StatusOf(err))
	// Output:
	// log: openvx: Context.CreateLUT: a table of VX_TYPE_UINT8 has 1 to 256 elements, not 1000 (VX_ERROR_INVALID_PARAMETERS)
	// VX_ERROR_INVALID_PARAMETERS
}

// Scalars hold what layers take beside tensors.
func ExampleContext_CreateScalar() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	scale, err := c.CreateScalar(openvx.TypeFloat32, 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := c.CreateScalar(openvx.TypeEnum, openvx.ConvertPolicySaturate)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scale.Value(), openvx.ConvertPolicy(policy.Value().(openvx.Enum)))
	// Output: 0.5 VX_CONVERT_POLICY_SATURATE
}

// A delay remembers the contents of earlier runs.
func ExampleDelay() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	exemplar, err := c.CreateScalar(openvx.TypeInt32, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := c.CreateDelay(exemplar, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	slot := func(i int) *openvx.Scalar {
		r, err := d.Reference(i)
		if err != nil {
			panic(err)
		}
		return r.(*openvx.Scalar)
	}
	for frame := 1; frame <= 4; frame++ {
		err := errors.Join(d.Age(), slot(0).Set(frame))
		fmt.Println(slot(0).Value(), slot(-1).Value(), slot(-2).Value(), err)
	}
	// Output:
	// 1 0 0 <nil>
	// 2 1 0 <nil>
	// 3 2 1 <nil>
	// 4 3 2 <nil>
}

// A kernel of the application takes part in a graph like a layer. This one adds one to each element.
func ExampleContext_AddKernel() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	id, err := c.AllocateKernelID()
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := c.AddKernel("org.example.increment", id, 2, openvx.UserKernel{
		Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			return metas[1].FromReference(params[0])
		},
		Run: func(_ *openvx.Node, params []openvx.Reference) error {
			x, y := params[0].(*openvx.Tensor), params[1].(*openvx.Tensor)
			data := make([]uint8, x.Dims()[0])
			if err := x.Read(data); err != nil {
				return err
			}
			for i := range data {
				data[i]++
			}
			return y.Write(data)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(
		k.AddParameter(0, openvx.Input, openvx.TypeTensor, openvx.ParameterStateRequired),
		k.AddParameter(1, openvx.Output, openvx.TypeTensor, openvx.ParameterStateRequired),
		k.Finalize(),
	)
	if err != nil {
		fmt.Println(err)
		return
	}

	x, errX := c.CreateTensor([]int{3}, openvx.TypeUint8, 0)
	y, errY := c.CreateTensor([]int{3}, openvx.TypeUint8, 0)
	g, errG := c.CreateGraph()
	if err := errors.Join(errX, errY, errG); err != nil {
		fmt.Println(err)
		return
	}
	n, err := g.CreateGenericNode(k)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := make([]uint8, 3)
	err = errors.Join(n.SetParameter(0, x), n.SetParameter(1, y), x.Write([]uint8{1, 2, 3}), g.Process(), y.Read(result))
	fmt.Printf("%d %v\n", result, err)
	// Output: [2 3 4] <nil>
}
