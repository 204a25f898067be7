//go:build cgo

package main

import (
	"sync"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// newContext makes a context whose objects the table forgets.
func newContext(t *testing.T) *openvx.Context {
	t.Helper()
	c, err := openvx.NewContext(openvx.Options{Dead: handles.forget})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newTensor(t *testing.T, c *openvx.Context) *openvx.Tensor {
	t.Helper()
	x, err := c.CreateTensor([]int{2}, openvx.TypeUint8, 0)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestHandles follows the handle of an object through its life.
func TestHandles(t *testing.T) {
	c := newContext(t)
	x := newTensor(t, c)
	h := handleOf(x)
	if h != handleOf(x) {
		t.Error("an object has two handles")
	}
	if e := handles.find(h); e == nil || e.ref != openvx.Reference(x) {
		t.Error("the handle does not lead to its object")
	}
	for _, foreign := range []uintptr{0, 1, h + 1, h ^ 1<<63, h + 1<<slotShift, h + 1<<usesShift, ^uintptr(0), handleMark} {
		if e := handles.find(foreign); e != nil && e.handle != foreign {
			t.Errorf("%#x leads to the object of %#x", foreign, e.handle)
		}
	}
	if err := x.Release(); err != nil {
		t.Fatal(err)
	}
	if handles.find(h) != nil {
		t.Error("a handle outlives its object")
	}
	y := newTensor(t, c)
	if again := handleOf(y); again == h {
		t.Error("a handle is used a second time")
	}
	failure := errorHandle(handleOf(c), openvx.ErrorInvalidValue)
	if e := handles.find(failure); e == nil || e.ref != nil || e.status != openvx.ErrorInvalidValue {
		t.Error("the handle of an error object does not lead to its status")
	}
	if failure != errorHandle(handleOf(y), openvx.ErrorInvalidValue) {
		t.Error("there are two error objects for a status")
	}
	context, tensor := handleOf(c), handleOf(y)
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	for _, h := range []uintptr{context, tensor, failure} {
		if handles.find(h) != nil {
			t.Errorf("%#x outlives its context", h)
		}
	}
}

// TestHandlesConcurrently makes, finds and forgets handles in several goroutines, for the race detector.
func TestHandlesConcurrently(t *testing.T) {
	c := newContext(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				x := newTensor(t, c)
				h := handleOf(x)
				if e := handles.find(h); e == nil || e.ref != openvx.Reference(x) {
					t.Error("the handle does not lead to its object")
				}
				if err := x.Release(); err != nil || handles.find(h) != nil {
					t.Error("the object is not forgotten")
				}
			}
		})
	}
	group.Wait()
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
}
