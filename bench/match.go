package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// match is both engines on one network.
type match struct {
	*suite
	network *network
	entry   *entry
	threads int
}

// pause is how long the machine rests between two turns: the threads of ONNX Runtime look for work for some time before they sleep.
const pause = 20 * time.Millisecond

// play lets the engines take turns and returns what came out.
func (m *match) play() (*row, error) {
	ours, err := m.concord(m.tier)
	if err != nil {
		return nil, err
	}
	defer ours.close()
	theirs, err := startPlayer("ONNX Runtime", nil, "node", m.script, m.ort)
	if err != nil {
		return nil, err
	}
	defer theirs.close()
	load := request{Do: "load", Model: m.entry.File, Threads: m.threads, Inputs: m.entry.Inputs, Count: true}
	a, err := ours.ask(load)
	if err != nil {
		return nil, err
	}
	b, err := theirs.ask(load)
	if err != nil {
		return nil, err
	}
	r := &row{Name: m.network.name, Load: measure.SystemLoad(), Threads: m.threads, Tier: a.Tier, Date: time.Now().UTC().Format(time.DateOnly), Versions: []string{"Concord " + m.version, b.Version}}
	if err := m.compare(r, ours); err != nil {
		return nil, err
	}
	if err := m.rounds(r, ours, theirs); err != nil {
		return nil, err
	}
	r.Concord.Load, r.Other.Load = measure.Round(a.Load, 4), measure.Round(b.Load, 4)
	least, peaks := 0.0, m.peaks[m.threads] // seconds
	for name, macs := range a.MACs {
		d, err := tensor.ParseDType(name)
		if err != nil {
			return nil, err
		}
		least += float64(macs) / peaks.Of(d)
	}
	r.Share, r.OtherShare = measure.Round(least*1e3/r.Concord.Median, 3), measure.Round(least*1e3/r.Other.Median, 3)
	return r, nil
}

// concord starts a player of this program, with a highest tier unless it is "".
func (s *suite) concord(tier string) (*player, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var env []string
	if tier != "" {
		env = []string{simd.Variable + "=" + tier}
	}
	return startPlayer("Concord", env, self, "-play")
}

// compare holds the outputs of the engines against each other, and Concord's against those of other tiers and threads.
func (m *match) compare(r *row, ours *player) error {
	folder, err := os.MkdirTemp("", "concord-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	want := request{Do: "outputs", Folder: folder}
	a, err := ours.ask(want)
	if err != nil {
		return err
	}
	b, err := m.exact(want)
	if err != nil {
		return err
	}
	if r.Difference, err = difference(a.Outputs, b.Outputs); err != nil {
		return err
	}
	if r.Difference > m.network.tolerance {
		return fmt.Errorf("outputs differ by %.3g of their greatest magnitude, and may by %.3g", r.Difference, m.network.tolerance)
	}
	if r.SHA256, err = sum(a.Outputs); err != nil || m.quick {
		return err
	}
	if known := m.same[r.Name]; known != nil && known.SHA256 == r.SHA256 { // on another number of threads
		r.Alike = known.Alike
		return nil
	}
	if err = m.alike(r); err == nil {
		m.same[r.Name] = r
	}
	return err
}

// exact answers a request by ONNX Runtime where its sums of integers do not saturate, in a process of its own, as that may be slower and take more memory.
func (m *match) exact(want request) (*answer, error) {
	p, err := startPlayer("ONNX Runtime", nil, "node", m.script, m.ort)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if _, err = p.ask(request{Do: "load", Model: m.entry.File, Threads: m.threads, Inputs: m.entry.Inputs, Exact: true}); err != nil {
		return nil, err
	}
	return p.ask(want)
}

// alike runs the network in every tier, on one thread and two: the results must be the same to the bit.
func (m *match) alike(r *row) error {
	folder, err := os.MkdirTemp("", "concord-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, tier := range m.tiers {
		for _, threads := range []int{1, 2} {
			p, err := m.concord(tier)
			if err != nil {
				return err
			}
			_, err = p.ask(request{Do: "load", Model: m.entry.File, Threads: threads, Inputs: m.entry.Inputs})
			var a *answer
			if err == nil {
				a, err = p.ask(request{Do: "outputs", Folder: folder})
			}
			p.close()
			if err != nil {
				return err
			}
			got, err := sum(a.Outputs)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("%s on %d", tier, threads)
			if got != r.SHA256 {
				return fmt.Errorf("tier %s yields other bits than %s: %s and %s", name, r.Tier, got, r.SHA256)
			}
			r.Alike = append(r.Alike, name)
		}
	}
	return nil
}

// sum returns the SHA-256 of all outputs, one behind the other.
func sum(outputs []array) (string, error) {
	h := sha256.New()
	for _, o := range outputs {
		elements, err := os.ReadFile(o.File)
		if err != nil {
			return "", err
		}
		h.Write(elements)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// difference returns by how much outputs differ at most, as a share of the greatest magnitude of each. Names, types and shapes must be the same.
func difference(ours, theirs []array) (float64, error) {
	if len(ours) != len(theirs) {
		return 0, fmt.Errorf("there are %d outputs, and %d of the other engine", len(ours), len(theirs))
	}
	of := make(map[string]array)
	for _, o := range theirs {
		of[o.Name] = o
	}
	most := 0.0
	for _, o := range ours {
		other, ok := of[o.Name]
		if !ok || o.DType != other.DType || !tensor.Shape(o.Shape).Equal(other.Shape) {
			return 0, fmt.Errorf("output %s is %s%v; the other engine's is %s%v", o.Name, o.DType, o.Shape, other.DType, other.Shape)
		}
		a, err := values(o)
		if err != nil {
			return 0, err
		}
		b, err := values(other)
		if err != nil {
			return 0, err
		}
		apart, magnitude := 0.0, 0.0
		for i := range a {
			if d := a[i] - b[i]; d == d { // else both are NaN, or one is, which the magnitude shows
				apart = max(apart, d, -d)
			} else if (a[i] == a[i]) != (b[i] == b[i]) {
				return 0, fmt.Errorf("output %s: element %d is %v, and %v in the other engine", o.Name, i, a[i], b[i])
			}
			magnitude = max(magnitude, b[i], -b[i])
		}
		if apart > 0 {
			most = max(most, apart/magnitude)
		}
	}
	return measure.Round(most, 3), nil
}

// values reads an output as float64.
func values(o array) ([]float64, error) {
	elements, err := os.ReadFile(o.File)
	if err != nil {
		return nil, err
	}
	d, err := tensor.ParseDType(o.DType)
	if err != nil {
		return nil, err
	}
	t, err := tensor.FromRaw(d, o.Shape, bytes.Clone(elements))
	if err == nil {
		t, err = tensor.Cast(t, tensor.Float64)
	}
	if err != nil {
		return nil, err
	}
	return tensor.Data[float64](t), nil
}

// rounds lets the engines take turns. The first of a round is the second of the next one, so that what drifts, such as the frequency of the
// processor, concerns both alike. What a turn takes is the lower quartile of its runs: that of an undisturbed one, on a machine that others use too.
func (m *match) rounds(r *row, ours, theirs *player) error {
	var ratios, cpuRatios []float64
	var all [2]measure.Times
	turns, length := m.turns, m.turn
	if m.network.kind == swept { // which are many
		turns, length = max(1, turns/3), length/2
	}
	for i := range turns {
		var took, cpu [2]float64
		for k := range 2 {
			which := (i + k) % 2
			time.Sleep(pause)
			p, t := ours, &r.Concord
			if which == 1 {
				p, t = theirs, &r.Other
			}
			a, err := p.ask(request{Do: "run", Least: 2, Milliseconds: length})
			if err != nil {
				return err
			}
			if len(a.Times) == 0 {
				return errors.New(p.name + " says no times")
			}
			var turn measure.Times
			for _, ms := range a.Times {
				turn = append(turn, time.Duration(ms*1e6))
			}
			took[which], cpu[which] = float64(turn.Quantile(0.25)), a.CPU
			all[which], t.RSS = append(all[which], turn...), measure.Round(a.RSS, 4)
		}
		ratios = append(ratios, took[0]/took[1])
		if m.threads == 1 && cpu[0] > 0 && cpu[1] > 0 { // threads that wait for others may spin
			cpuRatios = append(cpuRatios, cpu[0]/cpu[1])
		}
	}
	r.CPU = measure.Quartiles(cpuRatios).Rounded()
	r.Ratio, r.Rounds = measure.Quartiles(ratios).Rounded(), turns
	for which, t := range []*times{&r.Concord, &r.Other} {
		list := all[which]
		t.Runs = len(list)
		t.Median, t.P10 = measure.Milliseconds(list.Quantile(0.5)), measure.Milliseconds(list.Quantile(0.1))
		t.P99, t.Min = measure.Milliseconds(list.Quantile(0.99)), measure.Milliseconds(list.Quantile(0))
	}
	return nil
}
