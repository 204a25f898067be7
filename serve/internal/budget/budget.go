// Package budget bounds the memory that requests and their answers take together.
package budget

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/concord-nn/concord/serve/internal/oip"
)

// Budget is what all requests may hold at the same time. Any number of goroutines may use it.
type Budget struct {
	most int64
	held atomic.Int64
}

// New returns a budget of so many bytes.
func New(most int64) *Budget { return &Budget{most: most} }

// Held returns how many bytes are held.
func (b *Budget) Held() int64 { return b.held.Load() }

// Handler gives each request a lease, which [Of] finds in its context, and takes back what it holds when it has been answered.
func (b *Budget) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, l := b.Lease(r.Context())
		defer l.Release()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Lease returns a context with a lease, which whoever asks for it must release.
func (b *Budget) Lease(ctx context.Context) (context.Context, *Lease) {
	l := &Lease{of: b}
	return context.WithValue(ctx, leaseKey{}, l), l
}

type leaseKey struct{}

// Lease is what a request holds of a budget. A lease that is nil holds nothing, and takes anything.
type Lease struct {
	of    *Budget
	bytes atomic.Int64
}

// Of returns the lease of a request by its context, nil if it has none.
func Of(ctx context.Context) *Lease {
	l, _ := ctx.Value(leaseKey{}).(*Lease)
	return l
}

// Take holds so many bytes more, which is to be asked before they are made. It fails if all requests hold too much then; if this one alone does, no
// other time is better.
func (l *Lease) Take(bytes int64) error {
	if l == nil || bytes <= 0 {
		return nil
	}
	if own := l.bytes.Load(); bytes > l.of.most-own {
		return oip.Errorf(oip.TooLarge, "the request and its answer take more than %d bytes, which all requests together may", l.of.most)
	}
	if all := l.of.held.Add(bytes); all > l.of.most {
		l.of.held.Add(-bytes)
		return oip.Errorf(oip.Exhausted, "all requests and answers together take more than %d bytes at the moment; try again later", l.of.most)
	}
	l.bytes.Add(bytes)
	return nil
}

// Release gives back what the lease holds. It may take more then.
func (l *Lease) Release() {
	if l != nil {
		l.of.held.Add(-l.bytes.Swap(0))
	}
}

// firstPiece is what is allocated for a body of which nothing has come yet, whatever its header says.
const firstPiece = 1 << 20

// ReadAll reads a body to the end, which may have so many bytes at most. Memory grows with what has come, not with the size, which is -1 where it is
// not known.
func (l *Lease) ReadAll(from io.Reader, size, most int64) ([]byte, error) {
	more := int64(4 << 10)
	if size >= 0 {
		more = min(size+1, firstPiece) // one more, so that the end is seen without growing
	}
	var body []byte
	for {
		if len(body) == cap(body) {
			if err := l.Take(more); err != nil {
				return nil, err
			}
			body = slices.Grow(body, int(more))
			if more = int64(cap(body)); size >= 0 {
				more = max(min(more, size+1-more), 1)
			}
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > most:
			return nil, TooLarge(most)
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// TooLarge is the error of a body of more than so many bytes.
func TooLarge(most int64) error {
	return oip.Errorf(oip.TooLarge, "the body is larger than %d bytes", most)
}
