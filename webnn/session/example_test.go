package session_test

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

func ExampleRecord() {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := session.Record(b)
	x, err1 := b.Input("x", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2}})
	w, err2 := b.Constant(webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{1}}, []float32{1})
	y, err3 := b.Add(x, w, nil)
	_, err4 := b.Network(webnn.NamedOperands{"y": y}) // or Build
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		fmt.Println(err)
		return
	}
	s, err := recorder.Session()
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _, err := s.Encode()
	fmt.Print(string(text), err)
	// Output:
	// {"webnnSession":1,"calls":[
	// {"on":"ml","call":"createContext","args":[],"id":"context"},
	// {"on":null,"call":"MLGraphBuilder","args":[{"$ref":"context"}],"id":"builder"},
	// {"on":"builder","call":"input","args":["x",{"dataType":"float32","shape":[2]}],"id":"x"},
	// {"on":"builder","call":"constant","args":[{"dataType":"float32","shape":[1]},{"$buffer":{"base64":"AACAPw=="}}],"id":"constant1"},
	// {"on":"builder","call":"add","args":[{"$ref":"x"},{"$ref":"constant1"}],"id":"add1"},
	// {"on":"builder","call":"build","args":[{"y":{"$ref":"add1"}}],"id":"graph"}
	// ]}
	// <nil>
}
