package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	times := Times{40, 10, 30, 20}
	for p, want := range map[float64]time.Duration{0: 10, 0.5: 25, 1: 40, 1.0 / 3: 20, -1: 10, 2: 40} {
		if got := times.Quantile(p); got != want {
			t.Errorf("quantile %v is %d, want %d", p, got, want)
		}
	}
	if Times(nil).Quantile(0.5) != 0 || len(Times(nil).Sample(3)) != 0 {
		t.Error("of no times")
	}
	if got := (Times{5, 4, 3, 2, 1}).Sample(3); !slices.Equal(got, Times{1, 3, 5}) {
		t.Error(got)
	}
	if got := times.Sample(9); !slices.Equal(got, Times{10, 20, 30, 40}) {
		t.Error(got)
	}
}

func TestRound(t *testing.T) {
	for _, tt := range []struct{ x, want float64 }{{0, 0}, {0.00123456, 0.00123}, {123456, 123000}, {-9.996, -10}} {
		if got := Round(tt.x, 3); got != tt.want {
			t.Errorf("%v becomes %v, want %v", tt.x, got, tt.want)
		}
	}
	if got := Milliseconds(1_234_567_891); got != 1234.57 {
		t.Error(got)
	}
}

// TestLoop counts runs: warm ones, as many as must be at least, and as may be at most.
func TestLoop(t *testing.T) {
	stop := errors.New("stop")
	for _, tt := range []struct {
		loop   Loop
		stopAt int
		runs   int
	}{
		{Loop{Least: 3}, 0, 3},
		{Loop{Time: time.Hour, Most: 5}, 0, 5},
		{Loop{Least: 9, Most: 4}, 0, 4},
		{Loop{Least: 3}, 1, -1},
		{Loop{Least: 3}, 3, -1},
	} {
		calls := 0
		times, err := tt.loop.Run(context.Background(), func() error {
			if calls++; calls == tt.stopAt {
				return stop
			}
			return nil
		})
		if tt.runs < 0 {
			if !errors.Is(err, stop) {
				t.Errorf("%+v: %v", tt.loop, err)
			}
		} else if err != nil || len(times) != tt.runs || calls != tt.runs+1 {
			t.Errorf("%+v: %d times of %d calls, %v", tt.loop, len(times), calls, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := (Loop{Least: 1}).Run(ctx, func() error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRatio(t *testing.T) {
	a, b := []float64{2, 2.1, 1.9, 2, 2.2}, []float64{1, 1.1, 0.9, 1, 1}
	r := Ratio(a, b)
	if r.Value != 2 || r.Low > 2 || r.High < 2 || r.Low < 1.9/1.1 || r.High > 2.2/0.9 {
		t.Error(r)
	}
	if Ratio(a, b) != r {
		t.Error("another interval for the same times")
	}
	if q := Quartiles([]float64{3, 1, 2, 5, 4}); q != (Spread{3, 2, 4}) {
		t.Error(q)
	}
	if g := GeometricMean([]float64{1, 4, 16}); math.Abs(g-4) > 1e-12 || GeometricMean(nil) != 1 {
		t.Error(g)
	}
}

func TestProcessorName(t *testing.T) {
	info := "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD  EPYC\nprocessor\t: 1\nmodel name\t: other\n"
	if got := processorName([]byte(info), "amd64"); got != "AMD EPYC (family 25, model 17)" {
		t.Error(got)
	}
	if got := processorName([]byte("nothing"), "amd64"); got != "amd64" {
		t.Error(got)
	}
	if got := residentPeak([]byte("VmPeak:\t  9 kB\nVmHWM:\t   12 kB\nVmRSS:\t 3 kB\n")); got != 12*1024 {
		t.Error(got)
	}
	if got := residentPeak(nil); got != 0 {
		t.Error(got)
	}
}

// TestPeaks: something is measured, on one thread and two.
func TestPeaks(t *testing.T) {
	Patience = 0 // any number will do
	for _, threads := range []int{1, 2} {
		p := Arithmetic(threads)
		if p.Memory(); p.Float32 <= 0 || p.Int16 <= 0 || p.Int8 <= 0 || len(p.Read) != len(levels) || p.Rate(1) <= 0 || p.Rate(math.MaxInt64) != p.Read[len(levels)-1].Rate {
			t.Errorf("%+v", p)
		}
		t.Logf("%+v", p)
		more := Peaks{Float32: 2 * p.Float32, Read: []Level{{levels[0], 1}, {levels[1], 1e18}}}
		before := p.Read[0]
		if p.Max(more); p.Float32 != more.Float32 || p.Read[0] != before || p.Read[1].Rate != 1e18 {
			t.Errorf("%+v", p)
		}
		if testing.Short() {
			break
		}
	}
}
