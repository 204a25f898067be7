package concord_test

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/serve"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// TestNoErrors asks errors that are nil, or that nobody has filled in, for their texts and causes: they have some, or none.
func TestNoErrors(t *testing.T) {
	for _, zero := range []error{
		&cvm.Error{}, &engine.NodeError{}, &engine.InputError{}, &engine.InternalError{}, &engine.LimitError{}, &kit.Error{}, &manifest.Error{},
		&manifest.NotFoundError{}, &model.GivenError{}, &model.OpenError{}, &model.PartsError{}, &model.RestError{}, &syntax.Diagnostic{}, &onnx.Error{}, &proto.Error{}, &op.TurnsError{},
		&op.BudgetError{}, &op.Error{}, &openvx.Error{}, &serve.OptionError{}, &tensor.FormatError{}, &webnn.Error{}, &session.SyntaxError{}, &session.ReplyError{},
		&session.CallError{},
	} {
		for _, err := range []error{zero, reflect.Zero(reflect.TypeOf(zero)).Interface().(error)} {
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%T %v: %v", err, reflect.ValueOf(err).IsNil(), p)
					}
				}()
				_ = err.Error()
				if cause := errors.Unwrap(err); cause != nil && !errors.Is(cause, fs.ErrNotExist) {
					t.Errorf("%T has the cause %v", err, cause)
				}
			}()
		}
	}
	_ = fmt.Sprint((*kit.Refusal)(nil))
}
