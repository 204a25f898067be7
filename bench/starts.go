package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/tensor"
)

// startProcesses measures `concord run` of UltraFace from the start of the process to its end: on an array, and with a photo in and a picture out.
func (s *suite) startProcesses(root string, manifest map[string]*entry) ([]*started, error) {
	e := manifest["ultraface_slim320"]
	if e == nil {
		fmt.Fprintln(s.say, "UltraFace is not there: no processes are measured")
		return nil, nil
	}
	program := filepath.Join(s.cache, "concord")
	build := exec.Command("go", "build", "-o", program, "./cmd/concord")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as deploy/Dockerfile has it
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/concord: %w\n%s", err, out)
	}
	input := filepath.Join(s.cache, "ultraface.npy")
	if err := writeArray(input, &e.Inputs[0]); err != nil {
		return nil, err
	}
	photo := filepath.Join(filepath.Dir(e.File), "photo.jpg")
	var list []*started
	for _, p := range []struct {
		name, what string
		args       []string
	}{
		{"start", "`concord run slim-320.onnx input.npy --hash`", []string{"run", e.File, input, "--hash"}},
		{"picture", "`concord run slim-320.onnx photo.jpg`, which draws boxes into a PNG", []string{"run", e.File, photo, "--force", "--output", s.cache}},
	} {
		st, err := s.process(append([]string{program}, p.args...))
		if err != nil {
			return nil, err
		}
		st.Name, st.What = p.name, p.what
		fmt.Fprintf(s.say, "%s: %.4g ms (%.4g … %.4g, least %.4g), %.4g ms of processor time, %.4g MiB\n", p.what, st.Time.Value, st.Time.Low, st.Time.High, st.Min, st.CPU.Value, st.RSS)
		list = append(list, st)
	}
	return list, nil
}

// processes is how often a process is started.
const processes = 25

func (s *suite) process(args []string) (*started, error) {
	st := &started{Date: time.Now().UTC().Format(time.DateOnly), Load: measure.SystemLoad()}
	var ms, cpu []float64
	for range processes {
		c := exec.Command(args[0], args[1:]...)
		began := time.Now()
		out, err := c.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", args, err, out)
		}
		ms = append(ms, float64(time.Since(began))/1e6)
		cpu = append(cpu, float64(c.ProcessState.UserTime()+c.ProcessState.SystemTime())/1e6)
		st.RSS = max(st.RSS, peakOf(c.ProcessState))
	}
	st.CPU = measure.Quartiles(cpu).Rounded()
	st.Time, st.Min, st.RSS = measure.Quartiles(ms).Rounded(), measure.Round(slices.Min(ms), 4), measure.Round(st.RSS, 4)
	return st, nil
}

// writeArray writes an input as .npy.
func writeArray(name string, a *array) error {
	elements, err := os.ReadFile(a.File)
	if err != nil {
		return err
	}
	d, err := tensor.ParseDType(a.DType)
	if err != nil {
		return err
	}
	t, err := tensor.FromRaw(d, a.Shape, elements)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := tensor.WriteNPY(f, t); err != nil {
		return err
	}
	return f.Close()
}
