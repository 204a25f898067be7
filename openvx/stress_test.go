package openvx_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// TestStressObjects makes, asks, ages and releases objects in many goroutines at once, some of which they share.
func TestStressObjects(t *testing.T) {
	c := context(t)
	c.RegisterLogCallback(func(c *openvx.Context, on openvx.Reference, _ openvx.Status, _ string) {
		if on != nil {
			_ = on.Name()
		}
		_ = c.References()
	}, false)
	before := c.References()
	shared := must(c.CreateLUT(openvx.TypeInt16, 8))
	d := must(c.CreateDelay(shared, 3))
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for i := range 200 {
				stress(t, c, shared, d, random, fmt.Sprintf("org.example.stress.%d.%d", w, i))
			}
		})
	}
	wg.Wait()
	status(t, d.Release(), openvx.Success)
	status(t, shared.Release(), openvx.Success)
	if got := c.References(); got != before {
		t.Errorf("%d references, before it were %d", got, before)
	}
}

// stress does one thing.
func stress(t *testing.T, c *openvx.Context, shared *openvx.LUT, d *openvx.Delay, random *rand.Rand, name string) {
	switch random.IntN(7) {
	case 0:
		s := must(c.CreateScalar(openvx.TypeSize, 1))
		status(t, s.Set(random.IntN(100)), openvx.Success)
		_ = s.Value()
		status(t, s.Release(), openvx.Success)
		status(t, s.Release(), openvx.ErrorInvalidReference)
	case 1:
		status(t, shared.Retain(), openvx.Success)
		status(t, shared.SetName(name), openvx.Success)
		_, _ = shared.Name(), shared.Count()
		status(t, shared.Release(), openvx.Success)
	case 2:
		if id, data, err := shared.Map(openvx.ReadOnly); err == nil {
			_ = data[0]
			status(t, shared.Unmap(id), openvx.Success)
		}
	case 3:
		status(t, d.Age(), openvx.Success)
		status(t, must(d.Reference(-random.IntN(3))).(*openvx.LUT).Copy(make([]byte, 16), openvx.WriteOnly), openvx.Success)
	case 4:
		k := must(c.AddKernel(name, must(c.AllocateKernelID()), 1, nothing))
		status(t, k.AddParameter(0, openvx.Input, openvx.TypeLUT, openvx.ParameterStateRequired), openvx.Success)
		status(t, k.Finalize(), openvx.Success)
		g := must(c.CreateGraph())
		n := must(g.CreateGenericNode(k))
		status(t, n.SetParameter(0, shared), openvx.Success)
		status(t, g.Release(), openvx.Success)
		status(t, n.Release(), openvx.ErrorInvalidReference)
		status(t, k.Remove(), openvx.Success)
	case 5:
		_, _ = c.UniqueKernels(), c.KernelTable()
		k := must(c.KernelByID(openvx.KernelSoftmaxLayer))
		p := must(k.Parameter(0))
		status(t, k.Release(), openvx.Success)
		_ = p.Kind()
		status(t, p.Release(), openvx.Success)
	default:
		_, err := c.KernelByName(name)
		status(t, err, openvx.ErrorInvalidParameters)
	}
}

// TestStressLibraries loads and unloads a library in many goroutines: it is published exactly while somebody has loaded it.
func TestStressLibraries(t *testing.T) {
	c := context(t)
	var mu sync.Mutex
	published := 0
	change := func(by int) func(*openvx.Context) error {
		return func(*openvx.Context) error {
			mu.Lock()
			defer mu.Unlock()
			if published += by; published < 0 || published > 1 {
				t.Errorf("published %d times", published)
			}
			return nil
		}
	}
	status(t, c.RegisterKernelLibrary("l", change(1), change(-1)), openvx.Success)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				status(t, c.LoadKernels("l"), openvx.Success)
				status(t, c.UnloadKernels("l"), openvx.Success)
			}
		})
	}
	wg.Wait()
	if published != 0 || c.Modules() != 0 {
		t.Errorf("%d published, %d modules", published, c.Modules())
	}
}

// TestStressRelease releases a context while others use it: every call ends with success or ErrorInvalidReference.
func TestStressRelease(t *testing.T) {
	for range 20 {
		c := must(openvx.NewContext(openvx.Options{}))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 50 {
					s, err := c.CreateScalar(openvx.TypeInt32, 1)
					if err == nil {
						err = s.Release()
					}
					if got := openvx.StatusOf(err); got != openvx.Success && got != openvx.ErrorInvalidReference {
						t.Error(err)
					}
				}
			})
		}
		status(t, c.Release(), openvx.Success)
		wg.Wait()
	}
}
