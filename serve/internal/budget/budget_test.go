package budget_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// TestBudget holds two requests to a bound for both: one that is refused holds nothing of what it was refused, and gives back the rest.
func TestBudget(t *testing.T) {
	b := budget.New(100)
	code := func(err error) any {
		if own := (*oip.Error)(nil); errors.As(err, &own) {
			return own.Code
		}
		return err
	}
	_, first := b.Lease(t.Context())
	b.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		second := budget.Of(r.Context())
		for _, c := range []struct {
			of    *budget.Lease
			bytes int64
			want  any
			held  int64
		}{
			{first, 60, nil, 60}, {second, 41, oip.Exhausted, 60}, {second, 40, nil, 100}, {first, 1, oip.Exhausted, 100}, {first, 41, oip.TooLarge, 100},
			{second, 1 << 62, oip.TooLarge, 100}, {nil, 1 << 62, nil, 100}, {budget.Of(t.Context()), 1, nil, 100}, {first, -1, nil, 100},
		} {
			if got := code(c.of.Take(c.bytes)); got != c.want || b.Held() != c.held {
				t.Errorf("%d bytes: %v, and %d are held; want %v and %d", c.bytes, got, b.Held(), c.want, c.held)
			}
		}
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if b.Held() != 60 {
		t.Errorf("%d bytes are held; want the 60 of the first request", b.Held())
	}
	if first.Release(); b.Held() != 0 {
		t.Errorf("%d bytes are held; want none", b.Held())
	}
	if err := first.Take(100); err != nil {
		t.Errorf("after a release: %v", err)
	}
}
