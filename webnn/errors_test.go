package webnn

import (
	"errors"
	"testing"
)

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  Error
		want string
	}{
		{Error{Name: TypeError, Method: "MLContext.dispatch", Reason: "why"}, "TypeError: MLContext.dispatch: why"},
		{Error{Name: TypeError, Method: "m.n", Label: "mul#1", Reason: "why"}, "TypeError: [mul#1] m.n: why"},
		{Error{Name: InvalidStateError, Method: "m.n", Label: "größe 大 'a' \"b\"", Reason: "why"},
			"InvalidStateError: [größe 大 'a' \"b\"] m.n: why"},
		{Error{Name: TypeError, Method: "m.n", Label: "a\u202eb", Reason: "why"}, `TypeError: [a\u202eb] m.n: why`},
		{Error{Name: TypeError, Method: "m.n", Label: "a\u2066b\u2069", Reason: "why"}, `TypeError: [a\u2066b\u2069] m.n: why`},
		{Error{Name: TypeError, Method: "m.n", Label: "a\n\tb\x00\x1b\u007f", Reason: "why"}, `TypeError: [a\n\tb\x00\x1b\x7f] m.n: why`},
		{Error{Name: TypeError, Method: "m.n", Label: "a\xffb\ufffd", Reason: "why"}, "TypeError: [a\\xffb\ufffd] m.n: why"},
		{Error{Name: TypeError, Method: "m.n", Reason: "node x [\u202e]"}, `TypeError: m.n: node x [\u202e]`},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("the text is %q; want %q", got, tt.want)
		}
	}
}

func TestErrorKinds(t *testing.T) {
	cause := errors.New("cause")
	err := error(rejection(OperationError, "MLGraphBuilder.build", "l", "compile", "it cannot be: %w", cause))
	var e *Error
	if !errors.As(err, &e) || e.Rule != "build.compile" || e.Reason != "it cannot be: cause" || e.Label != "l" {
		t.Errorf("the error is %#v", err)
	}
	for target, want := range map[error]bool{OperationError: true, cause: true, TypeError: false, errors.New("cause"): false} {
		if got := errors.Is(err, target); got != want {
			t.Errorf("errors.Is(err, %v) is %v; want %v", target, got, want)
		}
	}
	if err := reject(TypeError, "MLContext.destroy", "rule", "reason"); errors.Is(err, cause) {
		t.Error("an error without a cause has one")
	}
}
