package cvm

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
)

// FuzzLoad loads and runs hostile models within small limits. Whatever is refused is refused with an *Error and always the same; whatever
// runs gives the same bytes each time, in both modes of the engine.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(12) {
		m := random.New(seed, random.Options{Nodes: 3, Overlap: seed%3 == 0})
		f.Add(m.Symbol, m.Params, m.Inputs[0], seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, symbol, params, input []byte, compat bool) {
		files := Files{Symbol: symbol, Params: params}
		o := Options{Compat: compat, Engine: engine.Options{Threads: 1,
			Limits: engine.Limits{Nodes: 1000, Memory: 16 << 20, Operations: 1 << 22, Time: 10 * time.Second}}}
		m, err := Load(files, o)
		if _, again := Load(files, o); errorText(t, err) != errorText(t, again) {
			t.Fatalf("loading fails with %v and then %v", err, again)
		}
		if err != nil {
			return
		}
		defer m.Close()
		o.Engine.NoOptimize = true
		plain, err := Load(files, o)
		if errorText(t, err) != "" { // a limit, as nothing is shared
			return
		}
		defer plain.Close()
		if n := m.Admission().InputLength; n > 1<<20 {
			return
		} else if int64(len(input)) != n {
			input = append(bytes.Clone(input), make([]byte, n)...)[:n]
		}
		for range 2 {
			want, err := plain.Run(context.Background(), input)
			got, again := m.Run(context.Background(), input)
			if errorText(t, err) != errorText(t, again) || !bytes.Equal(got, want) {
				t.Fatalf("%x, %v as it is, %x, %v optimised", want, err, got, again)
			}
		}
	})
}

// errorText returns the text of an error, which must be an *Error of a class.
func errorText(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) || e.Class == 0 {
		t.Fatalf("%T without a class: %v", err, err)
	}
	return err.Error()
}
